//! The time and the slot of a fetch, both suspended while it waits for this client.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::pool::{Lend, Pool, PoolPermit};
use crate::limits::PAUSE_CHECK;
use crate::lock;
use crate::running::{Watch, timeout};

/// The time of one fetch. Waiting for this client costs none of it, because the server is not
/// responsible.
#[derive(Debug)]
pub(crate) struct Budget<'a> {
    left: Mutex<Left>,
    /// Maximum of all waits together: the time of the fetch. After that its check has ended.
    waiting: Mutex<Duration>,
    pub(crate) slot: Option<&'a Slot>,
    has_stopped: AtomicBool,
}

/// A slot among the fetches of a client. It is released while the fetch waits for a place at an
/// address, otherwise sites that share one would delay all others. Clones are the same slot.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    slots: Pool,
    held: Arc<Mutex<Option<PoolPermit>>>,
}

#[derive(Clone, Copy, Debug)]
enum Left {
    Until(Instant),
    /// Time that remains after the wait.
    Paused(Duration),
}

impl<'a> Budget<'a> {
    pub(crate) fn new(total: Duration, slot: Option<&'a Slot>) -> Self {
        let left = Mutex::new(Left::Until(Instant::now() + total));
        Self { left, waiting: Mutex::new(total), slot, has_stopped: AtomicBool::new(false) }
    }

    /// Awaits a future until the time is up; `None` then.
    pub(crate) async fn limit<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = std::pin::pin!(future);
        let mut watch = Watch::during(lock(&self.left).at(Instant::now()));
        loop {
            let result = tokio::select! {
                biased;
                result = &mut future => Some(result),
                () = watch.tick(self.end()) => None,
            };
            self.has_stopped.fetch_or(watch.has_stopped(), Ordering::Relaxed);
            let left = *lock(&self.left);
            if result.is_some() || matches!(left, Left::Until(end) if end <= Instant::now()) {
                return result;
            }
        }
    }

    /// Whether the process did not run for a while during [`limit`](Self::limit).
    pub(crate) fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }

    /// Awaits something of this client, at no cost of time. The slot is released and not taken
    /// again. `None` after the maximum of all waits together.
    pub(super) async fn pause<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        self.change(|left| Left::Paused(left.at(Instant::now())));
        if let Some(slot) = self.slot {
            slot.release();
        }
        let begun = Instant::now();
        let most = *lock(&self.waiting);
        let result = timeout(most, future).await;
        *lock(&self.waiting) = most.saturating_sub(begun.elapsed());
        self.change(|left| Left::Until(Instant::now() + left.at(Instant::now())));
        result
    }

    /// Takes the slot again if one is free.
    pub(super) fn try_resume(&self) -> bool {
        self.slot.is_none_or(Slot::try_take_again)
    }

    /// Takes the slot again as soon as one is free, also at no cost of time. `None` as above.
    pub(super) async fn resume(&self) -> Option<()> {
        match self.slot {
            Some(slot) => self.pause(slot.take_again()).await,
            None => Some(()),
        }
    }

    /// The end; during a pause, the time of the next check.
    fn end(&self) -> Instant {
        let now = Instant::now();
        match *lock(&self.left) {
            Left::Until(end) => end,
            Left::Paused(left) => now + left.max(PAUSE_CHECK),
        }
    }

    fn change(&self, change: impl FnOnce(Left) -> Left) {
        let mut left = lock(&self.left);
        *left = change(*left);
    }
}

impl Slot {
    /// Waits for a slot.
    pub(crate) async fn take(slots: &Pool) -> Option<Self> {
        let held = slots.take().await?;
        Some(Self { slots: slots.clone(), held: Arc::new(Mutex::new(Some(held))) })
    }

    fn release(&self) {
        drop(lock(&self.held).take());
    }

    fn try_take_again(&self) -> bool {
        let mut held = lock(&self.held);
        if held.is_none() {
            *held = self.slots.try_take();
        }
        held.is_some()
    }

    async fn take_again(&self) {
        let again = self.slots.take().await;
        *lock(&self.held) = again;
    }
}

impl Lend for Slot {
    fn set_silent(&self, is_silent: bool) {
        lock(&self.held).iter().for_each(|held| held.set_silent(is_silent));
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

    use super::super::pool::Lends;
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_budget_ends_when_its_time_is_spent() {
        let budget = Budget::new(SECOND * 3, None);
        let start = Instant::now();
        assert_eq!(budget.limit(sleep(SECOND * 2)).await, Some(()));
        assert_eq!(budget.limit(sleep(SECOND * 2)).await, None);
        assert_eq!(start.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_take_no_time_of_the_budget() {
        let budget = Budget::new(SECOND * 3, None);
        let start = Instant::now();
        let work = async {
            sleep(SECOND * 2).await;
            budget.pause(sleep(SECOND * 3)).await;
            sleep(SECOND * 2).await;
        };
        assert_eq!(budget.limit(work).await, None);
        assert_eq!(start.elapsed().as_secs(), 6);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_together_take_at_most_the_total_time() {
        let budget = Budget::new(SECOND * 3, None);
        let start = Instant::now();
        assert_eq!(budget.pause(sleep(SECOND * 2)).await, Some(()));
        assert_eq!(budget.pause(sleep(SECOND * 2)).await, None);
        assert_eq!(start.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slot_is_free_during_a_pause_and_can_be_taken_again() {
        let slots = Pool::new(1, Lends::One);
        let free = || slots.try_take().is_some();
        let slot = Slot::take(&slots).await.unwrap();
        let budget = Budget::new(SECOND * 3, Some(&slot));
        assert!(!free());
        assert_eq!(budget.pause(async { free() }).await, Some(true));
        assert!(free());
        let other = Slot::take(&slots).await.unwrap();
        assert!(!budget.try_resume());
        drop(other);
        assert!(budget.try_resume());
        assert!(!free());
        budget.pause(async {}).await;
        budget.resume().await;
        assert!(!free());
        drop(slot);
        assert!(free());
    }
}
