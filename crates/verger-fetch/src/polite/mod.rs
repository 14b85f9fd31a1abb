//! Politeness: how often an origin is asked, and whose turn it is.
//!
//! [`Politeness`] is what the crawler's owner wants, a [`Pace`] what comes of that and of what the file
//! asks for. `Lanes` has a lane for every origin that is asked: one request at a time, or as many as
//! [`Politeness::with_at_once`] allows, and a pause after each. An origin that answers 429 or 503 is left alone
//! longer; its record says so, too. All of it is about the pages of a site. The access state says when
//! robots.txt itself is fetched again ([`verger::access`]).

mod back_off;
mod lane;
mod lanes;
mod pace;
mod pauses;

pub(crate) use self::lane::{Answered, Turn};
pub(crate) use self::lanes::Lanes;
pub use self::pace::{Pace, Politeness};
