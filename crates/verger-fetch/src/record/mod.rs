//! What is kept for one origin.
//!
//! # Flow
//!
//! A fetch gives an [`Answer`]; with the [`State`] that follows from it, it becomes a [`Record`].
//! `codec.rs` writes a record as bytes that say for themselves whether they are whole and whose they
//! are; whatever else is read is a [`Miss`].

mod answer;
mod codec;
mod field;
mod miss;
mod state;

use verger::Origin;
use verger::access::{State, Timestamp};

pub use answer::{Answer, Body, Hop, Validators};
#[cfg(test)]
pub(crate) use codec::BODY_OFFSET;
pub use codec::VERSION;
pub use miss::Miss;

/// What is known of the robots.txt of one origin (REP-CACHE-4).
///
/// The body is that of the last answer that had rules, as it was received and decoded; it belongs to no
/// dialect, so every dialect can be asked. A record of an answer without a body has an empty one.
///
/// # Examples
///
/// ```
/// use verger::Origin;
/// use verger::access::State;
/// use verger_fetch::record::{Answer, Body, Miss, Record};
///
/// let origin = Origin::from_parts("https", "shop.example", None)?;
/// let answer = Answer {
///     status: Some(200),
///     final_url: origin.robots_url(),
///     body: Body::new("User-agent: *\nDisallow: /cart\n"),
///     ..Answer::default()
/// };
/// let record = Record::new(origin.clone(), State::UNKNOWN, 1_763_700_000, answer);
///
/// let bytes = record.encode();
/// assert_eq!(Record::decode(&bytes, &origin), Ok(record));
/// assert_eq!(Record::decode(&bytes[1..], &origin), Err(Miss::Damaged));
/// # Ok::<(), verger::OriginError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    origin: Origin,
    state: State,
    tried_at: u64,
    answer: Answer,
}

impl Record {
    /// A record; `tried_at` is when the last try ended, in seconds since 1970, UTC.
    ///
    /// Validators are kept only when the URL that answered belongs to this origin: they are sent to
    /// nobody else, so nobody else's are worth anything (REP-CACHE-5). With those of another origin the
    /// record is made without.
    pub fn new(origin: Origin, state: State, tried_at: u64, mut answer: Answer) -> Self {
        if !answer.is_from(&origin) {
            answer.validators = Validators::default();
        }
        Self { origin, state, tried_at, answer }
    }

    /// The origin that the robots.txt speaks for: that of the URL that was asked first
    /// (REP-CACHE-3).
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What the answers so far mean.
    pub const fn state(&self) -> State {
        self.state
    }

    /// What they mean in a word: `rules`, `allow_all`, `disallow_all`; `unreachable` during an outage;
    /// `unknown` before the first answer.
    pub fn kind(&self) -> &'static str {
        state::kind(&self.state)
    }

    /// Until when the result is, or during an outage the copy was, fresh; in seconds since 1970, UTC.
    pub fn fresh_until(&self) -> Option<u64> {
        self.state.fresh_until().map(Timestamp::seconds)
    }

    /// When the last try to fetch it ended, with an answer or without, in seconds since 1970, UTC.
    pub const fn tried_at(&self) -> u64 {
        self.tried_at
    }

    /// When the result that is in force was fetched or renewed, in seconds since 1970, UTC; `None` before
    /// the first one. During an outage it is that of the copy.
    pub fn fetched_at(&self) -> Option<u64> {
        self.state.fetched_at().map(Timestamp::seconds)
    }

    /// What was received, and on which way.
    pub const fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The same, judged otherwise.
    pub(crate) fn judged_by(mut self, judge: &str) -> Self {
        judge.clone_into(&mut self.answer.access_profile);
        self
    }

    /// The answer itself, for a record that follows this one.
    pub fn into_answer(self) -> Answer {
        self.answer
    }
}
