//! The queue of one origin: a limited number of concurrent requests, in order of the calls.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use verger::Origin;

use super::back_off::back_off;
use super::queues::Shared;
use crate::limits::{Counted, ORIGIN_TURNS, LimitReached, TURNS};

/// A request in a queue. The queue exists as long as it has one.
#[derive(Debug)]
pub(super) struct Place {
    queues: Arc<Shared>,
    origin: Origin,
    lane: Arc<Queue>,
}

#[derive(Debug)]
pub(super) struct Queue {
    line: Arc<Semaphore>,
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
    place: Place,
    pause: Duration,
    _permit: OwnedSemaphorePermit,
}

impl Queue {
    pub(super) fn new(at_once: usize) -> Self {
        Self { line: Arc::new(Semaphore::new(at_once)), waiting: AtomicUsize::new(0) }
    }
}

impl Place {
    pub(super) fn new(queues: Arc<Shared>, origin: Origin, lane: Arc<Queue>) -> Self {
        Self { queues, origin, lane }
    }

    /// Waits for the turn. [`Turn::wait`] is the rest of the pause then.
    pub(super) async fn turn(self) -> Result<Turn, LimitReached> {
        let line = Arc::clone(&self.lane.line);
        let permit = if let Ok(permit) = Arc::clone(&line).try_acquire_owned() {
            permit
        } else {
            let all = LimitReached::new(TURNS, "requests wait for their turn");
            let what = "requests wait for their turn at one origin";
            let own = LimitReached::new(ORIGIN_TURNS, what);
            let _waits = Counted::take(&self.queues.waiting, all)?;
            let _here = Counted::take(&self.lane.waiting, own)?;
            // The semaphore is never closed.
            line.acquire_owned().await.map_err(|_| all)?
        };
        Ok(Turn { place: self, pause: Duration::ZERO, _permit: permit })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.queues.leave(&self.origin, &self.lane);
    }
}

impl Turn {
    /// The origin of the request.
    pub(crate) const fn origin(&self) -> &Origin {
        &self.place.origin
    }

    /// Time that the request still has to wait.
    pub(crate) fn wait(&self) -> Duration {
        self.place.queues.pauses.wait(&self.place.origin)
    }

    /// Sets the pause after the request.
    pub(crate) fn set_pause(&mut self, pause: Duration) {
        self.pause = pause;
    }

    /// Consecutive refusals of the origin, as remembered here.
    pub(crate) fn refusals(&self) -> u32 {
        self.place.queues.pauses.refusals(&self.place.origin)
    }

    /// Records the result of the request. `before`: consecutive refusals before it. Returns the new
    /// number of refusals and the back-off.
    pub(crate) fn finish(&self, result: RequestResult, before: u32) -> (u32, Duration) {
        let Place { queues, origin, .. } = &self.place;
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
        let Place { queues, origin, .. } = &self.place;
        queues.pauses.pause(origin, self.pause, None);
    }
}
