//! The lane of one origin: so many requests at a time, first come, first served.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use verger::Origin;

use super::back_off::back_off;
use super::lanes::Shared;
use crate::limits::{Counted, LANE_TURNS, LimitReached, TURNS};

/// A request's place in a lane. The lane exists for as long as there is one.
#[derive(Debug)]
pub(super) struct Place {
    lanes: Arc<Shared>,
    origin: Origin,
    lane: Arc<Lane>,
}

#[derive(Debug)]
pub(super) struct Lane {
    line: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// An answer that means: go on.
    Fine,
    /// 429, 503, or none at all; and how long the server asks to wait.
    Refused(Option<Duration>),
}

/// The turn in a lane. Dropping it lets the next one in line begin its pause.
#[derive(Debug)]
pub(crate) struct Turn {
    place: Place,
    pause: Duration,
    _permit: OwnedSemaphorePermit,
}

impl Lane {
    pub(super) fn new(at_once: usize) -> Self {
        Self { line: Arc::new(Semaphore::new(at_once)), waiting: AtomicUsize::new(0) }
    }
}

impl Place {
    pub(super) fn new(lanes: Arc<Shared>, origin: Origin, lane: Arc<Lane>) -> Self {
        Self { lanes, origin, lane }
    }

    /// Waits until it is this one's turn; how long to wait then, [`Turn::wait`] says.
    pub(super) async fn turn(self) -> Result<Turn, LimitReached> {
        let line = Arc::clone(&self.lane.line);
        let permit = if let Ok(permit) = Arc::clone(&line).try_acquire_owned() {
            permit
        } else {
            let all = LimitReached::new(TURNS, "requests wait for their turn");
            let what = "requests wait for their turn at one origin";
            let own = LimitReached::new(LANE_TURNS, what);
            let _waits = Counted::take(&self.lanes.waiting, all)?;
            let _here = Counted::take(&self.lane.waiting, own)?;
            // The line is never closed.
            line.acquire_owned().await.map_err(|_| all)?
        };
        Ok(Turn { place: self, pause: Duration::ZERO, _permit: permit })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.lanes.leave(&self.origin, &self.lane);
    }
}

impl Turn {
    /// The origin that is asked.
    pub(crate) const fn origin(&self) -> &Origin {
        &self.place.origin
    }

    /// How long the request still has to wait.
    pub(crate) fn wait(&self) -> Duration {
        self.place.lanes.pauses.wait(&self.place.origin)
    }

    /// The pause that follows the request.
    pub(crate) fn set_pause(&mut self, pause: Duration) {
        self.pause = pause;
    }

    /// How often in a row the origin has refused, as far as it is remembered here.
    pub(crate) fn refusals(&self) -> u32 {
        self.place.lanes.pauses.refusals(&self.place.origin)
    }

    /// What came of the request: how often in a row the origin has refused now, and how long it is left
    /// alone for that. `before`: how often it had refused.
    pub(crate) fn answered(&self, answered: Answered, before: u32) -> (u32, Duration) {
        let Place { lanes, origin, .. } = &self.place;
        let (refusals, wait) = match answered {
            Answered::Fine => (0, Duration::ZERO),
            Answered::Refused(retry_after) => {
                (before.saturating_add(1), back_off(before, retry_after))
            }
        };
        lanes.pauses.pause(origin, wait, Some(refusals));
        (refusals, wait)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // From the end of the request: a server that takes its time is not asked faster than it answers.
        let Place { lanes, origin, .. } = &self.place;
        lanes.pauses.pause(origin, self.pause, None);
    }
}
