//! Turns of one process.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;
use verger::Origin;

use super::turn_store::{Reservation, TurnId, TurnRequest, TurnStore};
use crate::limits::{LONGEST_TURN_PAUSE, TURN_CHECK, TURN_HOLD, TURN_ORIGINS};
use crate::lock;
use crate::store::{Pending, StoreError, StoreErrorKind};

/// Turns in memory, for the workers of one process.
///
/// # Complexity
///
/// Each call is linear in the turns of the origin; once for each 100,000 calls also in the
/// number of origins.
#[derive(Debug, Default)]
pub struct MemoryTurns(Mutex<Origins>);

#[derive(Debug, Default)]
struct Origins {
    turns: HashMap<Origin, Turns>,
    fence: u64,
}

#[derive(Debug)]
struct Turns {
    held: Vec<Held>,
    /// End of the pause after the last turn.
    opens_at: Instant,
}

#[derive(Debug)]
struct Held {
    id: TurnId,
    fence: u64,
    expires_at: Instant,
    /// The pause from the expiry on.
    pause: Duration,
}

impl MemoryTurns {
    /// No turns.
    pub fn new() -> Self {
        Self::default()
    }

    /// The turns of an origin in use, without expired ones.
    fn with<T>(
        &self,
        origin: &Origin,
        now: Instant,
        act: impl FnOnce(&mut Turns) -> T,
    ) -> Option<T> {
        let mut origins: MutexGuard<'_, Origins> = lock(&self.0);
        let turns = origins.turns.get_mut(origin)?;
        turns.expire(now);
        Some(act(turns))
    }
}

impl Held {
    /// Minimum wait for the next turn: this one can be released at any time, and its pause follows.
    fn wait(&self, now: Instant) -> Duration {
        (self.expires_at - now + self.pause).min(self.pause.max(TURN_CHECK))
    }
}

impl Turns {
    fn expire(&mut self, now: Instant) {
        let Self { held, opens_at } = self;
        held.retain(|turn| {
            let is_held = turn.expires_at > now;
            if !is_held {
                *opens_at = (*opens_at).max(turn.expires_at + turn.pause);
            }
            is_held
        });
    }

    fn is_idle(&mut self, now: Instant) -> bool {
        self.expire(now);
        self.held.is_empty() && self.opens_at <= now
    }
}

impl Origins {
    fn reserve(
        &mut self,
        origin: &Origin,
        request: &TurnRequest,
        now: Instant,
    ) -> Result<Reservation, StoreError> {
        if !self.turns.contains_key(origin) && self.turns.len() >= TURN_ORIGINS {
            self.turns.retain(|_, turns| !turns.is_idle(now));
            if self.turns.len() >= TURN_ORIGINS {
                let message = format!("{TURN_ORIGINS} origins have turns or pauses already");
                return Err(StoreError::new(StoreErrorKind::Full, message));
            }
        }
        let new = || Turns { held: Vec::new(), opens_at: now };
        let turns = self.turns.entry(origin.clone()).or_insert_with(new);
        turns.expire(now);
        let hold = request.hold.min(TURN_HOLD.most);
        if let Some(turn) = turns.held.iter().find(|turn| turn.id == request.id) {
            return Ok(Reservation::Granted { fence: turn.fence, left: turn.expires_at - now });
        }
        if turns.opens_at > now {
            return Ok(Reservation::Wait(turns.opens_at - now));
        }
        if turns.held.len() >= request.at_once.max(1) {
            let first = turns.held.iter().map(|turn| turn.wait(now)).min();
            return Ok(Reservation::Wait(first.unwrap_or_default()));
        }
        self.fence += 1;
        let (id, fence) = (request.id, self.fence);
        let pause = request.pause.min(LONGEST_TURN_PAUSE);
        turns.held.push(Held { id, fence, expires_at: now + hold, pause });
        Ok(Reservation::Granted { fence, left: hold })
    }
}

