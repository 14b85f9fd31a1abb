//! A state as bytes, for stores.
//!
//! # Layout
//!
//! | bytes | contents |
//! |---|---|
//! | 0 | version, 2 |
//! | 1 | result: 0 none, 1 rules, 2 allow all, 3 disallow all |
//! | 2 | reason for a result without rules: 0 none, 1 unavailable, 2 unreachable, 3 redirect limit |
//! | 3 | outage: 0 none, else its reason, as above |
//! | 4 to 7 | consecutive failures |
//! | 8 to 47 | five times in seconds since 1970: fetched, fresh until, failing since, last try, next try |
//! | 48 to 55 | length of the outage in seconds, counted over failed fetches |
//!
//! Numbers are little-endian. Fields that do not apply are 0. Each state has one encoding, and only
//! states that fetches can produce are valid.

use core::time::Duration;

use super::state::{Cause, LastResult, Outage, Result, State};
use super::time::Timestamp;
use crate::limits;

impl State {
    /// Number of bytes that [`encode`](Self::encode) writes.
    pub const BYTES: usize = 56;

    /// The state as bytes, the same on every machine.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Outcome, Profile, State, Timestamp};
    ///
    /// let now = Timestamp::from_seconds(1_700_000_000);
    /// let state = State::UNKNOWN.after(&Profile::RFC9309, Outcome::Status(404), now);
    /// assert_eq!(State::decode(&state.encode()), Some(state));
    /// assert_eq!(State::decode(b"damaged"), None);
    /// ```
    pub fn encode(self) -> [u8; Self::BYTES] {
        let (result, cause) = match self.last.map(|last| last.result) {
            None => (0, 0),
            Some(Result::Rules) => (1, 0),
            Some(Result::AllowAll(cause)) => (2, cause.code()),
            Some(Result::DisallowAll(cause)) => (3, cause.code()),
        };
        let outage = self.outage.map_or(0, |outage| outage.cause.code());
        let times = [
            self.last.map(|last| last.fetched_at),
            self.last.map(|last| last.fresh_until),
            self.outage.map(|outage| outage.since),
            self.outage.map(|outage| outage.tried_at),
            self.outage.map(|outage| outage.next_try),
        ];
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&[VERSION, result, cause, outage]);
        bytes[4..8].copy_from_slice(&self.failures().to_le_bytes());
        for (place, time) in bytes[8..48].chunks_exact_mut(8).zip(times) {
            place.copy_from_slice(&time.unwrap_or_default().seconds().to_le_bytes());
        }
        bytes[48..].copy_from_slice(&self.outage_length().as_secs().to_le_bytes());
        bytes
    }

    /// Decodes the result of [`encode`](Self::encode). `None` for anything else: another length or
    /// version, and states that no fetches can produce.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let whole: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let [_, result, cause, outage, f0, f1, f2, f3, ..] = *whole;
        let cause = Cause::of_code(cause);
        let result = match (result, cause) {
            (0, None) => None,
            (1, None) => Some(Result::Rules),
            (2, Some(cause)) => Some(Result::AllowAll(cause)),
            (3, Some(cause)) => Some(Result::DisallowAll(cause)),
            _ => return None,
        };
        let mut numbers = [0; 6];
        for (number, place) in numbers.iter_mut().zip(whole[8..].chunks_exact(8)) {
            *number = u64::from_le_bytes(place.try_into().ok()?);
        }
        let [fetched_at, fresh_until, since, tried_at, next_try, _] =
            numbers.map(Timestamp::from_seconds);
        let last = result.map(|result| LastResult { result, fetched_at, fresh_until });
        let failures = u32::from_le_bytes([f0, f1, f2, f3]);
        let outage = Cause::of_code(outage).map(|cause| Outage {
            cause,
            since,
            tried_at,
            next_try,
            failures,
            counted: Duration::from_secs(numbers[5]),
        });
        let state = Self { last, outage };
        // Another version, fields that do not apply but are not 0, and invalid codes have another
        // encoding.
        (state.is_possible() && state.encode() == *whole).then_some(state)
    }

    fn is_possible(&self) -> bool {
        let last = self.last.is_none_or(|last| {
            let is_bounded = last.fresh_until <= last.fetched_at.after(limits::FRESHNESS);
            last.fetched_at <= last.fresh_until && is_bounded
        });
        let outage = self.outage.is_none_or(|outage| {
            let is_copy = self.last.is_none_or(|last| {
                last.result == Result::Rules && last.fetched_at <= outage.tried_at
            });
            let longest = limits::RETRY + limits::RETRY / 5;
            let is_bounded = outage.next_try <= outage.tried_at.after(longest);
            let is_ordered = outage.since <= outage.tried_at && outage.tried_at <= outage.next_try;
            let is_counted = outage.failures.checked_sub(1).is_some_and(|gaps| {
                outage.counted <= limits::OUTAGE_GAP.saturating_mul(gaps) || gaps == u32::MAX - 1
            });
            is_copy && is_ordered && is_bounded && is_counted
        });
        last && outage
    }
}

impl Cause {
    const fn code(self) -> u8 {
        match self {
            Self::Unavailable => 1,
            Self::Unreachable => 2,
            Self::RedirectLimit => 3,
        }
    }

    const fn of_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Unavailable),
            2 => Some(Self::Unreachable),
            3 => Some(Self::RedirectLimit),
            _ => None,
        }
    }
}

const VERSION: u8 = 2;
