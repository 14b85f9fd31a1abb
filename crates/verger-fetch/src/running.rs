//! Time in which this process did not run: it was stopped or frozen, its machine was suspended, or
//! its runtime was busy. It says nothing about a site (REP-CACHE-28a).

use std::future::poll_fn;
use std::mem;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::limits::{RUN_CHECK, RUN_CHECKS, STOPPED};

/// Detects that the process did not run, by frequent checks.
#[derive(Debug)]
pub(crate) struct Watch {
    checked_at: Instant,
    interval: Duration,
    suspended: Duration,
}

impl Watch {
    pub(crate) fn start() -> Self {
        Self::every(RUN_CHECK)
    }

    fn every(interval: Duration) -> Self {
        Self { checked_at: Instant::now(), interval, suspended: suspended() }
    }

    /// Waits for the end, or for the next check if that is due before.
    pub(crate) async fn tick(&self, end: Instant) {
        sleep_until(end.min(self.checked_at + self.interval)).await;
    }

    /// Whether the process did not run for a while since the last check. A timer that fires much
    /// later than it was set shows this.
    pub(crate) fn has_stopped(&mut self) -> bool {
        let last = mem::replace(self, Self::every(self.interval));
        let late = self.checked_at.saturating_duration_since(last.checked_at + last.interval);
        late.max(self.suspended.saturating_sub(last.suspended)) >= STOPPED
    }
}

/// Awaits a future within a time, which begins again after the process has stopped.
///
/// A hundred thousand checks can wait at once, so the time is divided into few intervals.
pub(crate) async fn timeout<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    // Most answers are there at once, and need no clock.
    let first = poll_fn(|context| Poll::Ready(future.as_mut().poll(context)));
    if let Poll::Ready(result) = first.await {
        return Some(result);
    }
    let mut watch = Watch::every(RUN_CHECK.max(time / RUN_CHECKS));
    let mut end = Instant::now() + time;
    loop {
        tokio::select! {
            biased;
            result = &mut future => return Some(result),
            () = watch.tick(end) => {}
        }
        let now = Instant::now();
        if watch.has_stopped() {
            end = now + time;
        } else if end <= now {
            return None;
        }
    }
}

/// Awaits a future, and returns its time in which the process ran.
pub(crate) async fn measured<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let mut future = pin!(future);
    let (mut watch, mut ran) = (Watch::start(), Duration::ZERO);
    loop {
        let begun = Instant::now();
        let result = tokio::select! {
            biased;
            result = &mut future => Some(result),
            () = watch.tick(begun + RUN_CHECK) => None,
        };
        if !watch.has_stopped() {
            ran += begun.elapsed();
        }
        if let Some(result) = result {
            return (result, ran);
        }
    }
}

/// Time for which the machine was suspended since its start, which the clock of timers does not count.
#[cfg(target_os = "linux")]
fn suspended() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    let read = |clock| Duration::try_from(clock_gettime(clock)).unwrap_or_default();
    // The later reading is larger, so a difference of some nanoseconds is no suspension.
    let running = read(ClockId::Monotonic);
    read(ClockId::Boottime).saturating_sub(running)
}

#[cfg(not(target_os = "linux"))]
const fn suspended() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, sleep};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_time_begins_again_after_a_stop() {
        for (stop, expected) in [(SECOND / 2, None), (SECOND * 100, Some(()))] {
            let work = async {
                sleep(SECOND * 2).await;
                advance(stop).await;
                sleep(SECOND * 9).await;
            };
            assert_eq!(timeout(SECOND * 10, work).await, expected, "{stop:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_time_in_which_the_process_runs_is_measured() {
        let work = async {
            sleep(SECOND * 2).await;
            advance(SECOND * 3_600).await;
            sleep(SECOND * 2).await;
        };
        let ((), ran) = measured(work).await;
        assert!(ran >= SECOND * 3 && ran <= SECOND * 5, "{ran:?}");
    }
}
