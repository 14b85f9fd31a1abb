//! Questions whose answers are not there yet, in their order.

use std::collections::VecDeque;

use crate::limits::{AHEAD, AHEAD_BYTES};

/// A queue of questions that have been asked. It holds so many, and so many bytes, and one more.
#[derive(Debug)]
pub(crate) struct Ahead<Q> {
    waiting: VecDeque<(Q, usize)>,
    bytes: usize,
}

impl<Q> Ahead<Q> {
    pub(crate) const fn new() -> Self {
        Self { waiting: VecDeque::new(), bytes: 0 }
    }

    /// Takes a question that holds so many bytes.
    pub(crate) fn push(&mut self, question: Q, bytes: usize) {
        self.bytes += bytes;
        self.waiting.push_back((question, bytes));
    }

    /// The next one to answer, when it must be: there are too many.
    pub(crate) fn pop_if_full(&mut self) -> Option<Q> {
        let is_full = self.waiting.len() > AHEAD || self.bytes > AHEAD_BYTES;
        if is_full { self.pop() } else { None }
    }

    /// The next one to answer, when it can be.
    pub(crate) fn pop_if(&mut self, is_ready: impl FnOnce(&Q) -> bool) -> Option<Q> {
        if self.waiting.front().is_some_and(|(first, _)| is_ready(first)) {
            self.pop()
        } else {
            None
        }
    }

    /// The next one to answer.
    pub(crate) fn pop(&mut self) -> Option<Q> {
        let (question, bytes) = self.waiting.pop_front()?;
        self.bytes -= bytes;
        Some(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_gives_up_the_first() {
        let mut ahead = Ahead::new();
        for question in 0..AHEAD {
            ahead.push(question, 0);
            assert_eq!(ahead.pop_if_full(), None);
        }
        ahead.push(AHEAD, 0);
        assert_eq!(ahead.pop_if_full(), Some(0));
        assert_eq!(ahead.pop_if_full(), None);
        ahead.push(0, AHEAD_BYTES + 1);
        for question in 1..=AHEAD {
            assert_eq!(ahead.pop_if_full(), Some(question));
        }
        assert_eq!(ahead.pop_if_full(), Some(0));
        assert_eq!(ahead.pop_if_full(), None);
    }

    #[test]
    fn what_is_not_ready_keeps_its_place() {
        let mut ahead = Ahead::new();
        (0..3).for_each(|question| ahead.push(question, 1));
        assert_eq!(ahead.pop_if(|&question| question == 1), None);
        assert_eq!(ahead.pop_if(|&question| question == 0), Some(0));
        assert_eq!([ahead.pop(), ahead.pop(), ahead.pop()], [Some(1), Some(2), None]);
    }
}
