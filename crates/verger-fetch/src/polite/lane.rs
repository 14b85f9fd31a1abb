//! The lane of one origin: one request at a time, and a pause behind each.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::back_off::BackOff;

/// A lane. Who has its only turn is served; the others stand in line, first come, first served.
#[derive(Debug)]
pub(super) struct Lane {
    line: Arc<Semaphore>,
    in_line: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// When the next request may begin.
    free_at: Instant,
    back_off: BackOff,
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
    lane: Arc<Lane>,
    pause: Duration,
    _place: OwnedSemaphorePermit,
}

impl Lane {
    pub(super) fn new() -> Self {
        let state = State { free_at: Instant::now(), back_off: BackOff::default() };
        Self {
            line: Arc::new(Semaphore::new(1)),
            in_line: AtomicUsize::new(0),
            state: Mutex::new(state),
        }
    }

    /// How long until the next request may begin, not counting those who stand in line.
    pub(super) fn wait(&self) -> Duration {
        self.state().free_at.saturating_duration_since(Instant::now())
    }

    /// Whether nobody needs it to be remembered.
    pub(super) fn is_idle(self: &Arc<Self>) -> bool {
        !self.is_held() && self.wait().is_zero()
    }

    /// Whether anybody has its turn, or waits for it.
    pub(super) fn is_held(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) > 1
    }

    /// How many stand in line.
    pub(super) const fn in_line(&self) -> &AtomicUsize {
        &self.in_line
    }

    /// Stands in line until it is this one's turn; how long to wait then, [`Turn::wait`] says.
    pub(super) async fn stand_in_line(self: Arc<Self>) -> Option<Turn> {
        // The line is never closed.
        let place = Arc::clone(&self.line).acquire_owned().await.ok()?;
        Some(Turn { lane: self, pause: Duration::ZERO, _place: place })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// How long the request still has to wait.
    pub(crate) fn wait(&self) -> Duration {
        self.lane.wait()
    }

    /// The pause that follows the request.
    pub(crate) fn set_pause(&mut self, pause: Duration) {
        self.pause = pause;
    }

    /// What came of the request.
    pub(crate) fn answered(&self, answered: Answered) {
        let mut state = self.lane.state();
        match answered {
            Answered::Fine => state.back_off.answered(),
            Answered::Refused(retry_after) => {
                let wait = state.back_off.refused(retry_after);
                state.free_at = Instant::now() + wait;
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // From the end of the request: a server that takes its time is not asked faster than it answers.
        let after_pause = Instant::now() + self.pause;
        let mut state = self.lane.state();
        state.free_at = state.free_at.max(after_pause);
    }
}
