//! One fetch for all who ask: flights by origin.
//!
//! A flight is a task of its own, so it lands whoever stops waiting for it. All under the lock is short
//! and never awaits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use verger::Origin;

use super::CheckError;
use crate::limits::{FETCH_QUEUE, WAITING};
use crate::record::Record;

/// Where a flight is waited for.
pub(super) type Landing = watch::Receiver<Option<Landed>>;

/// How a flight ended.
pub(super) type Landed = Result<Arc<Record>, CheckError>;

/// What a question wants of a flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// A record that may answer, whoever fetched it.
    Answer,
    /// One that is fetched now.
    Fetch,
}

/// The fetches that are under way, or wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Flights {
    under_way: Mutex<HashMap<Origin, Flight>>,
    waiting: AtomicUsize,
}

#[derive(Debug)]
struct Flight {
    landing: Landing,
    /// What the most demanding of its passengers wants.
    wants: Wants,
    /// Whether its fetch has ended: who asks for one now asks for another.
    has_fetched: bool,
}

/// What a question waits for.
#[derive(Debug)]
pub(super) enum Boarded {
    /// The landing of its flight.
    With(Landing),
    /// The landing of one that comes too early; then it takes the next.
    TooLate(Landing),
}

/// The place of one flight; leaving it ends the flight for all who wait.
#[derive(Debug)]
pub(super) struct Seat {
    flights: Arc<Flights>,
    origin: Origin,
    result: watch::Sender<Option<Landed>>,
}

impl Flights {
    /// The flight of an origin, and the seat in it when it has to be begun.
    pub(super) fn join(
        self: &Arc<Self>,
        origin: &Origin,
        wants: Wants,
    ) -> Result<(Boarded, Option<Seat>), CheckError> {
        let mut under_way = self.under_way();
        if let Some(flight) = under_way.get_mut(origin) {
            let landing = flight.landing.clone();
            if wants == Wants::Fetch {
                if flight.has_fetched {
                    return Ok((Boarded::TooLate(landing), None));
                }
                flight.wants = wants;
            }
            return Ok((Boarded::With(landing), None));
        }
        if under_way.len() >= FETCH_QUEUE {
            return Err(CheckError::Busy);
        }
        let (result, landing) = watch::channel(None);
        let flight = Flight { landing: landing.clone(), wants, has_fetched: false };
        under_way.insert(origin.clone(), flight);
        let seat = Seat { flights: Arc::clone(self), origin: origin.clone(), result };
        Ok((Boarded::With(landing), Some(seat)))
    }

