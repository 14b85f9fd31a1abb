//! One fetch of robots.txt per origin, shared by all callers that need it (single flight).
//!
//! Each fetch runs in a separate task, so it completes even if its callers stop waiting. The lock
//! is held only for short work without `await`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use verger::Origin;

use super::CheckError;
use crate::limits::{
    FETCH_QUEUE, HEARTBEAT, HEARTBEAT_SHARE, LimitReached, MISSED_HEARTBEATS, WAITING,
};
use crate::lock;
use crate::net::{Counted, Lend as _, Slot};
use crate::record::OriginRecord;

/// The fetches that run or wait for a slot, by origin.
#[derive(Debug)]
pub(super) struct SingleFlight {
    /// Interval at which waiting callers check the heartbeat of a fetch.
    heartbeat: Duration,
    flights: Mutex<HashMap<Origin, Flight>>,
    waiting: AtomicUsize,
}

/// One fetch.
#[derive(Debug)]
struct Flight {
    waiter: Waiter,
    /// The strongest need of its callers.
    need: Need,
    /// Whether the request has ended. A caller that needs a new fetch then waits for the next one.
    has_fetched: bool,
    /// The slot of the fetch among all fetches.
    slot: Option<Slot>,
}

/// The requirement of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// A record valid now; another process may have fetched it.
    OriginRecord,
    /// A newly fetched record.
    Fetch,
}

/// The receiving end of a fetch.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    result: watch::Receiver<Option<FetchResult>>,
    /// Increases while the runtime of the fetch runs.
    heartbeat: Arc<AtomicU64>,
}

/// The result of a fetch, as all its callers get it.
pub(super) type FetchResult = Result<Arc<OriginRecord>, CheckError>;

/// The fetch that a caller waits for.
#[derive(Debug)]
pub(super) enum Joined {
    /// The current one.
    Current(Waiter),
    /// The next one, after the current one, whose request was sent before this call.
    Next(Waiter),
}

/// The sending end of a fetch, held by the task that runs it. Dropping it ends the fetch without a
/// result.
#[derive(Debug)]
pub(super) struct Leader {
    single_flight: Arc<SingleFlight>,
    origin: Origin,
    result: watch::Sender<Option<FetchResult>>,
    heartbeat: Arc<AtomicU64>,
}

/// The work of a client now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Load {
    /// Origins whose robots.txt is fetched or waits for it.
    pub fetches: usize,
    /// Checks that wait for a fetch.
    pub waiting: usize,
}

impl SingleFlight {
    /// For fetches that take at most `total`.
    pub(super) fn new(total: Duration) -> Self {
        let heartbeat = (total / HEARTBEAT_SHARE).clamp(HEARTBEAT.least, HEARTBEAT.most);
        Self { heartbeat, flights: Mutex::default(), waiting: AtomicUsize::new(0) }
    }

    /// The number of fetches and of callers that wait for them.
    pub(super) fn load(&self) -> Load {
        let fetches = lock(&self.flights).len();
        Load { fetches, waiting: self.waiting.load(Ordering::Relaxed) }
    }

    /// Joins the fetch of an origin. If there is none, the caller gets the leader of a new one and
    /// must run it.
    pub(super) fn join(
        self: &Arc<Self>,
        origin: &Origin,
        need: Need,
    ) -> Result<(Joined, Option<Leader>), CheckError> {
        let mut flights = lock(&self.flights);
        if let Some(flight) = flights.get_mut(origin) {
            let waiter = flight.waiter.clone();
            if need == Need::Fetch {
                if flight.has_fetched {
                    return Ok((Joined::Next(waiter), None));
                }
                flight.need = need;
            }
            return Ok((Joined::Current(waiter), None));
        }
        if flights.len() >= FETCH_QUEUE {
            let what = "fetches of robots.txt wait or run";
            return Err(CheckError::Busy(LimitReached::new(FETCH_QUEUE, what)));
        }
        let (result, receiver) = watch::channel(None);
        let heartbeat = Arc::default();
        let waiter = Waiter { result: receiver, heartbeat: Arc::clone(&heartbeat) };
        let flight = Flight { waiter: waiter.clone(), need, has_fetched: false, slot: None };
        flights.insert(origin.clone(), flight);
        let leader =
            Leader { single_flight: Arc::clone(self), origin: origin.clone(), result, heartbeat };
        Ok((Joined::Current(waiter), Some(leader)))
    }

