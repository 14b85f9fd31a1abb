//! One of a limited number of things that run at the same time.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};

/// It is counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted<C: Deref<Target = AtomicUsize>>(C);

impl<C: Deref<Target = AtomicUsize>> Counted<C> {
    /// Counts one more; `None` if there are `most` already.
    pub(crate) fn below(most: usize, count: C) -> Option<Self> {
        let counted = Self(count);
        (counted.0.fetch_add(1, Ordering::Relaxed) < most).then_some(counted)
    }
}

impl<C: Deref<Target = AtomicUsize>> Drop for Counted<C> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_ones_make_room() {
        let count = AtomicUsize::new(0);
        let first = Counted::below(2, &count).unwrap();
        let _second = Counted::below(2, &count).unwrap();
        assert!(Counted::below(2, &count).is_none());
        drop(first);
        assert!(Counted::below(2, &count).is_some());
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
