//! Politeness: the request rate and the turns of an origin.
//!
//! [`Politeness`] has the settings of the crawler, [`Pace`] the result for a file. Every origin in
//! use has a queue: one request at a time, or the number of [`Politeness::with_at_once`], and a
//! pause after each. An origin that answers 429 or 503 gets a longer back-off, also in its record.
//! All of it scope the pages of a site. The access state schedules fetches of robots.txt itself
//! ([`verger::access`]).

mod back_off;
mod lane;
mod queues;
mod pace;
mod pauses;

pub(crate) use self::lane::{RequestResult, Turn};
pub(crate) use self::queues::Queues;
pub use self::pace::{Pace, Politeness};
