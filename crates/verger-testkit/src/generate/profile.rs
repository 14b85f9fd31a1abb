//! Purposes of cases, and sets of forms.

use super::form::{Form, Section};

/// Purpose of generated cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Single questions, in every form except those of section [`Section::Sites`].
    Questions,
    /// The cached files of the 1994 crawler: rules that begin with `/`, URLs in Perl's spelling.
    Sites,
}

impl Profile {
    /// The forms of the cases.
    pub fn forms(self) -> impl Iterator<Item = Form> {
        Form::ALL.iter().copied().filter(move |&form| self.makes(form))
    }

    /// Whether the cases may contain a form.
    pub fn makes(self, form: Form) -> bool {
        use Form as F;
        match (self, form.section()) {
            (Self::Questions, section) => section != Section::Sites,
            (Self::Sites, Section::Crawlers | Section::Urls | Section::UrlOctets) => false,
            (Self::Sites, _) => !matches!(
                form,
                F::ColonDoubled
                    | F::SpaceNoBreak
                    | F::PatternWithoutSlash
                    | F::PatternOfUrl
                    | F::PatternLeadingStar
            ),
        }
    }
}

/// A set of forms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FormSet([bool; Form::ALL.len()]);

impl FormSet {
    /// The empty set.
    pub const EMPTY: Self = Self([false; Form::ALL.len()]);

    /// Adds a form.
    pub fn insert(&mut self, form: Form) {
        self.0[form as usize] = true;
    }

    /// Whether the set contains a form.
    pub const fn contains(&self, form: Form) -> bool {
        self.0[form as usize]
    }

    /// The forms, in order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = Form> {
        Form::ALL.iter().copied().filter(|&form| self.contains(form))
    }
}

impl std::fmt::Debug for FormSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
