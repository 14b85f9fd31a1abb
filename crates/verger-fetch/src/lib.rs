//! The robots client: fetches robots.txt as the standards ask, safely, says exactly what happened, and
//! keeps it.
//!
//! # Flow
//!
//! [`client`] answers whether a URL may be fetched, with a [`Decision`](decision::Decision), and does all
//! the rest; [`blocking`] is the same without `async`. Underneath, [`fetch`] asks for one robots.txt and
//! follows its redirects, or for one page; [`net`] resolves, connects and secures;
//! [`guard`] says where connections may go. [`polite`] says how often an origin is asked. What an answer
//! means is the engine's to say ([`verger::access`]). An [`OriginRecord`](record::OriginRecord) is what is then known of
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
//! - Only a whole and decodable 2xx is a [`Success`](fetch::FetchOutcome::Success).
//! - What a store hands out is what was put into it for that origin, or a miss with its reason.
//! - Nothing is read from the environment: no proxies, no certificates, no paths.
//!
//! # A crawl loop
//!
//! A crawler with its own HTTP library asks for a [turn](client::RobotsClient::turn) before each request and
//! reports the response. Example `polite_crawler` is a whole crawler.
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
//! /// One request, if robots.txt allows it and it is time.
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
//!         // The site is down, or wants to be left alone for longer than the longest wait.
//!         Err(TurnError::Unreachable { again_in, .. } | TurnError::TooLong { again_in, .. }) => {
//!             return Next::Again(again_in);
//!         }
//!         // This client has too much to do, or another task holds the turn.
//!         Err(TurnError::Busy { .. } | TurnError::Held { .. }) => return Next::Again(SHORT_WAIT),
//!         Err(TurnError::Check(CheckError::Busy(_) | CheckError::Late(_) | CheckError::Ended)) => {
//!             return Next::Again(SHORT_WAIT);
//!         }
//!         // No URL, a URL without a robots.txt, or a client that is offline.
//!         Err(error) => {
//!             println!("{url}: {error}");
//!             return Next::Done;
//!         }
//!     };
//!     // Redirects of the HTTP library are switched off: each needs a turn of its own.
//!     let Ok(response) = send(permit.decision().url()).await else {
//!         permit.report_failure();
//!         return Next::Again(SHORT_WAIT);
//!     };
//!     let headers = response.headers.iter().map(|(name, value)| (name, value));
//!     match permit.report_response(response.status, headers) {
//!         Some(target) => Next::Redirect(target),
//!         // The next turn keeps to the back-off that was just reported.
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
#[doc = include_str!("../README.md")]
mod readme {}

// Their types are part of this API: who uses it needs exactly these versions.
pub use {hyper::http, ipnet, url, verger, verger_page};
