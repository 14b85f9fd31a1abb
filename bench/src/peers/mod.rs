//! Verger and its peers, with a common interface.
//!
//! # Flow
//!
//! A library written in Rust is an [`engine::Engine`] (`libraries.rs`); [`library`] converts it to
//! a [`Peer`]. Peers in other languages are scripts (`child.rs`). Work has three steps, because
//! some forms borrow from parsed files: [`Peer::stage`], [`Stage::start`], [`Lap::lap`]. Only laps
//! are timed, by the peer itself.
//!
//! # Scope
//!
//! A peer is used in the fastest documented way, and skips works that it does not support. Files
//! that it refuses, or at which it panics, are reported ([`Answers`]).

mod child;
mod engine;
mod libraries;
mod peer;

use std::path::Path;

pub(crate) use engine::Heap;
use engine::{heap, library};
use libraries::{
    FastRobots, FastRobotsCompiled, Google, Parsed, Policies, RobotparserRs, Robotstxt, Robotxt,
    TextingRobots,
};
pub(crate) use peer::{About, Answers, Lap, Peer, Stage};

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
        library::<Policies>(),
        library::<Parsed>(),
        library::<FastRobots>(),
        library::<FastRobotsCompiled>(),
        library::<Robotxt>(),
        library::<TextingRobots>(),
        library::<Robotstxt>(),
        library::<RobotparserRs>(),
    ]
}

/// Peers with a removable size limit, without it; Verger first.
pub(crate) fn unbounded() -> Vec<Box<dyn Peer>> {
    vec![
        library::<Policies<{ usize::MAX }>>(),
        library::<FastRobots<{ usize::MAX }>>(),
        library::<FastRobotsCompiled<{ usize::MAX }>>(),
    ]
}

/// Peers whose heap is measured.
pub(crate) fn heaps() -> Vec<Heap> {
    vec![
        heap::<Policies>(false),
        heap::<Parsed>(false),
        heap::<FastRobots>(true),
        heap::<FastRobotsCompiled>(true),
        heap::<Robotxt>(false),
        heap::<TextingRobots>(false),
        heap::<RobotparserRs>(false),
    ]
}

/// Verger in dialect `google`.
pub(crate) fn google() -> Box<dyn Peer> {
    library::<Google>()
}
