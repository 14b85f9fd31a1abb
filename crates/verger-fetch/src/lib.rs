//! The robots client: fetches robots.txt as the standards ask, safely, says exactly what happened, and
//! keeps it.
//!
//! # Flow
//!
//! [`client`] answers whether a URL may be fetched, with a [`Decision`](decision::Decision), and does all
//! the rest; [`blocking`] is the same without `async`. Underneath, [`fetch`] asks for one robots.txt and
//! follows its redirects, or for one page; [`net`] resolves, connects and secures;
//! [`guard`] says where connections may go. [`polite`] says how often an origin is asked. What an answer
//! means is the engine's to say ([`verger::access`]). A [`Record`](record::Record) is what is then known of
//! one origin: the state of its access, the body as it was received, and where it came from. A
//! [`Store`](store::Store) keeps records: in memory ([`MemoryStore`](store::MemoryStore)), or in a SQLite
//! file that several processes share (`SqliteStore`). [`limits`] has every number.
//!
//! # Promises
//!
//! - One request for a page of an origin at a time, or as many as
//!   [`Politeness::with_at_once`](polite::Politeness::with_at_once) allows, and a pause after each.
//! - No connection to an address that the guard has not judged, on no hop, whatever DNS answers. Through a
//!   proxy ([`net::Proxy`]), which resolves names itself, it judges every URL.
//! - Bounded time, bytes, memory and requests, whatever a server does.
//! - Only a whole and decodable 2xx is a [`Success`](fetch::Outcome::Success).
//! - What a store hands out is what was put into it for that origin, or a miss with its reason.
//! - Nothing is read from the environment: no proxies, no certificates, no paths.
//!
//! # Features
//!
//! All are on by default. A feature adds API and changes no answer, with one exception: without
//! `brotli` or `zstd` the client does not ask for that coding, and cannot read a server that sends it
//! unasked.
//!
//! | feature | adds | crates |
//! |---|---|---|
//! | `brotli` | content coding `br`; gzip and zlib are always read | 3 |
//! | `dns` | `net::DnsResolver`, the default resolver; without it set one, or an HTTP client | 35 |
//! | `ftp` | robots.txt over FTP | 0 |
//! | `html` | the meta elements of fetched pages, and `data-nosnippet` | 5 |
//! | `http2` | HTTP/2, offered for pages, and by option for robots.txt | 9 |
//! | `metrics` | counters and histograms for the recorder of the program | 3 |
//! | `sqlite` | `store::SqliteStore`; needs a C compiler | 7 |
//! | `zstd` | content coding `zstd` | 2 |
//!
//! With all features the crate compiles 153 crates, itself included; with none 94. That is enough for
//! `check`, `turn` and `get` over HTTP/1.1 and TLS with the caller's own resolver:
//!
//! ```toml
//! verger-fetch = { version = "0.1", default-features = false }
//! ```

pub mod background;
pub mod blocking;
pub mod client;
pub mod decision;
pub mod fetch;
pub mod guard;
pub mod limits;
pub mod net;
pub mod polite;
pub mod record;
pub mod store;

/// The Rust of the README: doc tests compile it.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

// Their types are part of this API: who uses it needs exactly these versions.
pub use {hyper::http, ipnet, url, verger, verger_page};
