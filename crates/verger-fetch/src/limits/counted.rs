//! Counting under a limit.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::LimitReached;

/// One unit of a limit, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    /// Takes a unit.
    ///
    /// # Errors
    ///
    /// The limit, if it is reached.
    pub(crate) fn take(taken: &'a AtomicUsize, limit: LimitReached) -> Result<Self, LimitReached> {
        let place = Self(taken);
        let before = taken.fetch_add(1, Ordering::Relaxed);
        if before < limit.size() { Ok(place) } else { Err(limit) }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_limited_and_returned() {
        let (taken, limit) = (AtomicUsize::new(0), LimitReached::new(2, "tests run"));
        let (first, second) = (Counted::take(&taken, limit), Counted::take(&taken, limit));
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(Counted::take(&taken, limit).unwrap_err(), limit);
        drop(first);
        assert!(Counted::take(&taken, limit).is_ok());
        assert_eq!(taken.load(Ordering::Relaxed), 1);
    }
}
