//! The robots client: what is kept of the robots.txt of each origin, and where.
//!
//! # Flow
//!
//! A [`Record`](record::Record) is what is known of one origin: the state of its access, the body as it
//! was received, and where it came from. A [`Store`](store::Store) keeps records: in memory
//! ([`MemoryStore`](store::MemoryStore)), or in a SQLite file that several processes share
//! ([`SqliteStore`](store::SqliteStore)).
//!
//! # Invariants
//!
//! What a store hands out is what was put into it for that origin, or a miss with its reason. The
//! library reads no environment and no clock: paths and times are arguments.

pub mod limits;
pub mod record;
pub mod store;
