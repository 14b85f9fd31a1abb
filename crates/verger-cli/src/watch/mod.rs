//! The live robots.txt of sites against what they should be.
//!
//! # Flow
//!
//! `schedule.rs` says when which site is fetched. `seen.rs` makes an observation from the record of
//! a fetch, and remembers the last one of each site in a file. `change.rs` compares two
//! observations by meaning. `watcher.rs` decides what is reported, and remembers it afterwards.

pub(crate) mod change;
pub(crate) mod schedule;
pub(crate) mod seen;
pub(crate) mod watcher;

#[cfg(test)]
mod tests;
