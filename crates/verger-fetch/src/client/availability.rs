//! Recent answers: of sites to requests other than robots.txt (REP-CACHE-22), and of hosts to any
//! request (REP-CACHE-28).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use verger::Origin;
use verger::access::Timestamp;

use super::{Inner, RobotsClient};
use crate::limits::{SITE_ANSWER_AGE, SITE_ANSWERS};

/// Time of the last answer of each origin, in two generations. When the younger one is full, the
/// older one is dropped. This bounds the memory, and origins that answer again remain.
#[derive(Debug, Default)]
pub(super) struct Availability(Mutex<[HashMap<Origin, Timestamp>; 2]>);

impl RobotsClient {
    /// Reports that a site answered a URL other than its robots.txt with this status.
    /// [`Permit::report`](super::Permit::report) does this too.
    ///
    /// After 30 days without robots.txt, Google's profile depends on the rest of the site
    /// (REP-CACHE-10). The site is available for [`SITE_ANSWER_AGE`] after a 2xx, 3xx or 4xx except
    /// 429, the statuses that would also end an outage of robots.txt (REP-CACHE-20, REP-AMB-23).
    /// Other statuses and failed requests change nothing. Without a report a site is unavailable
    /// (REP-CACHE-22).
    ///
    /// Reports are held in memory only, for [`SITE_ANSWERS`] origins.
    pub fn report_available(&self, origin: &Origin, status: u16) {
        self.0.report_available(origin, status);
    }
}

impl Inner {
    pub(super) fn report_available(&self, origin: &Origin, status: u16) {
        self.host_answers.note(origin.host(), self.clock.now());
        if matches!(status, 200..=499) && status != 429 {
            self.availability.put(origin, self.clock.now());
        }
    }

    /// Whether other URLs of the site answered recently.
    pub(super) fn site_available(&self, origin: &Origin, now: Timestamp) -> bool {
        self.availability.has_answered(origin, now)
    }
}

impl Availability {
    fn put(&self, origin: &Origin, now: Timestamp) {
        let mut generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [younger, older] = &mut *generations;
        if younger.len() >= SITE_ANSWERS / 2 && !younger.contains_key(origin) {
            *older = std::mem::take(younger);
        }
        younger.insert(origin.clone(), now);
    }

    fn has_answered(&self, origin: &Origin, now: Timestamp) -> bool {
        let generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The younger generation is more recent.
        let last = generations.iter().find_map(|answers| answers.get(origin));
        // REP-CACHE-23: an answer with a future time is ignored.
        last.is_some_and(|&last| last <= now && now < last.after(SITE_ANSWER_AGE))
    }
}

/// The two hosts that answered last, with times. They suffice to know when a host other than a
/// given one answered, which shows that the crawler's own network works.
#[derive(Debug, Default)]
pub(super) struct HostAnswers(Mutex<[Option<Answer>; 2]>);

/// A host and the time of its last answer.
type Answer = (Arc<str>, Timestamp);

impl HostAnswers {
    /// Records an answer of a host.
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

    /// Time of the last answer of any other host, up to `now`.
    pub(super) fn other_than(&self, host: &str, now: Timestamp) -> Option<Timestamp> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let others = last.iter().flatten().filter(|(other, at)| **other != *host && *at <= now);
        others.map(|&(_, at)| at).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60;

    fn origin(at: usize) -> Origin {
        Origin::from_parts("http", &format!("h{at}.example"), None).unwrap()
    }

    #[test]
    fn an_answer_counts_for_a_day_and_not_before_its_time() {
        let answers = Availability::default();
        let at = Timestamp::from_seconds;
        answers.put(&origin(0), at(DAY));
        for (now, expected) in
            [(0, false), (DAY - 1, false), (DAY, true), (2 * DAY - 1, true), (2 * DAY, false)]
        {
            assert_eq!(answers.has_answered(&origin(0), at(now)), expected, "{now}");
        }
        assert!(!answers.has_answered(&origin(1), at(DAY)));
    }

    #[test]
    fn an_answer_counts_after_the_clock_went_back() {
        let answers = Availability::default();
        let at = Timestamp::from_seconds;
        answers.put(&origin(0), at(10 * DAY));
        answers.put(&origin(0), at(DAY));
        assert!(answers.has_answered(&origin(0), at(DAY)));
    }

    #[test]
    fn memory_is_bounded_and_the_latest_answers_remain() {
        let answers = Availability::default();
        let now = Timestamp::from_seconds(DAY);
        for at in 0..SITE_ANSWERS * 2 {
            answers.put(&origin(at), now);
            answers.put(&origin(0), now);
        }
        let kept = answers.0.lock().unwrap().iter().map(HashMap::len).sum::<usize>();
        assert!(kept <= SITE_ANSWERS, "{kept}");
        let last = SITE_ANSWERS * 2 - 1;
        assert!(answers.has_answered(&origin(0), now));
        assert!(answers.has_answered(&origin(last - SITE_ANSWERS / 2 + 1), now));
        assert!(!answers.has_answered(&origin(1), now));
    }

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
