//! The lanes of all origins.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use verger::Origin;

use super::lane::{Lane, Place, Turn};
use super::pauses::Pauses;
use crate::limits::LimitReached;

/// A lane for every origin that is asked now or waited for, and the pauses of those that were asked
/// lately.
///
/// What is under the lock is short and never awaits.
#[derive(Clone, Debug)]
pub(crate) struct Lanes(Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    lanes: Mutex<HashMap<Origin, Arc<Lane>>>,
    /// Requests in the lines of all origins.
    pub(super) waiting: AtomicUsize,
    pub(super) pauses: Pauses,
    at_once: usize,
}

impl Lanes {
    /// Lanes for so many requests to an origin at once.
    pub(crate) fn new(at_once: usize) -> Self {
        let (lanes, waiting, pauses) = Default::default();
        Self(Arc::new(Shared { lanes, waiting, pauses, at_once }))
    }

    /// How long the next request to an origin has to wait at least.
    pub(crate) fn wait(&self, origin: &Origin) -> Duration {
        self.0.pauses.wait(origin)
    }

    /// Waits in the line of an origin.
    pub(crate) async fn turn(&self, origin: &Origin) -> Result<Turn, LimitReached> {
        let lane = {
            let mut lanes = self.0.lanes();
            let new = || Arc::new(Lane::new(self.0.at_once));
            Arc::clone(lanes.entry(origin.clone()).or_insert_with(new))
        };
        Place::new(Arc::clone(&self.0), origin.clone(), lane).turn().await
    }
}

impl Shared {
    /// Somebody leaves a lane, which ends with the last one.
    pub(super) fn leave(&self, origin: &Origin, lane: &Arc<Lane>) {
        let mut lanes = self.lanes();
        // The map has one, and the one who leaves.
        if Arc::strong_count(lane) <= 2 {
            lanes.remove(origin);
        }
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<Origin, Arc<Lane>>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Answered;
    use super::*;
    use crate::limits::{LANE_TURNS, PAUSES};

    fn origin(number: usize) -> Origin {
        Origin::from_parts("https", &format!("{number}.example"), None).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn lanes_exist_only_while_a_request_waits_or_runs() {
        let lanes = Lanes::new(1);
        let count = || lanes.0.lanes().len();
        let first = lanes.turn(&origin(0)).await.unwrap();
        let second = tokio::spawn({
            let lanes = lanes.clone();
            async move { lanes.turn(&origin(0)).await.unwrap() }
        });
        tokio::task::yield_now().await;
        drop(first);
        let second = second.await.unwrap();
        assert_eq!(count(), 1);
        drop(second);
        assert_eq!(count(), 0);
        // Who gives up leaves, too.
        let _held = lanes.turn(&origin(1)).await.unwrap();
        let given_up = tokio::time::timeout(Duration::from_secs(1), lanes.turn(&origin(1))).await;
        assert!(given_up.is_err() && count() == 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_origin_is_served_however_many_are_left_alone() {
        let lanes = Lanes::new(1);
        let day = Duration::from_secs(24 * 60 * 60);
        for number in 0..PAUSES * 2 {
            let turn = lanes.turn(&origin(number)).await.unwrap();
            turn.answered(Answered::Refused(Some(day)), 0);
        }
        let turn = lanes.turn(&origin(PAUSES * 2)).await.unwrap();
        assert_eq!(turn.wait(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_is_only_so_long_and_says_so() {
        let lanes = Lanes::new(1);
        let first = lanes.turn(&origin(0)).await.unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..LANE_TURNS {
            let lanes = lanes.clone();
            waiting.spawn(async move { lanes.turn(&origin(0)).await.is_ok() });
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let full = lanes.turn(&origin(0)).await.unwrap_err();
        let told = "10000 requests wait for their turn at one origin already, which is the limit";
        assert_eq!(full.to_string(), told);
        assert!(lanes.turn(&origin(1)).await.is_ok());
        drop(first);
        assert!(waiting.join_all().await.into_iter().all(|served| served));
    }

    #[tokio::test(start_paused = true)]
    async fn several_requests_at_once_are_let_in_where_that_is_wanted() {
        let lanes = Lanes::new(3);
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(lanes.turn(&origin(0)).await.unwrap());
        }
        let next = tokio::time::timeout(Duration::from_secs(1), lanes.turn(&origin(0))).await;
        assert!(next.is_err());
        drop(held);
        assert!(lanes.turn(&origin(0)).await.is_ok());
    }
}
