//! The timeout of store calls.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::STALL_REST;
use crate::lock;
use crate::running::timeout;
use crate::store::{Pending, StoreError, StoreErrorKind};

/// Limits the time of store calls: a timeout is an error. After a timeout the store is not called
/// for [`STALL_REST`], so that further checks do not wait too.
#[derive(Debug)]
pub(super) struct CallTimeout {
    longest: Duration,
    skipped_until: Mutex<Option<Instant>>,
}

impl CallTimeout {
    pub(super) fn new(longest: Duration) -> Self {
        Self { longest, skipped_until: Mutex::default() }
    }

    /// Awaits the result of a call, with the timeout.
    pub(super) async fn wait<T>(&self, pending: Pending<'_, T>) -> Result<T, StoreError> {
        if lock(&self.skipped_until).is_some_and(|until| Instant::now() < until) {
            return Err(StoreError::new(
                StoreErrorKind::Stalled,
                "the store did not answer in time; it is not used for some seconds",
            ));
        }
        let Some(answer) = timeout(self.longest, pending).await else {
            *lock(&self.skipped_until) = Some(Instant::now() + STALL_REST);
            let message = format!("the store did not answer within {:?}", self.longest);
            return Err(StoreError::new(StoreErrorKind::Stalled, message));
        };
        *lock(&self.skipped_until) = None;
        answer
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, sleep};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_stalled_store_is_not_used_for_a_while() {
        let timeout = CallTimeout::new(SECOND);
        let after = |wait| -> Pending<'static, u8> {
            Box::pin(async move {
                sleep(wait).await;
                Ok(7)
            })
        };
        let start = Instant::now();
        assert_eq!(timeout.wait(after(SECOND / 2)).await.unwrap(), 7);
        for _ in 0..100 {
            let error = timeout.wait(after(SECOND * 1000)).await.unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Stalled);
        }
        assert_eq!(start.elapsed(), SECOND * 3 / 2);
        advance(STALL_REST).await;
        assert_eq!(timeout.wait(after(SECOND / 2)).await.unwrap(), 7);
    }
}