    /// Waits for the result of a fetch. `None`: its task is gone or its runtime has stopped, so the
    /// caller must fetch.
    pub(super) async fn wait(
        &self,
        origin: &Origin,
        waiter: Waiter,
    ) -> Result<Option<Arc<OriginRecord>>, CheckError> {
        let full = LimitReached::new(WAITING, "checks wait for a fetch");
        let _place = Counted::take(&self.waiting, full).map_err(CheckError::Busy)?;
        let Waiter { mut result, heartbeat } = waiter;
        let (mut last, mut missed) = (heartbeat.load(Ordering::Relaxed), 0);
        loop {
            tokio::select! {
                ended = result.wait_for(Option::is_some) => {
                    return ended.ok().and_then(|result| result.clone()).transpose();
                }
                () = sleep(self.heartbeat) => {}
            }
            let now = heartbeat.load(Ordering::Relaxed);
            missed = if now == last { missed + 1 } else { 0 };
            last = now;
            if missed >= MISSED_HEARTBEATS {
                self.abandon(origin, &result);
                return Ok(None);
            }
        }
    }

    /// Removes a fetch, so that the next caller starts another.
    fn abandon(&self, origin: &Origin, result: &watch::Receiver<Option<FetchResult>>) {
        let mut flights = lock(&self.flights);
        if flights.get(origin).is_some_and(|flight| flight.waiter.result.same_channel(result))
            && let Some(Flight { slot: Some(slot), .. }) = flights.remove(origin)
        {
            // A runtime that has stopped does not use its slot.
            slot.set_silent(true);
        }
    }
}

impl Leader {
    /// Increments until it is dropped, which shows that the runtime of the fetch runs.
    pub(super) fn heartbeat(&self) -> impl Future<Output = Infallible> + use<> {
        let (heartbeat, pause) = (Arc::clone(&self.heartbeat), self.single_flight.heartbeat / 2);
        async move {
            loop {
                heartbeat.fetch_add(1, Ordering::Relaxed);
                sleep(pause).await;
            }
        }
    }

    /// Gives the result to all callers. The fetch is removed first: a caller that joined now would
    /// get an older answer. Later callers find the record in the store.
    pub(super) fn complete(self, result: FetchResult) {
        let sender = self.result.clone();
        drop(self);
        sender.send_replace(Some(result));
    }

    /// As [`complete`](Self::complete), with a record found without a fetch. Returns the leader if
    /// a caller needs a fetch. No caller can join between this check and the end.
    pub(super) fn complete_without_fetch(self, record: Arc<OriginRecord>) -> Result<(), Self> {
        let mut flights = lock(&self.single_flight.flights);
        match self.own(&mut flights).map(|flight| flight.need) {
            Some(Need::Fetch) => {
                drop(flights);
                return Err(self);
            }
            Some(Need::OriginRecord) => drop(flights.remove(&self.origin)),
            None => {}
        }
        drop(flights);
        self.result.send_replace(Some(Ok(record)));
        Ok(())
    }

    /// Records the slot of the fetch; `None` while it waits for another process.
    pub(super) fn set_slot(&self, slot: Option<&Slot>) {
        if let Some(flight) = self.own(&mut lock(&self.single_flight.flights)) {
            flight.slot = slot.cloned();
        }
    }

    /// Records that the request has ended; its result is not stored yet.
    pub(super) fn has_fetched(&self) {
        if let Some(flight) = self.own(&mut lock(&self.single_flight.flights)) {
            flight.has_fetched = true;
        }
    }

