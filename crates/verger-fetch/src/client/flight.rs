//! One fetch for all who ask: flights by origin.
//!
//! A flight is a task of its own, so it lands whoever stops waiting for it. All under the lock is short
//! and never awaits.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use verger::Origin;

use super::CheckError;
use crate::limits::{
    Counted, FETCH_QUEUE, LISTEN, LISTEN_SHARE, LimitReached, SILENT_LISTENS, WAITING,
};
use crate::net::{Lend as _, Slot};
use crate::record::Record;

/// Where a flight is waited for.
#[derive(Clone, Debug)]
pub(super) struct Landing {
    result: watch::Receiver<Option<Landed>>,
    /// Goes on while the flight's runtime is driven.
    beat: Arc<AtomicU64>,
}

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
#[derive(Debug)]
pub(super) struct Flights {
    /// How often those who wait listen whether the flight's runtime is driven.
    listen: Duration,
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
    /// What its fetch occupies.
    slot: Option<Slot>,
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
    beat: Arc<AtomicU64>,
}

impl Flights {
    /// For fetches of so much time.
    pub(super) fn new(total: Duration) -> Self {
        let listen = (total / LISTEN_SHARE).clamp(LISTEN.least, LISTEN.most);
        Self { listen, under_way: Mutex::default(), waiting: AtomicUsize::new(0) }
    }

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
            let what = "fetches of robots.txt wait or run";
            return Err(CheckError::Busy(LimitReached::new(FETCH_QUEUE, what)));
        }
        let (result, receiver) = watch::channel(None);
        let beat = Arc::default();
        let landing = Landing { result: receiver, beat: Arc::clone(&beat) };
        let flight = Flight { landing: landing.clone(), wants, has_fetched: false, slot: None };
        under_way.insert(origin.clone(), flight);
        let seat = Seat { flights: Arc::clone(self), origin: origin.clone(), result, beat };
        Ok((Boarded::With(landing), Some(seat)))
    }

    /// Waits for the end of a flight. `None`: its task is gone, or its runtime is not driven any more, and
    /// somebody else has to fetch.
    pub(super) async fn wait(
        &self,
        origin: &Origin,
        landing: Landing,
    ) -> Result<Option<Arc<Record>>, CheckError> {
        let full = LimitReached::new(WAITING, "questions wait for a fetch");
        let _place = Counted::take(&self.waiting, full).map_err(CheckError::Busy)?;
        let Landing { mut result, beat } = landing;
        let (mut last, mut silent) = (beat.load(Ordering::Relaxed), 0);
        loop {
            tokio::select! {
                landed = result.wait_for(Option::is_some) => {
                    return landed.ok().and_then(|landed| landed.clone()).transpose();
                }
                () = sleep(self.listen) => {}
            }
            let now = beat.load(Ordering::Relaxed);
            silent = if now == last { silent + 1 } else { 0 };
            last = now;
            if silent >= SILENT_LISTENS {
                self.abandon(origin, &result);
                return Ok(None);
            }
        }
    }

    /// Makes room for the next flight of an origin in place of this one.
    fn abandon(&self, origin: &Origin, result: &watch::Receiver<Option<Landed>>) {
        let mut under_way = self.under_way();
        if under_way.get(origin).is_some_and(|flight| flight.landing.result.same_channel(result))
            && let Some(Flight { slot: Some(slot), .. }) = under_way.remove(origin)
        {
            // Whose runtime is not driven keeps it for nothing.
            slot.set_silent(true);
        }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<Origin, Flight>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Shows for ever that the flight's runtime is driven.
    pub(super) fn beats(&self) -> impl Future<Output = Infallible> + use<> {
        let (beat, pause) = (Arc::clone(&self.beat), self.flights.listen / 2);
        async move {
            loop {
                beat.fetch_add(1, Ordering::Relaxed);
                sleep(pause).await;
            }
        }
    }

    /// The end of the flight: who asks from now on finds the record in the store. Nobody can join a flight
    /// that has landed, or he would be told what held before he asked.
    pub(super) fn land(self, landed: Landed) {
        let result = self.result.clone();
        drop(self);
        result.send_replace(Some(landed));
    }

    /// The fetch of the flight has a slot from now on.
    pub(super) fn has_slot(&self, slot: &Slot) {
        if let Some(flight) = self.own(&mut self.flights.under_way()) {
            flight.slot = Some(slot.clone());
        }
    }

    /// The fetch of the flight has ended; what it brought is still to be kept.
    pub(super) fn has_fetched(&self) {
        if let Some(flight) = self.own(&mut self.flights.under_way()) {
            flight.has_fetched = true;
        }
    }

    /// The flight of this seat; another one may have taken its place.
    fn own<'f>(&self, under_way: &'f mut HashMap<Origin, Flight>) -> Option<&'f mut Flight> {
        let flight = under_way.get_mut(&self.origin)?;
        flight.landing.result.same_channel(&self.result.subscribe()).then_some(flight)
    }

    /// The end of a flight that found a record and need not fetch. Gives the seat back where somebody
    /// on board wants a fetch: from the look to the landing nobody can come on board.
    pub(super) fn land_without_fetch(self, record: Arc<Record>) -> Result<(), Self> {
        let mut under_way = self.flights.under_way();
        match self.own(&mut under_way).map(|flight| flight.wants) {
            Some(Wants::Fetch) => {
                drop(under_way);
                return Err(self);
            }
            Some(Wants::Answer) => drop(under_way.remove(&self.origin)),
            None => {}
        }
        drop(under_way);
        self.result.send_replace(Some(Ok(record)));
        Ok(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // After a landing there may be the next flight of this origin.
        self.flights.abandon(&self.origin, &self.result.subscribe());
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
        let flights = Arc::new(Flights::new(Duration::MAX));
        let mut seats: Vec<Seat> = (0..FETCH_QUEUE).map(|at| begun(&flights, at).1).collect();
        let one_more = flights.join(&origin(FETCH_QUEUE), Wants::Answer);
        let told = one_more.err().unwrap().to_string();
        let limit = format!("{FETCH_QUEUE} fetches of robots.txt wait or run already");
        assert_eq!(told, format!("{limit}, which is the limit"));
        assert!(is_joined(&flights, 0, Wants::Answer), "it is under way already");
        seats.pop();
        begun(&flights, FETCH_QUEUE);
    }

    #[tokio::test]
    async fn flight_that_has_landed_is_joined_by_nobody() {
        let flights = Arc::new(Flights::new(Duration::MAX));
        let (landing, seat) = begun(&flights, 0);
        seat.land(Err(CheckError::Ended));
        begun(&flights, 0);
        assert_eq!(flights.wait(&origin(0), landing).await.err(), Some(CheckError::Ended));
    }

    #[tokio::test]
    async fn flight_lands_without_a_fetch_only_where_nobody_on_board_wants_one() {
        let record = Arc::new(Record::new(origin(0)));
        for (joined, lands) in [(Wants::Answer, true), (Wants::Fetch, false)] {
            let flights = Arc::new(Flights::new(Duration::MAX));
            let (landing, seat) = begun(&flights, 0);
            assert!(is_joined(&flights, 0, joined));
            let landed = seat.land_without_fetch(Arc::clone(&record));
            assert_eq!((landed.is_ok(), landing.result.borrow().is_some()), (lands, lands));
        }
    }

    #[tokio::test]
    async fn who_wants_a_fetch_is_too_late_for_one_that_has_ended() {
        let flights = Arc::new(Flights::new(Duration::MAX));
        let (_, seat) = begun(&flights, 0);
        assert!(is_joined(&flights, 0, Wants::Fetch));
        seat.has_fetched();
        let late = flights.join(&origin(0), Wants::Fetch);
        assert!(matches!(late, Ok((Boarded::TooLate(_), None))), "{late:?}");
        assert!(is_joined(&flights, 0, Wants::Answer));
    }

    #[tokio::test]
    async fn end_of_a_flight_does_not_end_the_next() {
        let flights = Arc::new(Flights::new(Duration::MAX));
        let (_, first) = begun(&flights, 0);
        let (_, second) = {
            flights.under_way().remove(&origin(0));
            begun(&flights, 0)
        };
        flights.under_way().remove(&origin(0));
        let (next, _seat) = begun(&flights, 0);
        first.has_fetched();
        assert!(is_joined(&flights, 0, Wants::Fetch), "it is the first that has fetched");
        drop(first);
        second.land_without_fetch(Arc::new(Record::new(origin(0)))).unwrap();
        let joined = flights.join(&origin(0), Wants::Answer);
        let Ok((Boarded::With(joined), None)) = joined else { panic!("{joined:?}") };
        assert!(joined.result.same_channel(&next.result));
    }

    #[tokio::test]
    async fn questions_that_wait_are_bounded() {
        let flights = Arc::new(Flights::new(Duration::MAX));
        let (landing, seat) = begun(&flights, 0);
        flights.waiting.store(WAITING, Ordering::Relaxed);
        let busy = flights.wait(&origin(0), landing.clone()).await;
        assert!(matches!(busy, Err(CheckError::Busy(_))));
        flights.waiting.store(WAITING - 1, Ordering::Relaxed);
        drop(seat);
        assert!(matches!(flights.wait(&origin(0), landing).await, Ok(None)));
        assert_eq!(flights.waiting.load(Ordering::Relaxed), WAITING - 1);
    }

    #[tokio::test(start_paused = true)]
    async fn flight_whose_runtime_is_not_driven_makes_room_for_another() {
        let flights = Arc::new(Flights::new(Duration::MAX));
        let (landing, seat) = begun(&flights, 0);
        // Nobody polls its beats.
        assert!(matches!(flights.wait(&origin(0), landing).await, Ok(None)));
        let (landing, next) = begun(&flights, 0);
        drop(seat);
        assert!(is_joined(&flights, 0, Wants::Answer), "the old flight does not end the new one");
        let record = Arc::new(Record::new(origin(0)));
        let beats = next.beats();
        let land = async {
            sleep(LISTEN.most * 10).await;
            next.land(Ok(record));
        };
        let waited = async { flights.wait(&origin(0), landing).await };
        tokio::select! {
            never = beats => match never {},
            (waited, ()) = async { tokio::join!(waited, land) } => {
                assert!(matches!(waited, Ok(Some(_))));
            }
        }
    }
}
