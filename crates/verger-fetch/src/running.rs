//! Time limits without the time in which this process did not run: it was stopped or frozen, its
//! machine was suspended, or its runtime was busy. That says nothing about a site (REP-CACHE-28a).

use std::future::poll_fn;
use std::mem;
use std::pin::pin;
use std::sync::Mutex;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::limits::{RUN_CHECK, RUN_CHECKS, STOPPED, STOPPED_SHARE};
use crate::lock;

/// Detects that the process did not run, by frequent checks.
#[derive(Debug)]
pub(crate) struct Watch {
    checked_at: Instant,
    interval: Duration,
    /// Delay of a check that shows it.
    stopped: Duration,
    suspended: Duration,
}

impl Watch {
    /// Checks often during a time that was allowed for something.
    pub(crate) fn during(time: Duration) -> Self {
        Self::every(RUN_CHECK.min(time / RUN_CHECKS), time)
    }

    fn every(interval: Duration, time: Duration) -> Self {
        let stopped = STOPPED.min(time / STOPPED_SHARE);
        Self { checked_at: Instant::now(), interval, stopped, suspended: suspended() }
    }

    fn next_check(&self) -> Instant {
        self.checked_at + self.interval
    }

    /// Waits for the end, or for the next check if that is due before.
    pub(crate) async fn tick(&self, end: Instant) {
        sleep_until(end.min(self.next_check())).await;
    }

    /// Whether the process did not run for a while since the last check. A timer that fires much
    /// later than it was set shows this.
    pub(crate) fn has_stopped(&mut self) -> bool {
        let (checked_at, suspended) = (Instant::now(), suspended());
        let last = mem::replace(self, Self { checked_at, suspended, ..*self });
        let late = checked_at.saturating_duration_since(last.next_check());
        late.max(suspended.saturating_sub(last.suspended)) >= self.stopped
    }
}

/// A time for something, which begins again after the process has stopped.
#[derive(Debug)]
pub(crate) struct Timeout {
    time: Duration,
    begun: Mutex<(Instant, Watch)>,
}

impl Timeout {
    /// A hundred thousand checks can wait at once, so the time is divided into few intervals.
    pub(crate) fn start(time: Duration) -> Self {
        let watch = Watch::every(time / RUN_CHECKS, time);
        Self { time, begun: Mutex::new((watch.checked_at, watch)) }
    }

    /// Time since its beginning. Valid while [`limit`](Self::limit) runs.
    pub(crate) fn elapsed(&self) -> Duration {
        let (begun, watch) = &mut *lock(&self.begun);
        if watch.has_stopped() {
            *begun = watch.checked_at;
        }
        watch.checked_at.saturating_duration_since(*begun)
    }

    /// Awaits a future; `None` when the time is up.
    pub(crate) async fn limit<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        // Most answers are there at once, and need no timer.
        let first = poll_fn(|context| Poll::Ready(future.as_mut().poll(context)));
        if let Poll::Ready(result) = first.await {
            return Some(result);
        }
        let next_check = || {
            let (begun, watch) = &*lock(&self.begun);
            watch.next_check().min(*begun + self.time)
        };
        loop {
            tokio::select! {
                biased;
                result = &mut future => return Some(result),
                () = sleep_until(next_check()) => {}
            }
            if self.elapsed() >= self.time {
                return None;
            }
        }
    }
}

/// Awaits a future within a time, which begins again after the process has stopped. `None` when the
/// time is up.
pub async fn timeout<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    Timeout::start(time).limit(future).await
}

/// Awaits a future, and returns its time in which the process ran. `time` is the time allowed for
/// it.
pub(crate) async fn measured<T>(time: Duration, future: impl Future<Output = T>) -> (T, Duration) {
    let mut future = pin!(future);
    let (mut watch, mut ran) = (Watch::during(time), Duration::ZERO);
    loop {
        let begun = Instant::now();
        let result = tokio::select! {
            biased;
            result = &mut future => Some(result),
            () = watch.tick(watch.next_check()) => None,
        };
        if !watch.has_stopped() {
            ran += begun.elapsed();
        }
        if let Some(result) = result {
            return (result, ran);
        }
    }
}

/// Time for which the machine was suspended since its start, which the clock of timers does not
/// count.
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
        let ((), ran) = measured(SECOND * 10, work).await;
        assert!(ran >= SECOND * 3 && ran <= SECOND * 5, "{ran:?}");
    }
}
