//! The robots client: safe fetches of robots.txt by the standards, exact outcomes, and stored
//! records.
//!
//! # Flow
//!
//! [`client`] decides whether a URL may be fetched, with a [`Decision`](decision::Decision). It
//! uses [`fetch`], which requests one robots.txt with its redirects, or one page; [`net`], which
//! resolves, connects and encrypts; [`guard`], which permits destinations; and [`polite`], which
//! limits the request rate of an origin. [`verger::access`] defines the meaning of each outcome. An
//! [`OriginRecord`](record::OriginRecord) is the stored knowledge about one origin: the access
//! state, and the body with its source. A [`Store`](store::Store) stores records: in memory
//! ([`MemoryStore`](store::MemoryStore)), or in a SQLite file that several processes share
//! (`SqliteStore`). [`limits`] has all limits.
//!
//! # Promises
//!
//! - One request for a page of an origin at a time, or the number of
//!   [`Politeness::at_once`](polite::Politeness::at_once), and a pause after each.
//! - No connection to an address that the guard has not permitted, on any hop, whatever DNS
//!   answers. Through a proxy ([`net::Proxy`]), which resolves names itself, it checks every URL.
//! - Bounded time, bytes, memory and requests, whatever a server does.
//! - Only a whole and decodable 2xx is a success; everything else is a [`failure`].
//! - A store returns the record that was put for the origin, or a miss with its reason.
//! - Nothing is read from the environment: no proxies, no certificates, no paths.
//!
//! # A crawl loop
//!
//! A crawler with its own HTTP library asks for a [turn](client::RobotsClient::turn) before each
//! request and reports the response.
//!
//! ```no_run
//! use std::collections::VecDeque;
//!
//! use verger_fetch::client::RobotsClient;
//! use verger_fetch::fetch::Identity;
//! use verger_fetch::url::Url;
//! use verger_fetch::verger::Crawler;
//!
//! # struct Response { status: u16, headers: Vec<(String, Vec<u8>)> }
//! # async fn send(_: &Url) -> std::io::Result<Response> { unimplemented!() }
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
//! let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).build()?;
//! let mut queue = VecDeque::from([("https://shop.example/".to_owned(), 0)]);
//! while let Some((url, tries)) = queue.pop_front() {
//!     let next = match client.turn(&url).await {
//!         // The HTTP library must not follow redirects itself: each needs its own turn.
//!         Ok(permit) => match send(permit.decision().url()).await {
//!             Ok(Response { status, headers }) => {
//!                 let target = permit.report_response(status, headers).map(String::from);
//!                 target.or(matches!(status, 429 | 503).then_some(url))
//!             }
//!             Err(_) => {
//!                 permit.report_failure();
//!                 Some(url)
//!             }
//!         },
//!         Err(error) => {
//!             // The error names the rule and its line, or the failure.
//!             println!("{url}: {error}");
//!             let Some(wait) = error.retry_in() else { continue };
//!             tokio::time::sleep(wait).await;
//!             Some(url)
//!         }
//!     };
//!     // The next turn respects the back-off that was just reported.
//!     queue.extend(next.filter(|_| tries < 5).map(|next| (next, tries + 1)));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! All are on by default. A feature adds API and changes no answer, with one exception: without
//! `brotli` or `zstd` the client does not request that coding, and a response that still uses it is
//! an error.
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
//! With all features the crate compiles 153 crates, itself included; with none 94. That is enough
//! for `check`, `turn` and `get` over HTTP/1.1 and TLS with the caller's own resolver:
//!
//! ```toml
//! verger-fetch = { version = "0.1", default-features = false }
//! ```

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits/`: all limits, their defaults and permitted ranges
// - `running.rs`: time limits without the time in which the process did not run
// - `guard/`: permitted destinations: networks and refusals (`mod.rs`), addresses, names, ports
// - `failure/`: kinds of failures (`mod.rs`), those below HTTP (`network.rs`), of TLS
//   (`tls.rs`)
// - `net/`: names to addresses (`Resolve`), addresses to streams (`Dial`), TLS; `connect.rs` is
//   the only way to a server: it asks the guard about every address, or connects to the one
//   proxy (`proxy.rs`, `tunnel.rs`); limits on fetches of a client and on connections to one
//   address (`pool.rs`), raised for silent ones (`silence.rs`); the time of a waiting fetch
//   (`budget.rs`)
// - `fetch/`: one request, by the built-in client (`http/`, `ftp.rs`) or the caller's
//   (`http_client.rs`); byte limits (`http/meter.rs`), bodies (`http/body.rs`) and content
//   codings (`coding.rs`), possible responses of a proxy (`http/proxied.rs`); the redirect
//   loop, which asks the guard about every URL (`mod.rs`); the report (`report.rs`); targets
//   that no URL has (`raw.rs`)
// - `record/`: the record of one origin: its files (`file.rs`), last response and back-off
//   (`response.rs`), the next record after a fetch (`advance.rs`), the reader and the key of
//   its record (`read_options.rs`), the shared record and that of one client, and reasons for
//   their absence (`records.rs`); encoding (`codec/`)
// - `store/`: storage of records: `memory.rs`, bounded (`lru.rs`), and `sqlite/`; leases of fetches
//   (`lease.rs`); the files of an origin over time (`version.rs`)
// - `polite/`: requested and applied pauses (`mod.rs`), queues for origins (`queue.rs`), ends
//   of pauses and back-off (`pauses.rs`); turns that processes share (`turn_store.rs`), also
//   those of one process (`memory_turns.rs`)
// - `decision.rs`: the answer with its evidence
// - `client/`: checking a URL: one fetch for all callers (`single_flight.rs`), the check
//   itself, from an origin to its record (`check.rs`), from a fetch to an attempt
//   (`robots_fetch.rs`), the records of the store and of this client, also if the store fails
//   (`records.rs`), one value in memory for each origin, in front of the store
//   (`origins.rs`, `call_timeout.rs`), recent answers of hosts (`host_answers.rs`); turns
//   (`turn.rs`), also those of all processes (`shared_turn.rs`), and pages (`page.rs`); events
//   and counters (`telemetry.rs`); methods for services (`service.rs`); `builder.rs` with the
//   clock
// - `background.rs`: a runtime on its own thread, for callers without `async`

#[cfg(test)]
extern crate self as verger_fetch;
#[cfg(test)]
#[macro_use]
#[path = "../tests/fetch/forward.rs"]
mod forward;

pub mod background;
pub mod client;
pub mod decision;
pub mod failure;
pub mod fetch;
pub mod guard;
pub mod limits;
pub mod net;
pub mod polite;
pub mod record;
pub mod running;
pub mod store;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The Rust of the README: doc tests compile it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

// Their types are part of this API: users need exactly these versions.
pub use {hyper::http, ipnet, url, verger, verger_page};

/// Locks a value, which is consistent even after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
