//! Politeness: turns, pauses, back-off and the polite fetch, on a clock that jumps.
#![expect(clippy::unwrap_used, reason = "a site that cannot be set up has failed the test")]

mod agreement;
#[cfg(feature = "metrics")]
mod counted;
mod pages;
mod site;
mod threads;
mod turns;