impl TurnStore for MemoryTurns {
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a TurnRequest,
    ) -> Pending<'a, Reservation> {
        Box::pin(ready(lock(&self.0).reserve(origin, request, Instant::now())))
    }

    fn renew<'a>(&'a self, origin: &'a Origin, id: TurnId, hold: Duration) -> Pending<'a, bool> {
        let now = Instant::now();
        let renewed = self.with(origin, now, |turns| {
            let turn = turns.held.iter_mut().find(|turn| turn.id == id)?;
            turn.expires_at = now + hold.min(TURN_HOLD.most);
            Some(())
        });
        Box::pin(ready(Ok(renewed.flatten().is_some())))
    }

    fn release<'a>(&'a self, origin: &'a Origin, id: TurnId, pause: Duration) -> Pending<'a, bool> {
        let now = Instant::now();
        let released = self.with(origin, now, |turns| {
            let at = turns.held.iter().position(|turn| turn.id == id)?;
            turns.held.swap_remove(at);
            turns.opens_at = turns.opens_at.max(now + pause.min(LONGEST_TURN_PAUSE));
            Some(())
        });
        Box::pin(ready(Ok(released.flatten().is_some())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const SECOND: Duration = Duration::from_secs(1);

    fn origin(number: usize) -> Origin {
        Origin::from_parts("https", &format!("{number}.example"), None).unwrap()
    }

    async fn reserve(turns: &MemoryTurns, request: &TurnRequest) -> Reservation {
        turns.reserve(&origin(0), request).await.unwrap()
    }

    async fn is_granted(turns: &MemoryTurns, request: &TurnRequest) -> bool {
        matches!(reserve(turns, request).await, Reservation::Granted { .. })
    }

    #[tokio::test(start_paused = true)]
    async fn the_pause_begins_at_the_release() {
        let turns = MemoryTurns::new();
        let [first, second] = [0; 2].map(|_| TurnRequest::new(SECOND * 10, SECOND * 60));
        assert!(is_granted(&turns, &first).await);
        advance(SECOND * 5).await;
        assert_eq!(reserve(&turns, &second).await, Reservation::Wait(SECOND * 10));
        assert!(turns.release(&origin(0), first.id, SECOND * 20).await.unwrap());
        assert!(!turns.release(&origin(0), first.id, SECOND * 20).await.unwrap());
        assert_eq!(reserve(&turns, &second).await, Reservation::Wait(SECOND * 20));
        advance(SECOND * 20).await;
        assert!(is_granted(&turns, &second).await);
    }

    #[tokio::test(start_paused = true)]
    async fn the_pause_of_an_expired_turn_begins_at_its_expiry() {
        let turns = MemoryTurns::new();
        let [first, second] = [0; 2].map(|_| TurnRequest::new(SECOND * 10, SECOND * 60));
        assert!(is_granted(&turns, &first).await);
        advance(SECOND * 50).await;
        assert!(turns.renew(&origin(0), first.id, SECOND * 60).await.unwrap());
        advance(SECOND * 61).await;
        assert_eq!(reserve(&turns, &second).await, Reservation::Wait(SECOND * 9));
        assert!(!turns.renew(&origin(0), first.id, SECOND).await.unwrap());
        assert!(!turns.release(&origin(0), first.id, Duration::ZERO).await.unwrap());
        advance(SECOND * 9).await;
        assert!(is_granted(&turns, &second).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_repeated_reservation_is_the_same_turn() {
        let turns = MemoryTurns::new();
        let request = TurnRequest::new(SECOND, SECOND * 60);
        let first = reserve(&turns, &request).await;
        assert_eq!(reserve(&turns, &request).await, first);
    }

    #[tokio::test(start_paused = true)]
    async fn several_turns_at_a_time_are_possible() {
        let turns = MemoryTurns::new();
        let request = || TurnRequest { at_once: 2, ..TurnRequest::new(SECOND, SECOND * 60) };
        let (first, second, third) = (request(), request(), request());
        assert!(is_granted(&turns, &first).await && is_granted(&turns, &second).await);
        assert_eq!(reserve(&turns, &third).await, Reservation::Wait(SECOND));
        turns.release(&origin(0), first.id, SECOND).await.unwrap();
        assert_eq!(reserve(&turns, &third).await, Reservation::Wait(SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded_and_ended_pauses_make_room() {
        let turns = MemoryTurns::new();
        let reserve =
            async |number| turns.reserve(&origin(number), &TurnRequest::new(SECOND, SECOND)).await;
        for number in 0..TURN_ORIGINS {
            reserve(number).await.unwrap();
        }
        assert_eq!(reserve(TURN_ORIGINS).await.unwrap_err().kind(), StoreErrorKind::Full);
        advance(SECOND * 2).await;
        assert!(reserve(TURN_ORIGINS).await.is_ok());
        assert_eq!(lock(&turns.0).turns.len(), 1);
    }
}
