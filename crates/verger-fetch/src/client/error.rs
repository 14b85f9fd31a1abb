//! Why there is no decision.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use verger::OriginError;

use crate::limits::LimitReached;

/// Why a question has no decision. Nothing may be fetched then.
///
/// It says nothing about robots.txt: a disallowed URL and an unreachable site are decisions
/// ([module](super#errors-and-decisions)).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckError {
    /// A limit of this client was reached: of fetches that wait or run, of questions that wait for one
    /// ([`FETCH_QUEUE`](crate::limits::FETCH_QUEUE), [`FETCHES`](crate::limits::FETCHES),
    /// [`WAITING`](crate::limits::WAITING)), or of connections to one address. Ask again later.
    Busy(LimitReached),
    /// There was no answer within [`TOTAL`](crate::limits::TOTAL) and a tenth: the fetch had to wait for others, or the
    /// store was slow. Or a turn whose decision expired during the wait has used up its time
    /// ([`Politeness::with_longest_wait`](crate::polite::Politeness::with_longest_wait)). A fetch that has begun
    /// goes on: ask again soon.
    Late(Duration),
    /// The text is no URL that could be asked for.
    InvalidUrl(OriginError),
    /// The fetch that the question waited for ended with its runtime, or with a panic, or what it brought
    /// held no more when it came: the clock was turned.
    Ended,
}

impl CheckError {
    /// Whether the same question may be answered later: everything but a text that is no URL.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::OriginError;
    /// use verger_fetch::client::CheckError;
    ///
    /// assert!(!CheckError::InvalidUrl(OriginError::NoScheme).is_temporary());
    /// assert!(CheckError::Ended.is_temporary());
    /// ```
    pub const fn is_temporary(&self) -> bool {
        match self {
            Self::Busy(_) | Self::Late(_) | Self::Ended => true,
            Self::InvalidUrl(_) => false,
        }
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(limit) => limit.fmt(f),
            Self::InvalidUrl(error) => error.fmt(f),
            Self::Late(time) => {
                write!(f, "no answer within {} s: other requests came first", time.as_secs_f64())
            }
            Self::Ended => f.write_str("the fetch of robots.txt ended without a result"),
        }
    }
}

impl Error for CheckError {}

impl From<OriginError> for CheckError {
    fn from(error: OriginError) -> Self {
        Self::InvalidUrl(error)
    }
}
