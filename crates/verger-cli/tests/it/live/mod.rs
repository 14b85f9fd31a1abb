//! Fetches by the program, from servers on loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod analysis;
mod check;
mod fetch;
mod inspect;
mod lint;
mod named;
mod network;
mod page;
mod proxied;
mod proxy;
mod rights;
pub(crate) mod site;
mod trust;
mod verify;
mod words;
