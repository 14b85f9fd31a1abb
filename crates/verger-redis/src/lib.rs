//! Redis as the shared store of a fleet of crawlers.
//!
//! [`RedisStore`] has the records of origins, with the same bytes as the store on disk, and the
//! files that an origin had before. It grants leases, so that a fleet fetches a robots.txt once.
//! [`RedisStore::turns`] makes all processes polite together. Both work with one Redis (7.0 or newer), or
//! with a Redis Cluster.
//!
//! # Failures
//!
//! Redis is a cache here: it changes no answer. While it fails, each process answers from its
//! memory and fetches what is missing, as the documentation of the store describes. Turns are the
//! exception: without Redis there is no turn, because it might be too early.
//!
//! # Examples
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use verger::Crawler;
//! use verger_fetch::client::RobotsClient;
//! use verger_fetch::fetch::Identity;
//! use verger_redis::{RedisOptions, RedisStore};
//!
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let store = RedisStore::open("redis://127.0.0.1/", RedisOptions::new("ExampleBot"))?;
//! let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
//! let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity)
//!     .turns(store.turns())
//!     .store(Arc::new(store))
//!     .build()?;
//! # Ok(())
//! # }
//! ```
//!
//! # Telemetry
//!
//! Warnings of [`tracing`] when Redis begins to fail, and counters and histograms of [`metrics`],
//! in addition to those of the [client](verger_fetch::client#telemetry):
//!
//! | name | labels | meaning |
//! |---|---|---|
//! | `verger_redis_calls_total` | `call`; `result`: `ok`, `error`, `failed`, `refused` | calls of Redis: answered, answered by an error, without an answer, not sent after a failure |
//! | `verger_redis_seconds` | `call` | duration of a call that was sent |
//! | `verger_redis_damaged_total` | | damaged or forged values |

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `value.rs`, `keys.rs`, `history.rs`: values with a MAC, and a back-off; names of keys; the
//   encoded list of an origin's files
// - `options.rs`: options of a store
// - `failure.rs`, `breaker.rs`, `telemetry.rs`: errors of Redis as errors of a store; circuit
//   breakers; counters
// - `scripts/`, `scripts.rs`: the scripts in Lua: each decides and changes in one step
// - `cluster.rs`, `link.rs`: nodes of a Cluster; calls with a time limit over one connection
// - `store.rs`, `scan.rs`, `lease.rs`, `turns.rs`: the store; searches through all keys; leases;
//   turns

mod breaker;
mod cluster;
mod failure;
mod history;
mod keys;
mod lease;
mod limits;
mod link;
mod options;
mod scan;
mod scripts;
mod store;
mod telemetry;
mod turns;
mod value;

pub use options::RedisOptions;
pub use store::RedisStore;
