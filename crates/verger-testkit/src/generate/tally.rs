//! Counting what a run of cases held.

use std::fmt;

use super::form::Form;
use super::profile::{FormSet, Profile};

/// How many cases held which forms, and how many were disallowed.
#[derive(Clone, Debug)]
pub struct Tally {
    profile: Profile,
    forms: Vec<usize>,
    cases: usize,
    disallowed: usize,
}

impl Tally {
    /// Nothing counted yet of cases of a profile.
    pub fn new(profile: Profile) -> Self {
        Self { profile, forms: vec![0; Form::ALL.len()], cases: 0, disallowed: 0 }
    }

    /// Counts a case.
    pub fn add(&mut self, forms: &FormSet, allowed: bool) {
        self.cases += 1;
        self.disallowed += usize::from(!allowed);
        for form in forms.iter() {
            self.forms[form as usize] += 1;
        }
    }

    /// Adds what another tally counted.
    pub fn merge(&mut self, other: &Self) {
        self.cases += other.cases;
        self.disallowed += other.disallowed;
        for (count, more) in self.forms.iter_mut().zip(&other.forms) {
            *count += more;
        }
    }

    /// Cases counted.
    pub const fn cases(&self) -> usize {
        self.cases
    }

    /// The share of disallowed cases, in percent.
    pub fn disallowed(&self) -> f64 {
        percent(self.disallowed, self.cases)
    }

    /// The share of cases that hold a form, in percent.
    pub fn share(&self, form: Form) -> f64 {
        percent(self.forms[form as usize], self.cases)
    }

    /// The form that occurs least.
    pub fn rarest(&self) -> Form {
        let rarest = self.profile.forms().min_by_key(|&form| self.forms[form as usize]);
        rarest.unwrap_or(Form::ALL[0])
    }
}

impl fmt::Display for Tally {
    /// One line for each form, by section.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} cases, {:.1} % disallowed", self.cases, self.disallowed())?;
        let mut section = None;
        for form in self.profile.forms() {
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
        let mut tally = Tally::new(Profile::Questions);
        tally.add(&forms, false);
        let mut other = Tally::new(Profile::Questions);
        other.add(&FormSet::EMPTY, true);
        tally.merge(&other);
        assert_eq!(tally.cases(), 2);
        assert!((tally.disallowed() - 50.0).abs() < 1e-9);
        assert!((tally.share(Form::Nul) - 50.0).abs() < 1e-9);
        assert!(tally.share(tally.rarest()).abs() < 1e-9);
        assert!(tally.to_string().contains("50.0 %  NUL in a line"));
    }
}
