//! The times of fetches: bounded concurrency, an interval for each site, with jitter.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::limits::WATCHED_AT_ONCE;

/// The clock of a schedule. A change of the system's time does not move it.
pub(crate) trait Pace {
    /// The time since a fixed one.
    fn now(&self) -> Duration;

    /// Waits for a result, at most until a time. `is_running`: whether a result will come.
    fn wait<T>(
        &self,
        results: &Receiver<T>,
        until: Option<Duration>,
        is_running: bool,
    ) -> Option<T>;
}

/// The time since its creation.
pub(crate) struct RealTime(pub(crate) Instant);

impl Pace for RealTime {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn wait<T>(&self, results: &Receiver<T>, until: Option<Duration>, _: bool) -> Option<T> {
        let Some(until) = until else { return results.recv().ok() };
        results.recv_timeout(until.saturating_sub(self.now())).ok()
    }
}

/// Runs fetches until none is due any more. `start` begins one, which sends its result; `finish`
/// says after which time the next one of this site is due.
pub(crate) fn run<T, E>(
    pace: &impl Pace,
    sites: usize,
    mut start: impl FnMut(usize, Sender<(usize, T)>),
    mut finish: impl FnMut(usize, T) -> Result<Option<Duration>, E>,
) -> Result<(), E> {
    let (sender, results) = channel();
    let spread = RandomState::new();
    let begin = pace.now();
    let mut due: BinaryHeap<_> = (0..sites).map(|site| Reverse((begin, site))).collect();
    let mut running = 0_usize;
    while !due.is_empty() || running > 0 {
        let is_full = running >= WATCHED_AT_ONCE;
        let next = due.peek().map(|Reverse((at, _))| *at).filter(|_| !is_full);
        if next.is_some_and(|at| at <= pace.now())
            && let Some(Reverse((_, site))) = due.pop()
        {
            running += 1;
            start(site, sender.clone());
            continue;
        }
        if let Some((site, result)) = pace.wait(&results, next, running > 0) {
            running -= 1;
            if let Some(after) = finish(site, result)? {
                // From 90 % to 110 %, so that sites do not stay in step.
                let share = 900 + (spread.hash_one((site, pace.now())) % 201) as u32;
                due.push(Reverse((pace.now() + after * share / 1000, site)));
            }
        }
    }
    Ok(())
}
