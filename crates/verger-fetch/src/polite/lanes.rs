//! The queues of all origins.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use verger::Origin;

use super::lane::{Queue, Place, Turn};
use super::pauses::Pauses;
use crate::limits::LimitReached;

/// A queue for every origin with waiting or running requests, and the pauses of recent ones.
///
/// The lock is held only for short work without `await`.
#[derive(Clone, Debug)]
pub(crate) struct Queues(Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    queues: Mutex<HashMap<Origin, Arc<Queue>>>,
    /// Waiting requests for all origins.
    pub(super) waiting: AtomicUsize,
    pub(super) pauses: Pauses,
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

    /// Waits in the queue of an origin.
    pub(crate) async fn turn(&self, origin: &Origin) -> Result<Turn, LimitReached> {
        let lane = {
            let mut queues = self.0.queues();
            let new = || Arc::new(Queue::new(self.0.at_once));
            Arc::clone(queues.entry(origin.clone()).or_insert_with(new))
        };
        Place::new(Arc::clone(&self.0), origin.clone(), lane).turn().await
    }
}

impl Shared {
    /// Removes a request from a queue, which ends with the last one.
    pub(super) fn leave(&self, origin: &Origin, lane: &Arc<Queue>) {
        let mut queues = self.queues();
        // One reference in the map, and one of the leaving request.
        if Arc::strong_count(lane) <= 2 {
            queues.remove(origin);
        }
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<Origin, Arc<Queue>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::RequestResult;
    use super::*;
    use crate::limits::{ORIGIN_TURNS, PAUSES};

    fn origin(number: usize) -> Origin {
        Origin::from_parts("https", &format!("{number}.example"), None).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn queues_exist_only_while_a_request_waits_or_runs() {
        let queues = Queues::new(1);
        let count = || queues.0.queues().len();
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
    async fn a_new_origin_is_served_whatever_the_number_of_back_offs() {
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
        let expected = "10000 requests wait for their turn at one origin already, which is the limit";
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
