//! The shared record of an origin, and the one of this client alone; reasons for its absence.

use std::fmt;
use std::sync::Arc;

use verger::Untrusted;

use super::OriginRecord;

/// All records of an origin in a client.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a shared record and the client's own")]
pub struct Records {
    /// The record of the store.
    pub shared: Option<Arc<OriginRecord>>,
    /// The client's own record ([`Next::own`](super::Next::own)).
    pub own: Option<Arc<OriginRecord>>,
    /// Whether the store may have a record that was not read: its read failed, or the record has a
    /// newer version. It is not overwritten.
    pub is_unread: bool,
}

impl Records {
    /// The record for an answer: the client's own, unless there was a later fetch for all clients.
    pub fn answer(&self) -> Option<Arc<OriginRecord>> {
        let Self { shared, own, .. } = self;
        let tried_at = shared.as_ref().map(|shared| shared.tried_at()).unwrap_or_default();
        let own = own.as_ref().filter(|own| own.based_on == tried_at);
        let back_off = shared.as_ref().and_then(|shared| shared.back_off());
        match own {
            // Only the shared record is up to date.
            Some(own) if own.back_off() != back_off => {
                Some(Arc::new(OriginRecord::clone(own).with_back_off(back_off)))
            }
            own => own.or(shared.as_ref()).cloned(),
        }
    }
}

/// The reason why a store has no record for an origin. The robots.txt must be fetched in any case;
/// all reasons but [`Absent`](Self::Absent) deserve a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Miss {
    /// The store has no record with this key.
    Absent,
    /// The record is not as it was written.
    Damaged,
    /// A newer version of the library wrote the record.
    Newer {
        /// The version of the record.
        version: u16,
    },
    /// The record belongs to another key.
    Foreign {
        /// The text of that key.
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
                "expected another record, but found that of {}",
                Untrusted::new(found).quoted()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use verger::Origin;
    use verger::access::{Outcome, Profile, Timestamp};

    use super::*;
    use crate::record::{Attempt, BackOff, ReadOptions, Response};

    #[test]
    fn a_clients_own_record_has_the_back_off_of_the_shared_one() {
        let origin = Origin::from_parts("https", "shop.example", None).unwrap();
        let options = ReadOptions::new(Profile::RFC9309);
        let now = Timestamp::from_seconds(1_000_000);
        for outcome in [Outcome::DisallowedHop, Outcome::LocalFault] {
            let shared = OriginRecord::new(options.key(&origin));
            let mut attempt = Attempt::new(Response::new(now, outcome, origin.robots_url()));
            attempt.is_local = true;
            let own = shared.after(None, &options, attempt, 0).own.map(Arc::new);
            assert!(own.is_some());
            let back_off =
                Some(BackOff { until: now.after(options.profile().retry_first), refusals: 1 });
            for back_off in [back_off, None] {
                let shared = Some(Arc::new(shared.clone().with_back_off(back_off)));
                let records = Records { shared, own: own.clone(), is_unread: false };
                let answer = records.answer().unwrap();
                assert_eq!(answer.back_off(), back_off);
                assert_eq!(answer.tried_at(), now, "it is the client's own");
            }
        }
    }
}
