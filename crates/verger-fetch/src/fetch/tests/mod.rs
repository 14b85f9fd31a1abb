//! The fetch against scripted servers. Nothing leaves the process: names, connections and the clock
//! belong to the tests; a few servers listen on loopback.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod codings;
mod crowded;
mod exchange;
#[cfg(feature = "ftp")]
mod ftp;
mod generated;
mod guarded;
mod http_client;
mod limited;
mod named;
mod proxied;
#[cfg(feature = "ftp")]
mod pyftpdlib;
mod redirects;
mod secured;
mod sockets;
mod suspended;
mod world;
