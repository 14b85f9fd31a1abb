//! Verger and its peers, with a common interface.
//!
//! # Flow
//!
//! A library written in Rust is an [`Engine`] (one file for each); [`library`] converts it to a
//! [`Peer`]. Peers in other languages are scripts (`child.rs`). Work has three steps, because some
//! forms borrow from parsed files: [`Peer::stage`], [`Stage::start`], [`Lap::lap`]. Only laps are
//! timed, by the peer itself.
//!
//! # Scope
//!
//! A peer is used in the fastest documented way, and skips works that it does not support. Files
//! that it refuses, or at which it panics, are reported ([`Answers`]).

mod child;
mod engine;
mod fast_robots;
mod robotparser_rs;
mod robotstxt;
mod robotxt;
mod texting_robots;
mod verger;

use std::path::Path;
use std::time::Duration;

use crate::Result;
use crate::plan::{Plan, Work};
use crate::set::Set;

use self::verger::Google;
pub(crate) use engine::Heap;
use engine::{Engine, heap, library};

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

/// All available peers; and a message for each missing one.
///
/// Peers in other languages are expected in a folder.
pub(crate) fn all(installed: &Path) -> (Vec<Box<dyn Peer>>, Vec<String>) {
    let (scripts, missing) = child::all(installed);
    let mut peers = libraries();
    peers.extend(scripts.into_iter().map(|script| Box::new(script) as Box<dyn Peer>));
    (peers, missing)
}

/// Peers written in Rust.
pub(crate) fn libraries() -> Vec<Box<dyn Peer>> {
    vec![
        library::<verger::Policies>(),
        library::<verger::Parsed>(),
        library::<fast_robots::Simple>(),
        library::<fast_robots::Compiled>(),
        library::<robotxt::Robotxt>(),
        library::<texting_robots::TextingRobots>(),
        library::<robotstxt::Robotstxt>(),
        library::<robotparser_rs::RobotparserRs>(),
    ]
}

/// Peers with a removable size limit, without it; Verger first.
pub(crate) fn unbounded() -> Vec<Box<dyn Peer>> {
    vec![
        library::<verger::Policies<{ usize::MAX }>>(),
        library::<fast_robots::Simple<{ usize::MAX }>>(),
        library::<fast_robots::Compiled<{ usize::MAX }>>(),
    ]
}

/// Peers whose heap is measured.
pub(crate) fn heaps() -> Vec<Heap> {
    vec![
        heap::<verger::Policies>(false),
        heap::<verger::Parsed>(false),
        heap::<fast_robots::Simple>(true),
        heap::<fast_robots::Compiled>(true),
        heap::<robotxt::Robotxt>(false),
        heap::<texting_robots::TextingRobots>(false),
        heap::<robotparser_rs::RobotparserRs>(false),
    ]
}

/// Verger in dialect `google`.
pub(crate) fn google() -> Box<dyn Peer> {
    library::<Google>()
}

/// The version of a linked crate.
pub(crate) fn version_of(name: &str) -> String {
    version_in(include_str!("../../Cargo.lock"), name)
}

fn version_in(lockfile: &str, name: &str) -> String {
    let package = lockfile.split("[[package]]").find(|package| {
        package.lines().any(|line| line.strip_prefix("name = ") == Some(&format!("\"{name}\"")))
    });
    let version = package
        .and_then(|package| package.lines().find_map(|line| line.strip_prefix("version = ")));
    version.unwrap_or("?").trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_lockfile() {
        let lockfile = "[[package]]\nname = \"ab\"\nversion = \"2.0\"\n\n[[package]]\nname = \"a\"\nversion = \"1.0\"\n";
        assert_eq!(version_in(lockfile, "a"), "1.0");
        assert_eq!(version_in(lockfile, "b"), "?");
        assert_ne!(version_of("fast-robots"), "?");
    }
}
