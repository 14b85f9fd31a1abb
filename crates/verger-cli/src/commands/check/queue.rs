//! A bounded queue of questions whose answers are pending.

use std::collections::VecDeque;

use crate::limits::{QUEUE_BYTES, QUEUE_QUESTIONS};

/// Questions in order, up to [`QUEUE_QUESTIONS`] and [`QUEUE_BYTES`], and one more.
#[derive(Debug)]
pub(super) struct Queue<Q> {
    questions: VecDeque<(Q, usize)>,
    bytes: usize,
}

impl<Q> Queue<Q> {
    pub(super) const fn new() -> Self {
        Self { questions: VecDeque::new(), bytes: 0 }
    }

    /// Adds a question that holds this number of bytes.
    pub(super) fn push(&mut self, question: Q, bytes: usize) {
        self.bytes += bytes;
        self.questions.push_back((question, bytes));
    }

    /// Removes the first question if it is ready, or if the queue is over its limits.
    pub(super) fn pop_ready(&mut self, is_ready: impl FnOnce(&Q) -> bool) -> Option<Q> {
        let is_full = self.questions.len() > QUEUE_QUESTIONS || self.bytes > QUEUE_BYTES;
        let (first, _) = self.questions.front()?;
        if is_full || is_ready(first) { self.pop() } else { None }
    }

    /// Removes the first question.
    pub(super) fn pop(&mut self) -> Option<Q> {
        let (question, bytes) = self.questions.pop_front()?;
        self.bytes -= bytes;
        Some(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_returns_its_first_question() {
        let mut queue = Queue::new();
        for question in 0..QUEUE_QUESTIONS {
            queue.push(question, 0);
            assert_eq!(queue.pop_ready(|_| false), None);
        }
        queue.push(QUEUE_QUESTIONS, 0);
        assert_eq!(queue.pop_ready(|_| false), Some(0));
        assert_eq!(queue.pop_ready(|_| false), None);
        queue.push(0, QUEUE_BYTES + 1);
        for question in 1..=QUEUE_QUESTIONS {
            assert_eq!(queue.pop_ready(|_| false), Some(question));
        }
        assert_eq!(queue.pop_ready(|_| false), Some(0));
        assert_eq!(queue.pop_ready(|_| false), None);
    }

    #[test]
    fn an_unready_question_blocks_those_after_it() {
        let mut queue = Queue::new();
        (0..3).for_each(|question| queue.push(question, 1));
        assert_eq!(queue.pop_ready(|&question| question == 1), None);
        assert_eq!(queue.pop_ready(|&question| question == 0), Some(0));
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(1), Some(2), None]);
    }
}
