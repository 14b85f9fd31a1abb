//! The fetch against scripted servers. Nothing leaves the process: names, connections and the clock
//! are the tests' own.

mod codings;
mod exchange;
#[cfg(feature = "ftp")]
mod ftp;
mod guarded;
mod limited;
mod redirects;
mod secured;
mod sockets;
mod world;
