//! The error of a check.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use verger::OriginError;

use crate::limits::LimitReached;

/// A check without a decision. Do not fetch the URL.
///
/// It says nothing about robots.txt: a disallowed URL and an unreachable site are decisions
/// ([module](super#errors-and-decisions)).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckError {
    /// A limit of this client was reached: waiting or running fetches, callers that wait for one
    /// ([`FETCH_QUEUE`](crate::limits::FETCH_QUEUE), [`FETCHES`](crate::limits::FETCHES),
    /// [`WAITING`](crate::limits::WAITING)), or connections to one address. Try again later.
    Busy(LimitReached),
    /// No answer within [`TOTAL`](crate::limits::TOTAL) plus a tenth: other fetches came first, or
    /// the store was slow. Or the decision of a turn expired during the wait and its time is used
    /// up ([`Politeness::with_longest_wait`](crate::polite::Politeness::with_longest_wait)). A
    /// fetch that has begun continues, so try again soon.
    Late(Duration),
    /// The text is not a URL with a valid origin.
    InvalidUrl(OriginError),
    /// The fetch ended without a valid result: its runtime ended, it panicked, or the clock was set
    /// and the result had expired.
    Ended,
}

impl CheckError {
    /// Whether the same check can succeed later: true for every error except an invalid URL.
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
