//! A step of a suite.

use crate::arguments::Arguments;
use crate::setup::Need;
use crate::shell::Result;

/// A step of a suite.
pub(super) struct Step {
    pub(super) name: &'static str,
    /// Skipped if one of these is missing.
    pub(super) needs: &'static [&'static Need],
    /// Some of its tests skip themselves if one of these is missing.
    pub(super) uses: &'static [&'static Need],
    pub(super) run: fn(&Arguments) -> Result,
}

impl Step {
    /// A step that needs only Rust.
    pub(super) const fn new(name: &'static str, run: fn(&Arguments) -> Result) -> Self {
        Self { name, needs: &[], uses: &[], run }
    }

    pub(super) fn all_needs(&self) -> impl Iterator<Item = &'static Need> {
        self.needs.iter().chain(self.uses).copied()
    }
}
