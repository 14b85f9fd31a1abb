//! Why there is no decision.

use std::error::Error;
use std::fmt;

use verger::OriginError;

/// Why a question got no answer. Nothing may be fetched then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckError {
    /// As many fetches, in all or at one address, or as many questions that wait for one, as there may
    /// be: ask again later.
    Busy,
    /// The text is no URL that could be asked for.
    InvalidUrl(OriginError),
    /// The fetch that the question waited for ended with its runtime, or with a panic, or what it brought
    /// held no more when it came: the clock was turned.
    Ended,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("too many robots.txt files are being fetched already"),
            Self::InvalidUrl(error) => error.fmt(f),
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
