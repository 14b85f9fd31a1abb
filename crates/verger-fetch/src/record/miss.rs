//! Reasons for the absence of a record.

use std::fmt;

use verger::Untrusted;

/// The reason why a store has no record for an origin. The robots.txt must be fetched in any case;
/// all reasons but [`Absent`](Self::Absent) deserve a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Miss {
    /// The store has no record for this origin.
    Absent,
    /// The record is not as it was written.
    Damaged,
    /// A newer version of the library wrote the record.
    Newer {
        /// The version of the record.
        version: u16,
    },
    /// The record belongs to another origin.
    Foreign {
        /// The origin of the record.
        found: String,
    },
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("no record of this origin is stored"),
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
