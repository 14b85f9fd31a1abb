//! State in memory: parsed files, and recent answers of sites (REP-CACHE-22) and hosts
//! (REP-CACHE-28).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use verger::access::Timestamp;
use verger::{Dialect, Origin, Robots};

use crate::limits::{PARSED_BYTES, PARSED_OVERHEAD, SITE_ANSWER_AGE, SITE_ANSWERS};
use crate::lock;
use crate::record::{OriginRecord, ReadOptions};

/// Parsed files by origin. The oldest are evicted first.
#[derive(Debug)]
pub(super) struct Parsed {
    dialect: Dialect,
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    files: HashMap<Origin, File>,
    order: VecDeque<Origin>,
    bytes: usize,
}

#[derive(Debug)]
struct File {
    is_cut: bool,
    sha256: [u8; 32],
    robots: Arc<Robots>,
    size: usize,
}

impl Parsed {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, cache: Mutex::default() }
    }

    /// The parsed file for a reader, from the cache if its content is the same.
    pub(super) fn of(&self, record: &OriginRecord, options: &ReadOptions) -> Option<Arc<Robots>> {
        let source = record.file_for(options)?;
        let body = &source.body;
        if let Some(file) = lock(&self.cache).files.get(record.origin())
            && file.sha256 == *body.sha256()
            && file.is_cut == source.is_truncated()
        {
            return Some(Arc::clone(&file.robots));
        }
        // Parsed without the lock, because a large file takes time.
        let robots = Arc::new(source.parse(&self.dialect));
        let file = File {
            sha256: *body.sha256(),
            is_cut: source.is_truncated(),
            robots: Arc::clone(&robots),
            size: body.as_bytes().len() + PARSED_OVERHEAD,
        };
        lock(&self.cache).put(record.origin(), file);
        Some(robots)
    }
}

impl Cache {
    fn put(&mut self, origin: &Origin, file: File) {
        self.bytes += file.size;
        if let Some(before) = self.files.insert(origin.clone(), file) {
            self.bytes -= before.size;
        } else {
            self.order.push_back(origin.clone());
        }
        while self.bytes > PARSED_BYTES {
            let Some(oldest) = self.order.pop_front() else { return };
            self.bytes -= self.files.remove(&oldest).map_or(0, |file| file.size);
        }
    }
}

/// Time of the last answer of each origin, in two generations. When the younger one is full, the
/// older one is dropped. This bounds the memory, and origins that answer again remain.
#[derive(Debug, Default)]
pub(super) struct Availability(Mutex<[HashMap<Origin, Timestamp>; 2]>);

impl Availability {
    pub(super) fn put(&self, origin: &Origin, now: Timestamp) {
        let mut generations = lock(&self.0);
        let [younger, older] = &mut *generations;
        if younger.len() >= SITE_ANSWERS / 2 && !younger.contains_key(origin) {
            *older = std::mem::take(younger);
        }
        younger.insert(origin.clone(), now);
    }

    /// Whether a site answered recently.
    pub(super) fn has_answered(&self, origin: &Origin, now: Timestamp) -> bool {
        let generations = lock(&self.0);
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
        let mut last = lock(&self.0);
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
        let last = lock(&self.0);
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
    fn an_answer_counts_for_the_day_after_it() {
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
