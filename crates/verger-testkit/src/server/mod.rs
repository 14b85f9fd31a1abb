//! A hostile server for tests of robots clients, with expected outcomes.
//!
//! Flow: a [`Setup`] has names, their addresses, and the [`Service`] at each address.
//! [`Setup::start`] returns a [`World`]: the servers run on loopback. The client is built with a
//! resolver that calls [`World::resolve`], a connector that calls [`World::dial`], and the root
//! certificate [`World::root`]. Afterwards [`World::record`] lists the client's actions. A
//! [`Site`], an [`Ftp`] or a raw connection follows a [`Script`], byte by byte.
//!
//! [`catalogue`] has the rows of the hostile catalogue for HTTP, redirects, FTP and DNS, each with
//! its setup and its claims.
//!
//! Scope: no packet leaves the machine. An address such as 93.184.216.34 represents a public one;
//! the world maps it to a port on loopback. A dial to an address without a service, such as
//! 10.0.0.1, is refused and recorded as a stray. Stalls last for ever, so the client's limits end
//! them: with limits of some hundred milliseconds every entry is quick.

pub mod catalogue;
#[cfg(feature = "client")]
mod client;
mod coding;
mod dns;
mod ftp;
mod http;
mod http2;
mod play;
mod record;
mod script;
mod service;
mod shared;
mod tls;
mod world;

#[cfg(feature = "client")]
pub use client::client;
pub use coding::{
    brotli, chunked, deflate, gzip, gzip_bomb, gzip_with, written, zlib, zstd, zstd_bomb,
};
pub use dns::{Lookup, NoAddress, Zone};
pub use ftp::{Ftp, Passive};
pub use http::Site;
pub use http2::{END_HEADERS, END_STREAM, Kind, PADDED, fields, frame};
pub use record::{Record, Request};
pub use script::{DRIP, RULES, Script, ScriptedResponse, ServerAction};
pub use service::Service;
pub use tls::{Certificate, Tls};
pub use world::{PUBLIC, Resolved, Setup, World};
