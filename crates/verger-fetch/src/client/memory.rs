//! State in memory: parsed files, and recent answers of sites (REP-CACHE-22) and hosts
//! (REP-CACHE-28).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use verger::access::Timestamp;
use verger::{Dialect, Origin, Robots};

use crate::limits::{PARSED_BYTES, PARSED_OVERHEAD, SITE_ANSWER_AGE, SITE_ANSWERS};
use crate::lock;
use crate::record::{OriginRecord, ReadOptions, is_same_host};

/// Parsed files by origin and dialect. The oldest are evicted first.
#[derive(Debug)]
pub(super) struct Parsed {
    /// A file without rules, for URLs that need no robots.txt.
    empty: Arc<Robots>,
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    files: HashMap<Origin, Vec<File>>,
    /// The files in the order of their insertion.
    order: VecDeque<(Origin, Dialect)>,
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
    /// The dialect is that of most questions.
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { empty: Arc::new(dialect.parse("")), cache: Mutex::default() }
    }

    /// A file without rules.
    pub(super) fn empty(&self, dialect: &Dialect) -> Arc<Robots> {
        let is_usual = self.empty.dialect() == *dialect;
        if is_usual { Arc::clone(&self.empty) } else { Arc::new(dialect.parse("")) }
    }

    /// The parsed file for a reader, from the cache if its content is the same.
    pub(super) fn of(
        &self,
        record: &OriginRecord,
        options: &ReadOptions,
        dialect: &Dialect,
    ) -> Option<Arc<Robots>> {
        let source = record.file_for(options)?;
        let body = &source.body;
        if let Some(file) = lock(&self.cache).find(record.origin(), dialect)
            && file.sha256 == *body.sha256()
            && file.is_cut == source.is_truncated()
        {
            return Some(Arc::clone(&file.robots));
        }
        // Parsed without the lock, because a large file takes time.
        let robots = Arc::new(source.parse(dialect));
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
    fn find(&self, origin: &Origin, dialect: &Dialect) -> Option<&File> {
        self.files.get(origin)?.iter().find(|file| file.robots.dialect() == *dialect)
    }

    fn put(&mut self, origin: &Origin, file: File) {
        self.bytes += file.size;
        let dialect = file.robots.dialect();
        if let Some(before) = self.take(origin, &dialect) {
            self.bytes -= before.size;
        } else {
            self.order.push_back((origin.clone(), dialect));
        }
        self.files.entry(origin.clone()).or_default().push(file);
        while self.bytes > PARSED_BYTES {
            let Some((origin, dialect)) = self.order.pop_front() else { return };
            self.bytes -= self.take(&origin, &dialect).map_or(0, |file| file.size);
            if self.files.get(&origin).is_some_and(Vec::is_empty) {
                self.files.remove(&origin);
            }
        }
    }

    fn take(&mut self, origin: &Origin, dialect: &Dialect) -> Option<File> {
        let files = self.files.get_mut(origin)?;
        let at = files.iter().position(|file| file.robots.dialect() == *dialect)?;
        Some(files.swap_remove(at))
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
    use verger::access::Profile;

    use super::*;
    use crate::record::tests::record_of;

    const DAY: u64 = 24 * 60 * 60;

    fn origin(at: usize) -> Origin {
        Origin::from_parts("http", &format!("h{at}.example"), None).unwrap()
    }

    #[test]
    fn each_dialect_has_its_own_parsed_file() {
        let parsed = Parsed::new(Dialect::RFC9309);
        let record = |at, body: &str| record_of(&origin(at), body);
        let options = ReadOptions::new(Profile::RFC9309);
        let of = |record: &_, dialect| parsed.of(record, &options, &dialect).unwrap();
        let first = record(0, "User-agent: *\n");
        let (rfc, google) = (of(&first, Dialect::RFC9309), of(&first, Dialect::GOOGLE));
        assert_eq!((rfc.dialect(), google.dialect()), (Dialect::RFC9309, Dialect::GOOGLE));
        assert!(Arc::ptr_eq(&rfc, &of(&first, Dialect::RFC9309)));
        assert!(Arc::ptr_eq(&google, &of(&first, Dialect::GOOGLE)));
        let changed = of(&record(0, "User-agent: x\n"), Dialect::GOOGLE);
        assert_eq!(changed.text(), b"User-agent: x\n");
        assert!(Arc::ptr_eq(&rfc, &of(&first, Dialect::RFC9309)));
        let large = "#".repeat(PARSED_BYTES / 8);
        for at in 1..20 {
            of(&record(at, &large), Dialect::BING);
        }
        let cache = parsed.cache.lock().unwrap();
        assert!(cache.bytes <= PARSED_BYTES, "{}", cache.bytes);
        assert_eq!(cache.files.len(), cache.order.len());
        assert!(cache.find(&origin(0), &Dialect::RFC9309).is_none());
        assert!(cache.find(&origin(19), &Dialect::BING).is_some());
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
