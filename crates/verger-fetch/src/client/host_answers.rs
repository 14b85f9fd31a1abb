//! Recent answers of hosts (REP-CACHE-28).

use std::sync::{Arc, Mutex};

use verger::access::Timestamp;

use crate::lock;
use crate::record::is_same_host;

/// The two hosts that answered last, with times. They suffice to know when a host other than a
/// given one answered, which shows that the crawler's own network works.
#[derive(Debug, Default)]
pub(super) struct HostAnswers(Mutex<[Option<Answer>; 2]>);

/// A host and the time of its last answer.
type Answer = (Arc<str>, Timestamp);

impl HostAnswers {
    /// Records an answer of a host.
    pub(super) fn note(&self, host: &str, now: Timestamp) {
        let mut last = lock(&self.0);
        match &mut *last {
            [Some((first, at)), _] if is_same_host(first, host) => *at = now,
            [first, second] => {
                *second = first.take();
                *first = Some((host.into(), now));
            }
        }
    }

    /// Time of the last answer of any other host, up to `now`.
    pub(super) fn other_than(&self, host: &str, now: Timestamp) -> Option<Timestamp> {
        let last = lock(&self.0);
        let is_other = |(other, at): &&Answer| !is_same_host(other, host) && *at <= now;
        let others = last.iter().flatten().filter(is_other);
        others.map(|&(_, at)| at).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_past_answers_of_other_hosts_count() {
        let at = Timestamp::from_seconds;
        let hosts = HostAnswers::default();
        let other = |host, now| hosts.other_than(host, at(now)).map(Timestamp::seconds);
        assert_eq!(other("a.example", 9), None);
        hosts.note("a.example", at(1));
        hosts.note("a.example", at(2));
        assert_eq!((other("a.example", 9), other("b.example", 9)), (None, Some(2)));
        hosts.note("b.example", at(3));
        hosts.note("a.example", at(4));
        assert_eq!((other("a.example", 9), other("b.example", 9)), (Some(3), Some(4)));
        assert_eq!(other("c.example", 3), Some(3));
        assert_eq!(other("c.example", 2), None);
    }
}
