//! The robots client: safe fetches of robots.txt by the standards, exact outcomes, and stored
//! records.
//!
//! # Flow
//!
//! [`client`] decides whether a URL may be fetched, with a [`Decision`](decision::Decision);
//! [`blocking`] is the same without `async`. It uses [`fetch`], which requests one robots.txt with
//! its redirects, or one page; [`net`], which resolves, connects and encrypts; [`guard`], which
//! permits destinations; and [`polite`], which limits the request rate of an origin.
//! [`verger::access`] defines the meaning of each outcome. An
//! [`OriginRecord`](record::OriginRecord) is the stored knowledge about one origin: the access
//! state, and the body with its source. A [`Store`](store::Store) stores records: in memory
//! ([`MemoryStore`](store::MemoryStore)), or in a SQLite file that several processes share
//! (`SqliteStore`). [`limits`] has all limits.
//!
//! # Promises
//!
//! - One request for a page of an origin at a time, or the number of
//!   [`Politeness::with_at_once`](polite::Politeness::with_at_once), and a pause after each.
//! - No connection to an address that the guard has not permitted, on any hop, whatever DNS
//!   answers. Through a proxy ([`net::Proxy`]), which resolves names itself, it checks every URL.
//! - Bounded time, bytes, memory and requests, whatever a server does.
//! - Only a whole and decodable 2xx is a [`Success`](fetch::FetchOutcome::Success).
//! - A store returns the record that was put for the origin, or a miss with its reason.
//! - Nothing is read from the environment: no proxies, no certificates, no paths.
//!
//! # A crawl loop
//!
//! A crawler with its own HTTP library asks for a [turn](client::RobotsClient::turn) before each
//! request and reports the response. Example `polite_crawler` is a whole crawler.
//!
//! ```no_run
//! use std::collections::VecDeque;
//! use std::time::Duration;
//!
//! use tokio::time::{Instant, sleep_until};
//! use verger_fetch::client::{CheckError, RobotsClient, TurnError};
//! use verger_fetch::fetch::Identity;
//! use verger_fetch::polite::Politeness;
//! use verger_fetch::record::Failure;
//! use verger_fetch::url::Url;
//! use verger_fetch::verger::Crawler;
//!
//! # struct Response { status: u16, headers: Vec<(String, Vec<u8>)> }
//! # async fn send(_: &Url) -> std::io::Result<Response> { unimplemented!() }
//! const TRIES: u32 = 5;
//! const SHORT_WAIT: Duration = Duration::from_secs(5);
//!
//! enum Next {
//!     Done,
//!     Redirect(Url),
//!     Again(Duration),
//! }
//!
//! /// Sends one request after waiting for the turn.
//! async fn visit(client: &RobotsClient, url: &str) -> Next {
//!     let permit = match client.turn(url).await {
//!         Ok(permit) => permit,
//!         // The decision names the rule and its line.
//!         Err(TurnError::Disallowed(decision)) => {
//!             println!("{url}: {decision}");
//!             return Next::Done;
//!         }
//!         // These causes last until the configuration changes.
//!         Err(TurnError::Unreachable { decision, .. })
//!             if matches!(decision.failure(), Some(Failure::Refused(_) | Failure::NoUrl)) =>
//!         {
//!             println!("{url}: {decision}");
//!             return Next::Done;
//!         }
//!         // The site is down, or its pause is longer than the longest wait.
//!         Err(TurnError::Unreachable { again_in, .. } | TurnError::TooLong { again_in, .. }) => {
//!             return Next::Again(again_in);
//!         }
//!         // This client is busy, or another task holds the turn.
//!         Err(TurnError::Busy { .. } | TurnError::Held { .. }) => return Next::Again(SHORT_WAIT),
//!         Err(TurnError::Check(CheckError::Busy(_) | CheckError::Late(_) | CheckError::Ended)) => {
//!             return Next::Again(SHORT_WAIT);
//!         }
//!         // Not a URL, a URL without a robots.txt, or an offline client.
//!         Err(error) => {
//!             println!("{url}: {error}");
//!             return Next::Done;
//!         }
//!     };
//!     // The HTTP library must not follow redirects itself: each needs its own turn.
//!     let Ok(response) = send(permit.decision().url()).await else {
//!         permit.report_failure();
//!         return Next::Again(SHORT_WAIT);
//!     };
//!     let headers = response.headers.iter().map(|(name, value)| (name, value));
//!     match permit.report_response(response.status, headers) {
//!         Some(target) => Next::Redirect(target),
//!         // The next turn respects the back-off that was just reported.
//!         None if matches!(response.status, 429 | 503) => Next::Again(SHORT_WAIT),
//!         None => Next::Done,
//!     }
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
//! let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity)
//!     // A longer wait is an error, so the crawler can visit other sites meanwhile.
//!     .politeness(Politeness::default().with_longest_wait(Duration::from_secs(60)))
//!     .build()?;
//! let first = ("https://shop.example/".to_owned(), Instant::now(), 0);
//! let mut queue = VecDeque::from([first]);
//! while let Some((url, at, tries)) = queue.pop_front() {
//!     sleep_until(at).await;
//!     match visit(&client, &url).await {
//!         Next::Done => {}
//!         Next::Redirect(_) | Next::Again(_) if tries == TRIES => println!("{url}: given up"),
//!         Next::Redirect(target) => queue.push_back((target.into(), Instant::now(), tries + 1)),
//!         Next::Again(wait) => queue.push_back((url, Instant::now() + wait, tries + 1)),
//!     }
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
