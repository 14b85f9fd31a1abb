//! Sets of forms.

use super::form::Form;

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
