//! The counts and differences of a soak.

use std::collections::BTreeMap;

use crate::soak::plan::Plan;

/// Maximum number of differences shown.
const SHOWN: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) checks: u64,
    /// Fetches by their plan.
    pub(crate) fetches: BTreeMap<String, u64>,
    /// Time limits that ended responses not meant to be slow.
    pub(crate) late: u64,
    pub(crate) differences: u64,
    pub(crate) shown: Vec<String>,
}

impl Tally {
    pub(crate) fn fetch(&mut self, plan: &Plan) {
        *self.fetches.entry(plan.kind()).or_default() += 1;
    }

    pub(crate) fn expect(&mut self, is_right: bool, what: impl FnOnce() -> String) {
        if !is_right {
            self.differences += 1;
            if self.shown.len() < SHOWN {
                self.shown.push(what());
            }
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.checks += other.checks;
        self.late += other.late;
        self.differences += other.differences;
        for (kind, count) in other.fetches {
            *self.fetches.entry(kind).or_default() += count;
        }
        let room = SHOWN.saturating_sub(self.shown.len());
        self.shown.extend(other.shown.into_iter().take(room));
    }
}