    /// Waits for the end of a flight.
    pub(super) async fn wait(&self, mut landing: Landing) -> Result<Arc<Record>, CheckError> {
        let _place = Waiting::take(&self.waiting)?;
        let landed = landing.wait_for(Option::is_some).await.map_err(|_| CheckError::Ended)?;
        landed.clone().unwrap_or(Err(CheckError::Ended))
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<Origin, Flight>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// The end of the flight: who asks from now on finds the record in the store. Nobody can join a flight
    /// that has landed, or he would be told what held before he asked.
    pub(super) fn land(self, landed: Landed) {
        let result = self.result.clone();
        drop(self);
        result.send_replace(Some(landed));
    }

    /// The fetch of the flight has ended; what it brought is still to be kept.
    pub(super) fn has_fetched(&self) {
        if let Some(flight) = self.flights.under_way().get_mut(&self.origin) {
            flight.has_fetched = true;
        }
    }

    /// The end of a flight that found a record and need not fetch. Gives the seat back where somebody
    /// on board wants a fetch: from the look to the landing nobody can come on board.
    pub(super) fn land_without_fetch(self, record: Arc<Record>) -> Result<(), Self> {
        let mut under_way = self.flights.under_way();
        if under_way.get(&self.origin).is_some_and(|flight| flight.wants == Wants::Fetch) {
            drop(under_way);
            return Err(self);
        }
        under_way.remove(&self.origin);
        drop(under_way);
        self.result.send_replace(Some(Ok(record)));
        Ok(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut under_way = self.flights.under_way();
        let ours = self.result.subscribe();
        // After a landing there may be the next flight of this origin.
        if under_way.get(&self.origin).is_some_and(|flight| flight.landing.same_channel(&ours)) {
            under_way.remove(&self.origin);
        }
    }
}

/// A question that waits, counted for as long as it does.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn take(count: &'a AtomicUsize) -> Result<Self, CheckError> {
        let waiting = Self(count);
        let before = count.fetch_add(1, Ordering::Relaxed);
        if before >= WAITING { Err(CheckError::Busy) } else { Ok(waiting) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(flights: &Arc<Flights>, at: usize) -> (Landing, Seat) {
        match flights.join(&origin(at), Wants::Answer) {
            Ok((Boarded::With(landing), Some(seat))) => (landing, seat),
            other => panic!("{other:?}"),
        }
    }

    fn origin(at: usize) -> Origin {
        Origin::from_parts("http", &format!("h{at}.example"), None).unwrap()
    }

    fn is_joined(flights: &Arc<Flights>, at: usize, wants: Wants) -> bool {
        matches!(flights.join(&origin(at), wants), Ok((Boarded::With(_), None)))
    }

    #[test]
    fn queue_is_bounded_and_those_who_leave_it_make_room() {
        let flights = Arc::new(Flights::default());
        let mut seats: Vec<Seat> = (0..FETCH_QUEUE).map(|at| begun(&flights, at).1).collect();
        let one_more = flights.join(&origin(FETCH_QUEUE), Wants::Answer);
        assert_eq!(one_more.err(), Some(CheckError::Busy));
        assert!(is_joined(&flights, 0, Wants::Answer), "it is under way already");
        seats.pop();
        begun(&flights, FETCH_QUEUE);
    }

    #[tokio::test]
    async fn flight_that_has_landed_is_joined_by_nobody() {
        let flights = Arc::new(Flights::default());
        let (landing, seat) = begun(&flights, 0);
        seat.land(Err(CheckError::Busy));
        begun(&flights, 0);
        assert_eq!(flights.wait(landing).await.err(), Some(CheckError::Busy));
    }

    #[tokio::test]
    async fn flight_lands_without_a_fetch_only_where_nobody_on_board_wants_one() {
        let record = Arc::new(Record::new(origin(0)));
        for (joined, lands) in [(Wants::Answer, true), (Wants::Fetch, false)] {
            let flights = Arc::new(Flights::default());
            let (landing, seat) = begun(&flights, 0);
            assert!(is_joined(&flights, 0, joined));
            let landed = seat.land_without_fetch(Arc::clone(&record));
            assert_eq!((landed.is_ok(), landing.borrow().is_some()), (lands, lands));
        }
    }

    #[tokio::test]
    async fn who_wants_a_fetch_is_too_late_for_one_that_has_ended() {
        let flights = Arc::new(Flights::default());
        let (_, seat) = begun(&flights, 0);
        assert!(is_joined(&flights, 0, Wants::Fetch));
        seat.has_fetched();
        let late = flights.join(&origin(0), Wants::Fetch);
        assert!(matches!(late, Ok((Boarded::TooLate(_), None))), "{late:?}");
        assert!(is_joined(&flights, 0, Wants::Answer));
    }

    #[tokio::test]
    async fn end_of_a_flight_does_not_end_the_next() {
        let flights = Arc::new(Flights::default());
        let (_, first) = begun(&flights, 0);
        flights.under_way().remove(&origin(0));
        let (next, _seat) = begun(&flights, 0);
        drop(first);
        let joined = flights.join(&origin(0), Wants::Answer);
        let Ok((Boarded::With(joined), None)) = joined else { panic!("{joined:?}") };
        assert!(joined.same_channel(&next));
    }

    #[tokio::test]
    async fn questions_that_wait_are_bounded() {
        let flights = Arc::new(Flights::default());
        let (landing, seat) = begun(&flights, 0);
        flights.waiting.store(WAITING, Ordering::Relaxed);
        assert_eq!(flights.wait(landing.clone()).await.err(), Some(CheckError::Busy));
        flights.waiting.store(WAITING - 1, Ordering::Relaxed);
        drop(seat);
        assert_eq!(flights.wait(landing).await.err(), Some(CheckError::Ended));
        assert_eq!(flights.waiting.load(Ordering::Relaxed), WAITING - 1);
    }
}