    /// The fetch of this leader, unless another one has replaced it.
    fn own<'f>(&self, flights: &'f mut HashMap<Origin, Flight>) -> Option<&'f mut Flight> {
        let flight = flights.get_mut(&self.origin)?;
        flight.waiter.result.same_channel(&self.result.subscribe()).then_some(flight)
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        // After `complete`, the next fetch of this origin may have started. It is not affected.
        self.single_flight.abandon(&self.origin, &self.result.subscribe());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(flights: &Arc<SingleFlight>, at: usize) -> (Waiter, Leader) {
        match flights.join(&origin(at), Need::OriginRecord) {
            Ok((Joined::Current(waiter), Some(leader))) => (waiter, leader),
            other => panic!("{other:?}"),
        }
    }

    fn origin(at: usize) -> Origin {
        Origin::from_parts("http", &format!("h{at}.example"), None).unwrap()
    }

    fn empty_record() -> Arc<OriginRecord> {
        let options = crate::record::ReadOptions::new(verger::access::Profile::RFC9309);
        Arc::new(OriginRecord::new(options.key(&origin(0))))
    }

    fn is_joined(flights: &Arc<SingleFlight>, at: usize, need: Need) -> bool {
        matches!(flights.join(&origin(at), need), Ok((Joined::Current(_), None)))
    }

    #[test]
    fn queue_is_bounded_and_ended_fetches_make_room() {
        let flights = Arc::new(SingleFlight::new(Duration::MAX));
        let mut leaders: Vec<Leader> = (0..FETCH_QUEUE).map(|at| start(&flights, at).1).collect();
        let one_more = flights.join(&origin(FETCH_QUEUE), Need::OriginRecord);
        let message = one_more.err().unwrap().to_string();
        let limit = format!("{FETCH_QUEUE} fetches of robots.txt wait or run already");
        assert_eq!(message, format!("{limit}, which is the limit"));
        assert!(is_joined(&flights, 0, Need::OriginRecord), "it runs already");
        leaders.pop();
        start(&flights, FETCH_QUEUE);
    }

    #[tokio::test]
    async fn completed_fetch_cannot_be_joined() {
        let flights = Arc::new(SingleFlight::new(Duration::MAX));
        let (waiter, leader) = start(&flights, 0);
        leader.complete(Err(CheckError::Ended));
        start(&flights, 0);
        assert_eq!(flights.wait(&origin(0), waiter).await.err(), Some(CheckError::Ended));
    }

    #[tokio::test]
    async fn fetch_is_skipped_only_if_no_caller_needs_one() {
        let record = empty_record();
        for (need, completes) in [(Need::OriginRecord, true), (Need::Fetch, false)] {
            let flights = Arc::new(SingleFlight::new(Duration::MAX));
            let (waiter, leader) = start(&flights, 0);
            assert!(is_joined(&flights, 0, need));
            let result = leader.complete_without_fetch(Arc::clone(&record));
            assert_eq!((result.is_ok(), waiter.result.borrow().is_some()), (completes, completes));
        }
    }

    #[tokio::test]
    async fn caller_that_needs_a_fetch_does_not_join_one_whose_request_has_ended() {
        let flights = Arc::new(SingleFlight::new(Duration::MAX));
        let (_, leader) = start(&flights, 0);
        assert!(is_joined(&flights, 0, Need::Fetch));
        leader.has_fetched();
        let late = flights.join(&origin(0), Need::Fetch);
        assert!(matches!(late, Ok((Joined::Next(_), None))), "{late:?}");
        assert!(is_joined(&flights, 0, Need::OriginRecord));
    }

    #[tokio::test]
    async fn end_of_a_fetch_does_not_end_the_next() {
        let flights = Arc::new(SingleFlight::new(Duration::MAX));
        let (_, first) = start(&flights, 0);
        let (_, second) = {
            lock(&flights.flights).remove(&origin(0));
            start(&flights, 0)
        };
        lock(&flights.flights).remove(&origin(0));
        let (next, _leader) = start(&flights, 0);
        first.has_fetched();
        assert!(is_joined(&flights, 0, Need::Fetch), "it is the first that has fetched");
        drop(first);
        second.complete_without_fetch(empty_record()).unwrap();
        let joined = flights.join(&origin(0), Need::OriginRecord);
        let Ok((Joined::Current(joined), None)) = joined else { panic!("{joined:?}") };
        assert!(joined.result.same_channel(&next.result));
    }

    #[tokio::test]
    async fn waiting_callers_are_bounded() {
        let flights = Arc::new(SingleFlight::new(Duration::MAX));
        let (waiter, leader) = start(&flights, 0);
        flights.waiting.store(WAITING, Ordering::Relaxed);
        let busy = flights.wait(&origin(0), waiter.clone()).await;
        assert!(matches!(busy, Err(CheckError::Busy(_))));
        flights.waiting.store(WAITING - 1, Ordering::Relaxed);
        drop(leader);
        assert!(matches!(flights.wait(&origin(0), waiter).await, Ok(None)));
        assert_eq!(flights.waiting.load(Ordering::Relaxed), WAITING - 1);
    }

    #[tokio::test(start_paused = true)]
    async fn fetch_whose_runtime_has_stopped_makes_room_for_another() {
        let flights = Arc::new(SingleFlight::new(Duration::MAX));
        let (waiter, leader) = start(&flights, 0);
        // Its heartbeat is not polled.
        assert!(matches!(flights.wait(&origin(0), waiter).await, Ok(None)));
        let (waiter, next) = start(&flights, 0);
        drop(leader);
        assert!(
            is_joined(&flights, 0, Need::OriginRecord),
            "the old fetch does not end the new one"
        );
        let record = empty_record();
        let heartbeat = next.heartbeat();
        let complete = async {
            sleep(HEARTBEAT.most * 10).await;
            next.complete(Ok(record));
        };
        let waited = async { flights.wait(&origin(0), waiter).await };
        tokio::select! {
            never = heartbeat => match never {},
            (waited, ()) = async { tokio::join!(waited, complete) } => {
                assert!(matches!(waited, Ok(Some(_))));
            }
        }
    }
}
