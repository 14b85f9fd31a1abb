//! A turn among all processes that share a [`TurnStore`].

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use verger::Origin;

use super::{Inner, telemetry};
use crate::limits::{LEAST_STORE_WAIT, STORE_SHARE, TURN_HOLD, TURN_RENEWALS, TURN_RETRY};
use crate::lock;
use crate::polite::{Reservation, TurnRequest, TurnStore};
use crate::running::timeout;
use crate::store::{Pending, StoreError, StoreErrorKind};

/// A turn of a shared store. A task renews it until it is dropped, then releases it with its pause.
#[derive(Debug)]
pub(super) struct SharedTurn {
    pause: Arc<Mutex<Duration>>,
    /// Closed at the end of the turn, and the task that then releases it.
    held: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
    /// Maximum time of each call.
    longest: Duration,
}

impl SharedTurn {
    /// Extends the pause after this turn, which is zero at first.
    pub(super) fn extend_pause(&self, wait: Duration) {
        let mut pause = lock(&self.pause);
        *pause = wait.max(*pause);
    }

    /// Releases the turn. The future ends after the release, or after the time of one call; then
    /// the release continues.
    pub(super) fn end(&self) -> impl Future<Output = ()> + use<> {
        let task = lock(&self.held).take().map(|(_, task)| task);
        let longest = self.longest;
        async move {
            if let Some(task) = task {
                let _ = timeout(longest, task).await;
            }
        }
    }
}

impl Inner {
    /// The request for a turn, which is the same for all tries of one caller: a try whose answer
    /// was lost does not block the next one.
    pub(super) fn turn_request(&self) -> TurnRequest {
        let at_once = self.politeness.at_once;
        TurnRequest { at_once, ..TurnRequest::new(Duration::ZERO, TURN_HOLD.default) }
    }

    /// Reserves a turn among all processes; `None` if turns are not shared. The error is the wait
    /// for the next try, also if the store fails: without it, a turn could be too early.
    pub(super) async fn reserve(
        &self,
        origin: &Origin,
        request: &TurnRequest,
        pause: Duration,
    ) -> Result<Option<SharedTurn>, Duration> {
        let Some(turns) = &self.turns else { return Ok(None) };
        let longest = (self.fetcher.limits.total / STORE_SHARE).max(LEAST_STORE_WAIT);
        let request = TurnRequest { pause, ..*request };
        let calls = Calls { turns: Arc::clone(turns), origin: origin.clone(), request, longest };
        // In a separate task: if the caller gives up meanwhile, the turn is dropped.
        let reserved = tokio::spawn(calls.reserve()).await;
        reserved.unwrap_or(Err(TURN_RETRY)).map(Some)
    }
}

/// The calls for one turn.
#[derive(Debug)]
struct Calls {
    turns: Arc<dyn TurnStore>,
    origin: Origin,
    request: TurnRequest,
    /// Maximum time of each call.
    longest: Duration,
}

impl Calls {
    async fn reserve(self) -> Result<SharedTurn, Duration> {
        match self.limited(self.turns.reserve(&self.origin, &self.request)).await {
            Ok(Reservation::Granted { .. }) => {
                let (held, ended) = oneshot::channel();
                let pause = Arc::<Mutex<Duration>>::default();
                let longest = self.longest;
                let task = tokio::spawn(self.hold(Arc::clone(&pause), ended));
                Ok(SharedTurn { pause, held: Mutex::new(Some((held, task))), longest })
            }
            Ok(Reservation::Wait(wait)) => Err(wait),
            Err(error) => {
                self.warn(&error, "no turn yet: the store of turns failed");
                Err(TURN_RETRY)
            }
        }
    }

    /// Renews the turn until its end, then releases it.
    async fn hold(self, pause: Arc<Mutex<Duration>>, mut ended: oneshot::Receiver<()>) {
        let Self { turns, origin, request, .. } = &self;
        loop {
            tokio::select! {
                _ = &mut ended => break,
                () = sleep(request.hold / TURN_RENEWALS) => {}
            }
            match self.limited(turns.renew(origin, request.id, request.hold)).await {
                Ok(true) => {}
                Ok(false) => {
                    tracing::warn!(%origin, "a turn expired during its request");
                    return telemetry::count("verger_turns_lost_total");
                }
                Err(error) => self.warn(&error, "could not renew a turn"),
            }
        }
        // Until the turn expires by itself.
        let end = Instant::now() + request.hold;
        while Instant::now() < end {
            let pause = *lock(&pause);
            match self.limited(turns.release(origin, request.id, pause)).await {
                Ok(true) => return,
                Ok(false) => return telemetry::count("verger_turns_lost_total"),
                Err(error) => self.warn(&error, "could not release a turn"),
            }
            sleep(TURN_RETRY).await;
        }
    }

    async fn limited<T>(&self, pending: Pending<'_, T>) -> Result<T, StoreError> {
        timeout(self.longest, pending).await.unwrap_or_else(|| {
            let message = format!("the store of turns did not answer within {:?}", self.longest);
            Err(StoreError::new(StoreErrorKind::Stalled, message))
        })
    }

    fn warn(&self, error: &StoreError, message: &'static str) {
        tracing::warn!(origin = %self.origin, %error, "{message}");
        telemetry::count("verger_turn_store_failures_total");
    }
}
