//! The client against the hostile server: each entry of the catalogue, each vector of access, scope
//! and pages, and the promises about many concurrent checks.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod access;
mod blocking;
mod catalogue;
mod crowd;
mod deadlines;
#[cfg(feature = "html")]
mod directives;
mod failures;
#[cfg(feature = "http2")]
mod http2;
mod many;
mod network;
mod profiles;
mod proxied;
mod redirects;
mod scope;
mod sharing;
mod vectors;
mod waiting;
mod world;
