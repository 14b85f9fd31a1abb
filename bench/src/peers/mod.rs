//! Who takes part: Verger and its peers, behind one face.
//!
//! # Flow
//!
//! A library written in Rust is an [`Engine`] (one file for each); [`library`] makes a [`Peer`] of it. Peers
//! in other languages are scripts (`child.rs`). Work is done in three steps, because some keep what borrows
//! from what they have parsed: [`Peer::stage`], [`Stage::start`], [`Lap::lap`]; only laps are timed, by who runs
//! them.
//!
//! # Scope
//!
//! A peer is used as its documentation says that it is fast. What it cannot do it does not take part in; a
//! file that it refuses, or at which it panics, is told ([`Answers`]).

mod engine;
mod fast_robots;
mod robotparser_rs;
mod robotstxt;
mod robotxt;
mod texting_robots;
mod verger;

use std::time::Duration;

use crate::Result;
use crate::plan::{Plan, Work};
use crate::set::Set;

use self::verger::Google;
use engine::{Engine, library};

/// Somebody who can be asked.
pub(crate) trait Peer {
    /// What it is.
    fn about(&self) -> &About;

    /// Whether it takes part in a work.
    fn can(&self, work: Work) -> bool;

    /// What it answers, or that it does not, for each file.
    fn answers(&self, set: &Set) -> Result<Vec<Answers>>;

    /// Reads what has to be read before the first lap.
    fn stage<'s>(&'s self, set: &'s Set, work: Work) -> Result<Box<dyn Stage + 's>>;
}

/// Files that are ready for a work.
pub(crate) trait Stage {
    /// Ends all preparations.
    fn start(&mut self) -> Box<dyn Lap + '_>;
}

/// A work that can be done again and again.
pub(crate) trait Lap {
    /// Does the work once over all files: how long that took, and for each file where that is asked for.
    fn lap(&mut self, plan: &Plan, each: Option<&mut Vec<Duration>>) -> Result<Duration>;
}

/// What a peer is.
#[derive(Clone, Debug)]
pub(crate) struct About {
    /// Its name in its registry, and how it is used where there are several ways.
    pub(crate) name: String,
    pub(crate) version: String,
    /// Where it comes from: `crates.io`, `PyPI`, `npm`.
    pub(crate) registry: &'static str,
    /// What a reader of its figures has to know.
    pub(crate) note: &'static str,
    /// Whether it is Verger.
    pub(crate) is_ours: bool,
}

/// What came of asking all questions of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// For each question whether the URL is allowed; `None`: it takes no such text.
    Given(Vec<Option<bool>>),
    /// It does not take the file.
    Refused,
    /// It panicked.
    Panicked,
}

/// Everybody who takes part.
pub(crate) fn all() -> Vec<Box<dyn Peer>> {
    let peers: Vec<Box<dyn Peer>> = vec![
        library::<verger::Policies>(),
        library::<verger::Parsed>(),
        library::<fast_robots::Simple>(),
        library::<fast_robots::Compiled>(),
        library::<robotxt::Robotxt>(),
        library::<texting_robots::TextingRobots>(),
        library::<robotstxt::Robotstxt>(),
        library::<robotparser_rs::RobotparserRs>(),
    ];
    peers
}

/// Verger as it answers like Google.
pub(crate) fn google() -> Box<dyn Peer> {
    library::<Google>()
}

/// The version of a crate that was built in.
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
