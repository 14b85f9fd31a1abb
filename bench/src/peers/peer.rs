//! The interface of a peer.

use std::time::Duration;

use crate::Result;
use crate::plan::{Plan, Work};
use crate::set::Set;

/// A participant of the comparison.
pub(crate) trait Peer {
    /// Its description.
    fn about(&self) -> &About;

    /// Whether it supports a work.
    fn can(&self, work: Work) -> bool;

    /// Its answers, or their absence, for each file.
    fn answers(&self, set: &Set) -> Result<Vec<Answers>>;

    /// Parses the files that must be parsed before the first lap.
    fn stage<'s>(&'s self, set: &'s Set, work: Work) -> Result<Box<dyn Stage + 's>>;
}

/// Files parsed for a work.
pub(crate) trait Stage {
    /// Finishes all preparations.
    fn start(&mut self) -> Box<dyn Lap + '_>;
}

/// Repeatable work.
pub(crate) trait Lap {
    /// Does the work once for all files; returns the total time, and optionally the time for each
    /// file.
    fn lap(&mut self, plan: &Plan, each: Option<&mut Vec<Duration>>) -> Result<Duration>;
}

/// Description of a peer.
#[derive(Clone, Debug)]
pub(crate) struct About {
    /// Name in its registry, and the way of usage if there are several.
    pub(crate) name: String,
    pub(crate) version: String,
    /// Origin: `crates.io`, `PyPI`, `npm`, or this repository.
    pub(crate) registry: &'static str,
    /// A note for readers of its figures.
    pub(crate) note: &'static str,
    /// Whether it is Verger.
    pub(crate) is_ours: bool,
}

/// Answers to all questions about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// For each question whether the URL is allowed; `None` if the text is refused.
    Given(Vec<Option<bool>>),
    /// The file was refused.
    Refused,
    /// The peer panicked.
    Panicked,
}
