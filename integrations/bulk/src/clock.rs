//! The time of reading, matching and writing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time of all threads by activity, in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    reading: AtomicU64,
    matching: AtomicU64,
    writing: AtomicU64,
}

impl Clock {
    pub(crate) fn read<T>(&self, work: impl FnOnce() -> T) -> T {
        measure(&self.reading, work)
    }

    pub(crate) fn compare<T>(&self, work: impl FnOnce() -> T) -> T {
        measure(&self.matching, work)
    }

    pub(crate) fn write<T>(&self, work: impl FnOnce() -> T) -> T {
        measure(&self.writing, work)
    }

    /// Seconds of reading, matching and writing.
    pub(crate) fn seconds(&self) -> [f64; 3] {
        [&self.reading, &self.matching, &self.writing]
            .map(|nanos| Duration::from_nanos(nanos.load(Ordering::Relaxed)).as_secs_f64())
    }
}

fn measure<T>(total: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = work();
    let nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
    total.fetch_add(nanos, Ordering::Relaxed);
    result
}
