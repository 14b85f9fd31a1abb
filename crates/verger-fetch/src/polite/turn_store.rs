//! Turns that several processes share: reservations with an expiry.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use verger::Origin;

use crate::store::Pending;

/// Grants turns: permissions to send one request to an origin.
///
/// All processes that share a store of turns are polite together. A worker reserves a turn, renews
/// it while its request runs, and releases it with the pause before the next one. If it dies, its
/// turn expires, and the pause begins then.
///
/// The store measures time by one clock, not by those of the workers. It fails instead of granting
/// a turn that may be too early: a failed call means no turn.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use verger_fetch::polite::{MemoryTurns, Reservation, TurnRequest, TurnStore};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let turns = MemoryTurns::new();
/// let origin = "https://shop.example".parse()?;
/// let (pause, hold) = (Duration::from_secs(10), Duration::from_secs(60));
///
/// let first = TurnRequest::new(pause, hold);
/// assert!(matches!(turns.reserve(&origin, &first).await?, Reservation::Granted { .. }));
/// let second = TurnRequest::new(pause, hold);
/// assert!(matches!(turns.reserve(&origin, &second).await?, Reservation::Wait(_)));
///
/// assert!(turns.release(&origin, first.id, pause).await?);
/// let Reservation::Wait(wait) = turns.reserve(&origin, &second).await? else { panic!() };
/// assert!(wait <= pause && wait > pause / 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TurnStore: fmt::Debug + Send + Sync {
    /// Reserves a turn, or returns the minimum wait for one. A repeated request with the id of a
    /// turn that is still held is granted again, so a caller can repeat a call that failed.
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a TurnRequest,
    ) -> Pending<'a, Reservation>;

    /// Extends a turn to this time from now. Returns false if it has expired or was released.
    fn renew<'a>(&'a self, origin: &'a Origin, id: TurnId, hold: Duration) -> Pending<'a, bool>;

    /// Ends a turn. The next one begins after this pause at the earliest. Returns false if the turn
    /// had expired; then the pause of its reservation counts from its expiry.
    fn release<'a>(&'a self, origin: &'a Origin, id: TurnId, pause: Duration) -> Pending<'a, bool>;
}

/// A request for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnRequest {
    /// The id of the turn, if it is granted.
    pub id: TurnId,
    /// The pause after the turn if it expires.
    pub pause: Duration,
    /// Time after which the turn expires unless it is renewed or released.
    pub hold: Duration,
    /// Maximum number of turns of the origin at a time.
    pub at_once: usize,
}

impl TurnRequest {
    /// A request with a random id, for one turn at a time.
    pub fn new(pause: Duration, hold: Duration) -> Self {
        Self { id: TurnId::random(), pause, hold, at_once: 1 }
    }
}

/// The result of [`TurnStore::reserve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a turn, or the wait for one")]
pub enum Reservation {
    /// One request may be sent now.
    Granted {
        /// Number of this turn among those of its origin: later turns have larger numbers.
        fence: u64,
        /// Time until it expires.
        left: Duration,
    },
    /// Minimum time until a turn is free: the rest of the pause, or the pause after the turn of
    /// another caller, which may be released at any time. Others that wait may get it first.
    Wait(Duration),
}

/// Identifies a turn: a random number, written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TurnId(u128);

impl TurnId {
    /// A random id. Nobody else can guess it.
    pub fn random() -> Self {
        // A hash of nothing under random keys is a random number.
        let half = || u128::from(RandomState::new().hash_one(()));
        Self(half() << 64 | half())
    }

    /// The id with a text; `None` if it is not that of an id.
    pub fn from_text(text: &str) -> Option<Self> {
        // The standard parser also accepts a sign.
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u128::from_str_radix(text, 16).ok().map(Self)).flatten()
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TurnId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_written() {
        let id = TurnId::random();
        assert_eq!(TurnId::from_text(&id.to_string()), Some(id));
        assert_ne!(id, TurnId::random());
        for text in
            ["", "0", "+0000000000000000000000000000000", "g0000000000000000000000000000000"]
        {
            assert_eq!(TurnId::from_text(text), None, "{text}");
        }
    }
}
