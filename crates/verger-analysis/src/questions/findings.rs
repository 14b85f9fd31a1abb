//! Findings about single rules.

use verger::Rule;

use crate::undecided::Undecided;

/// Findings about rules, in file order, and the rules about which nothing is known.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Findings<'r, T> {
    /// The findings: all of them are proved.
    pub found: Vec<T>,
    /// Rules that may also be a finding, with the reason.
    pub undecided: Vec<(Rule<'r>, Undecided)>,
}

impl<'r, T> Findings<'r, T> {
    /// Nothing found, nothing known about these rules.
    pub(crate) fn undecided(rules: &[Rule<'r>], reason: Undecided) -> Self {
        let undecided = rules.iter().map(|&rule| (rule, reason)).collect();
        Self { found: Vec::new(), undecided }
    }
}

impl<T> Default for Findings<'_, T> {
    fn default() -> Self {
        Self { found: Vec::new(), undecided: Vec::new() }
    }
}
