//! The time that a fetch has, less what it waits for us.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The time of one fetch. Waiting for a place of ours costs none of it: that is not the server's doing.
#[derive(Debug)]
pub(crate) struct Budget(Mutex<Left>);

#[derive(Clone, Copy, Debug)]
enum Left {
    Until(Instant),
    /// So much, once the waiting is over.
    Paused(Duration),
}

/// No pause is looked at more often.
const MOMENT: Duration = Duration::from_millis(10);

impl Budget {
    pub(crate) fn new(total: Duration) -> Self {
        Self(Mutex::new(Left::Until(Instant::now() + total)))
    }

    /// Awaits something for as long as there is time. `None`: there is no more.
    pub(crate) async fn limit<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = std::pin::pin!(future);
        loop {
            tokio::select! {
                biased;
                result = &mut future => return Some(result),
                () = sleep_until(self.end()) => {
                    if let Left::Until(end) = *self.lock()
                        && end <= Instant::now()
                    {
                        return None;
                    }
                }
            }
        }
    }

    /// Awaits something of ours, which costs no time.
    pub(super) async fn pause<T>(&self, future: impl Future<Output = T>) -> T {
        self.change(|left| Left::Paused(left.at(Instant::now())));
        let result = future.await;
        self.change(|left| Left::Until(Instant::now() + left.at(Instant::now())));
        result
    }

    /// The end; during a pause, when to look again.
    fn end(&self) -> Instant {
        let now = Instant::now();
        match *self.lock() {
            Left::Until(end) => end,
            Left::Paused(left) => now + left.max(MOMENT),
        }
    }

    fn change(&self, change: impl FnOnce(Left) -> Left) {
        let mut left = self.lock();
        *left = change(*left);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Left {
    fn at(self, now: Instant) -> Duration {
        match self {
            Self::Until(end) => end.saturating_duration_since(now),
            Self::Paused(left) => left,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn time_is_up_when_it_is_spent() {
        let budget = Budget::new(SECOND * 3);
        let start = Instant::now();
        assert_eq!(budget.limit(sleep(SECOND * 2)).await, Some(()));
        assert_eq!(budget.limit(sleep(SECOND * 2)).await, None);
        assert_eq!(start.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_cost_nothing() {
        let budget = Budget::new(SECOND * 3);
        let start = Instant::now();
        let work = async {
            sleep(SECOND * 2).await;
            budget.pause(sleep(SECOND * 60)).await;
            sleep(SECOND * 2).await;
        };
        assert_eq!(budget.limit(work).await, None);
        assert_eq!(start.elapsed().as_secs(), 63);
    }
}
