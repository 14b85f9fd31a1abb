//! Counts of the forms in generated cases.

use std::fmt;

use super::form::Form;
use super::set::FormSet;

/// Number of cases by form, and number of disallowed cases.
#[derive(Clone, Debug)]
pub struct Tally {
    forms: [usize; Form::ALL.len()],
    cases: usize,
    disallowed: usize,
}

impl Default for Tally {
    fn default() -> Self {
        Self { forms: [0; Form::ALL.len()], cases: 0, disallowed: 0 }
    }
}

impl Tally {
    /// Counts a case.
    pub fn add(&mut self, forms: &FormSet, allowed: bool) {
        self.cases += 1;
        self.disallowed += usize::from(!allowed);
        for form in forms.iter() {
            self.forms[form as usize] += 1;
        }
    }

    /// Number of counted cases.
    pub const fn cases(&self) -> usize {
        self.cases
    }

    /// Share of disallowed cases, in percent.
    pub fn disallowed(&self) -> f64 {
        percent(self.disallowed, self.cases)
    }

    /// Share of cases with a form, in percent.
    pub fn share(&self, form: Form) -> f64 {
        percent(self.forms[form as usize], self.cases)
    }

    /// The rarest form.
    pub fn rarest(&self) -> Form {
        let rarest = Form::ALL.iter().min_by_key(|&&form| self.forms[form as usize]);
        *rarest.unwrap_or(&Form::ALL[0])
    }
}

impl fmt::Display for Tally {
    /// Writes one line for each form, by section.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} cases, {:.1} % disallowed", self.cases, self.disallowed())?;
        let mut section = None;
        for &form in Form::ALL {
            if section.replace(form.section()) != Some(form.section()) {
                writeln!(f, "{:?}", form.section())?;
            }
            writeln!(f, "  {:5.1} %  {}", self.share(form), form.name())?;
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percents_of_all_cases() {
        let mut forms = FormSet::EMPTY;
        forms.insert(Form::Nul);
        let mut tally = Tally::default();
        tally.add(&forms, false);
        tally.add(&FormSet::EMPTY, true);
        assert_eq!(tally.cases(), 2);
        assert!((tally.disallowed() - 50.0).abs() < 1e-9);
        assert!((tally.share(Form::Nul) - 50.0).abs() < 1e-9);
        assert!(tally.share(tally.rarest()).abs() < 1e-9);
        assert!(tally.to_string().contains("50.0 %  NUL in a line"));
    }
}
