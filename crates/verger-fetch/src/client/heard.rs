//! Which hosts have answered lately, as a sign that the crawler's own network works (REP-CACHE-28).

use std::sync::{Arc, Mutex, PoisonError};

use verger::access::Timestamp;

/// The two hosts that answered last, each with the time of its last answer: enough to know when some
/// host other than a given one answered.
#[derive(Debug, Default)]
pub(super) struct Heard(Mutex<[Option<Answer>; 2]>);

/// A host, and when it answered last.
type Answer = (Arc<str>, Timestamp);

impl Heard {
    /// A host has answered.
    pub(super) fn note(&self, host: &str, now: Timestamp) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *last {
            [Some((first, at)), _] if **first == *host => *at = now,
            [first, second] => {
                *second = first.take();
                *first = Some((host.into(), now));
            }
        }
    }

    /// When a host other than this one answered last, at `now` or before.
    pub(super) fn other_than(&self, host: &str, now: Timestamp) -> Option<Timestamp> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let others = last.iter().flatten().filter(|(other, at)| **other != *host && *at <= now);
        others.map(|&(_, at)| at).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_other_hosts_count_and_only_answers_that_have_come() {
        let at = Timestamp::from_seconds;
        let heard = Heard::default();
        let other = |host, now| heard.other_than(host, at(now)).map(Timestamp::seconds);
        assert_eq!(other("a.example", 9), None);
        heard.note("a.example", at(1));
        heard.note("a.example", at(2));
        assert_eq!((other("a.example", 9), other("b.example", 9)), (None, Some(2)));
        heard.note("b.example", at(3));
        heard.note("a.example", at(4));
        assert_eq!((other("a.example", 9), other("b.example", 9)), (Some(3), Some(4)));
        assert_eq!(other("c.example", 3), Some(3));
        assert_eq!(other("c.example", 2), None);
    }
}
