//! Why there is no record.

use std::fmt;

use verger::Untrusted;

/// Why a store has no record for an origin. Whatever the reason, the robots.txt has to be fetched; all
/// but [`Absent`](Self::Absent) are worth a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Miss {
    /// Nothing is kept for this origin.
    Absent,
    /// Something is, but not as it was written.
    Damaged,
    /// A newer version of the library has written it.
    Newer {
        /// The version of the record.
        version: u16,
    },
    /// It is whole, but belongs to another origin.
    Foreign {
        /// The origin that it says it belongs to.
        found: String,
    },
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("nothing is kept for this origin"),
            Self::Damaged => f.write_str("expected a whole record, but found a damaged one"),
            Self::Newer { version } => write!(
                f,
                "expected a record of version {} at most, but found version {version}",
                super::VERSION
            ),
            Self::Foreign { found } => write!(
                f,
                "expected a record of this origin, but found one of `{}`",
                Untrusted::new(found)
            ),
        }
    }
}
