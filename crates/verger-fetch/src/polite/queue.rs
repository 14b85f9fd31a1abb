//! Queues of requests and their turns: a limited number of concurrent requests to an origin, in
//! order of the calls.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use verger::Origin;

use super::pauses::{Pauses, back_off};
use crate::limits::{LimitReached, ORIGIN_TURNS, TURNS};
use crate::lock;
use crate::net::Counted;

/// A queue for every origin with waiting or running requests, and the pauses of recent ones.
///
/// The lock is held only for short work without `await`.
#[derive(Clone, Debug)]
pub(crate) struct Queues(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    queues: Mutex<HashMap<Origin, Arc<Queue>>>,
    /// Waiting requests for all origins.
    waiting: AtomicUsize,
    pauses: Pauses,
    at_once: usize,
}

impl Queues {
    /// Queues for this number of concurrent requests to an origin.
    pub(crate) fn new(at_once: usize) -> Self {
        let (queues, waiting, pauses) = Default::default();
        Self(Arc::new(Shared { queues, waiting, pauses, at_once }))
    }

    /// Minimum wait of the next request to an origin.
    pub(crate) fn wait(&self, origin: &Origin) -> Duration {
        self.0.pauses.wait(origin)
    }

    /// Waits in the queue of an origin. [`Turn::wait`] is the rest of the pause then.
    pub(crate) async fn turn(&self, origin: &Origin) -> Result<Turn, LimitReached> {
        let queue = {
            let mut queues = lock(&self.0.queues);
            let new = || {
                let turns = Arc::new(Semaphore::new(self.0.at_once));
                Arc::new(Queue { turns, waiting: AtomicUsize::new(0) })
            };
            Arc::clone(queues.entry(origin.clone()).or_insert_with(new))
        };
        let turns = Arc::clone(&queue.turns);
        let position = Position { queues: Arc::clone(&self.0), origin: origin.clone(), queue };
        let permit = if let Ok(permit) = Arc::clone(&turns).try_acquire_owned() {
            permit
        } else {
            let all = LimitReached::new(TURNS, "requests wait for their turn");
            let text = "requests wait for their turn at one origin";
            let own = LimitReached::new(ORIGIN_TURNS, text);
            let _waits = Counted::take(&position.queues.waiting, all)?;
            let _here = Counted::take(&position.queue.waiting, own)?;
            // The semaphore is never closed.
            turns.acquire_owned().await.map_err(|_| all)?
        };
        Ok(Turn { position, pause: Duration::ZERO, _permit: permit })
    }
}

/// A request in a queue. The queue exists as long as it has one.
#[derive(Debug)]
struct Position {
    queues: Arc<Shared>,
    origin: Origin,
    queue: Arc<Queue>,
}

#[derive(Debug)]
struct Queue {
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestResult {
    /// A response without a back-off.
    Fine,
    /// 429, 503 or no response, with the requested wait.
    Refused(Option<Duration>),
}

/// The permission to send one request now. Dropping it begins the pause before the next one.
#[derive(Debug)]
pub(crate) struct Turn {
    position: Position,
    /// The pause after the request.
    pub(crate) pause: Duration,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Position {
    fn drop(&mut self) {
        let mut queues = lock(&self.queues.queues);
        // One reference in the map, and one of the leaving request.
        if Arc::strong_count(&self.queue) <= 2 {
            queues.remove(&self.origin);
        }
    }
}

impl Turn {
    /// The origin of the request.
    pub(crate) const fn origin(&self) -> &Origin {
        &self.position.origin
    }

    /// Time that the request still has to wait.
    pub(crate) fn wait(&self) -> Duration {
        self.position.queues.pauses.wait(&self.position.origin)
    }

    /// Consecutive refusals of the origin, as remembered here.
    pub(crate) fn refusals(&self) -> u32 {
        self.position.queues.pauses.refusals(&self.position.origin)
    }

    /// Records the result of the request. `before`: consecutive refusals before it. Returns the new
    /// number of refusals and the back-off.
    pub(crate) fn finish(&self, result: RequestResult, before: u32) -> (u32, Duration) {
        let Position { queues, origin, .. } = &self.position;
        let (refusals, wait) = match result {
            RequestResult::Fine => (0, Duration::ZERO),
            RequestResult::Refused(retry_after) => {
                (before.saturating_add(1), back_off(before, retry_after))
            }
        };
        queues.pauses.pause(origin, wait, Some(refusals));
        (refusals, wait)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // The pause begins at the end of the request, so a slow server gets no more requests than
        // it answers.
        let Position { queues, origin, .. } = &self.position;
        queues.pauses.pause(origin, self.pause, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{ORIGIN_TURNS, PAUSES};

    fn origin(number: usize) -> Origin {
        Origin::from_parts("https", &format!("{number}.example"), None).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn queues_exist_only_while_a_request_waits_or_runs() {
        let queues = Queues::new(1);
        let count = || lock(&queues.0.queues).len();
        let first = queues.turn(&origin(0)).await.unwrap();
        let second = tokio::spawn({
            let queues = queues.clone();
            async move { queues.turn(&origin(0)).await.unwrap() }
        });
        tokio::task::yield_now().await;
        drop(first);
        let second = second.await.unwrap();
        assert_eq!(count(), 1);
        drop(second);
        assert_eq!(count(), 0);
        // A cancelled wait leaves the queue too.
        let _held = queues.turn(&origin(1)).await.unwrap();
        let given_up = tokio::time::timeout(Duration::from_secs(1), queues.turn(&origin(1))).await;
        assert!(given_up.is_err() && count() == 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_origin_is_served_despite_many_back_offs() {
        let queues = Queues::new(1);
        let day = Duration::from_secs(24 * 60 * 60);
        for number in 0..PAUSES * 2 {
            let turn = queues.turn(&origin(number)).await.unwrap();
            turn.finish(RequestResult::Refused(Some(day)), 0);
        }
        let turn = queues.turn(&origin(PAUSES * 2)).await.unwrap();
        assert_eq!(turn.wait(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_queue_is_bounded_and_reports_its_limit() {
        let queues = Queues::new(1);
        let first = queues.turn(&origin(0)).await.unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..ORIGIN_TURNS {
            let queues = queues.clone();
            waiting.spawn(async move { queues.turn(&origin(0)).await.is_ok() });
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let full = queues.turn(&origin(0)).await.unwrap_err();
        let expected =
            "10000 requests wait for their turn at one origin already, which is the limit";
        assert_eq!(full.to_string(), expected);
        assert!(queues.turn(&origin(1)).await.is_ok());
        drop(first);
        assert!(waiting.join_all().await.into_iter().all(|served| served));
    }

    #[tokio::test(start_paused = true)]
    async fn several_concurrent_requests_are_possible() {
        let queues = Queues::new(3);
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(queues.turn(&origin(0)).await.unwrap());
        }
        let next = tokio::time::timeout(Duration::from_secs(1), queues.turn(&origin(0))).await;
        assert!(next.is_err());
        drop(held);
        assert!(queues.turn(&origin(0)).await.is_ok());
    }
}
