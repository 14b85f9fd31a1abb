//! Access: the meaning of a fetch result, its lifetime, and the effect of an outage.
//!
//! # Flow
//!
//! A crawler stores a [`State`] for every origin, beside the file itself. A fetch ends with an
//! [`Outcome`]; with the headers of the final response about time ([`Fetched`]) it gives the next
//! state ([`State::after`]). At any time, a state determines the access ([`State::access`]) and
//! whether robots.txt must be fetched first ([`State::needs_fetch`]). The meaning of outcomes, the
//! lifetime of results and the access during an outage are choices of a [`Profile`], which is a row
//! of data like a [`Dialect`](crate::Dialect).
//!
//! All functions here are pure. There is no clock, no randomness and no network, so any HTTP
//! library can be used, and a test can simulate an outage of 40 days.
//!
//! # Examples
//!
//! A crawler with a custom HTTP library, which receives 503 here:
//!
//! ```
//! use verger::access::{Fetched, Outcome, Profile, State, Timestamp};
//! use verger::{Reason, Robots};
//!
//! // The result of your HTTP library: the final status, headers in any form, and the body.
//! struct Answer { status: u16, headers: Vec<(String, Vec<u8>)>, body: Vec<u8> }
//! # #[derive(Debug)] struct Error;
//! # fn get(_: &str) -> Result<Answer, Error> {
//! #     let headers = vec![("Retry-After".to_string(), b"90".to_vec())];
//! #     Ok(Answer { status: 503, headers, body: Vec::new() })
//! # }
//!
//! /// The stored values of an origin.
//! #[derive(Default)]
//! struct Record { state: State, robots: Option<Robots> }
//!
//! fn refresh(record: &mut Record, profile: &Profile, now: Timestamp, random: u64) {
//!     let fetched = match get("https://shop.example/robots.txt") {
//!         Err(_) => Fetched::from(Outcome::Network),
//!         Ok(answer) => {
//!             let outcome = Outcome::Status(answer.status);
//!             let fetched = Fetched { jitter: random, ..Fetched::of(outcome, answer.headers, now) };
//!             if profile.meaning(outcome) == verger::access::Meaning::Rules {
//!                 record.robots = Some(Robots::parse(&answer.body));
//!             }
//!             fetched
//!         }
//!     };
//!     record.state = record.state.after(profile, fetched, now);
//! }
//!
//! let profile = Profile::RFC9309;
//! let mut record = Record::default();
//! let now = Timestamp::from_seconds(1_700_000_000); // your clock
//! if record.state.needs_fetch(now) {
//!     refresh(&mut record, &profile, now, 4); // your random number
//! }
//! let access = record.state.access(&profile, now);
//! let verdict = access.verdict(record.robots.as_ref(), "ExampleBot", "https://shop.example/cart");
//! let verdict = verdict.expect("robots.txt was fetched");
//! assert_eq!((verdict.is_allowed(), verdict.reason()), (false, Reason::Unreachable));
//! assert_eq!(record.state.next_try(), Timestamp::from_seconds(1_700_000_090));
//! ```
//!
//! Follow redirects yourself, up to [`Profile::redirects`]. An incomplete body, or one in a content
//! coding that was not requested, is [`Outcome::Network`]: the missing half could disallow. Read
//! one byte more than [`BODY_BYTES`](crate::limits::BODY_BYTES), so that the parser sees that the
//! file is longer.
//!
//! # References
//!
//! The clause of each choice is in the doc of its field (`REP-…`, listed in `docs/clauses.md`);
//! `docs/access.md` compares all rows.

mod answer;
mod code;
mod header;
mod outcome;
mod profile;
mod published;
mod state;
#[cfg(test)]
mod tests;
mod time;

pub use answer::{Access, Kind, Stale};
pub use header::Freshness;
pub use outcome::{Fetched, Outcome};
pub use profile::{Ladder, Meaning, OutageStep, Profile};
pub use state::State;
pub use time::Timestamp;
