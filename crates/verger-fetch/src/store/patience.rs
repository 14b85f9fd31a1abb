//! Timeouts of store calls.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::{Pending, StoreError, StoreErrorKind};
use crate::limits::STALL_REST;

/// Limits the time of store calls: a timeout is an error. After a timeout the store is not called
/// for [`STALL_REST`], so that further checks do not wait too.
#[derive(Debug)]
pub(super) struct Patience {
    longest: Duration,
    rests_until: Mutex<Option<Instant>>,
}

impl Patience {
    pub(super) fn new(longest: Duration) -> Self {
        Self { longest, rests_until: Mutex::default() }
    }

    /// Awaits the result of a call, with the timeout.
    pub(super) async fn wait<T>(&self, pending: Pending<'_, T>) -> Result<T, StoreError> {
        if self.rests_until().is_some_and(|until| Instant::now() < until) {
            return Err(StoreError::new(
                StoreErrorKind::Stalled,
                "the store did not answer in time, and is not used for some seconds",
            ));
        }
        let Ok(answer) = timeout(self.longest, pending).await else {
            self.rest(Some(Instant::now() + STALL_REST));
            let message = format!("the store did not answer within {:?}", self.longest);
            return Err(StoreError::new(StoreErrorKind::Stalled, message));
        };
        self.rest(None);
        answer
    }

    fn rests_until(&self) -> Option<Instant> {
        *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rest(&self, until: Option<Instant>) {
        *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_stalled_store_is_not_used_for_a_while() {
        let patience = Patience::new(SECOND);
        let after = |wait| -> Pending<'static, u8> {
            Box::pin(async move {
                tokio::time::sleep(wait).await;
                Ok(7)
            })
        };
        let start = Instant::now();
        assert_eq!(patience.wait(after(SECOND / 2)).await.unwrap(), 7);
        for _ in 0..100 {
            let error = patience.wait(after(SECOND * 1000)).await.unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Stalled);
        }
        assert_eq!(start.elapsed(), SECOND * 3 / 2);
        tokio::time::advance(STALL_REST).await;
        assert_eq!(patience.wait(after(SECOND / 2)).await.unwrap(), 7);
    }
}
