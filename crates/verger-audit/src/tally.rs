//! The counts for one row of the report, in bounded memory.

use std::cmp::Reverse;

use verger::access::Timestamp;

use crate::limits::{BUCKET_SECONDS, BUCKETS, COUNTED_PATHS, PATH_BYTES, TOP_PATHS};
use crate::rate::Recent;
use crate::report::{Bucket, CrawlerReport, PathReport};
use crate::verdict::{Counts, Flags, Verdict};

/// The counts of one crawler.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The numbers of its row.
    pub(crate) row: CrawlerReport,
    pub(crate) recent: Recent,
}

impl Tally {
    pub(crate) fn add(&mut self, verdict: Verdict, flags: Flags, time: Option<Timestamp>) {
        let row = &mut self.row;
        row.verdicts.add(verdict);
        row.too_fast += u64::from(flags.too_fast);
        row.refused_robots_txt += u64::from(flags.refused_robots_txt);
        if let Some(time) = time {
            add_to_time_line(row, time, verdict);
        }
    }

    /// Counts a path by verdict and deciding rule, which `rule` writes. The counts of the most
    /// frequent ones may be too small, never too large (Misra and Gries, 1982).
    pub(crate) fn add_path(
        &mut self,
        path: &[u8],
        (verdict, decided): (Verdict, Option<Decided>),
        rule: impl FnOnce() -> Option<String>,
    ) {
        let path = String::from_utf8_lossy(&path[..path.len().min(PATH_BYTES)]);
        let (version, line) = decided.unzip();
        let line = line.flatten();
        let is_it = |it: &&mut PathReport| {
            (it.verdict, it.version, it.line) == (verdict, version, line) && it.path == path
        };
        let top = &mut self.row.top;
        if let Some(found) = top.iter_mut().find(is_it) {
            found.requests += 1;
        } else if top.len() < COUNTED_PATHS {
            let (path, rule, requests) = (path.into_owned(), rule(), 1);
            top.push(PathReport { path, verdict, rule, line, version, requests });
        } else {
            top.retain_mut(|it| {
                it.requests -= 1;
                it.requests > 0
            });
        }
    }

    /// The row. Paths of accusations are first, then the most frequent ones.
    pub(crate) fn finish(mut self) -> CrawlerReport {
        self.row.top.sort_by_cached_key(|it| {
            let rank = (it.verdict.is_accusation(), it.requests, it.verdict);
            (Reverse(rank), it.path.clone(), it.version, it.line)
        });
        self.row.top.truncate(TOP_PATHS);
        self.row
    }
}

/// Counts a request in its part of the time. If there are too many parts, each two become one.
fn add_to_time_line(row: &mut CrawlerReport, time: Timestamp, verdict: Verdict) {
    let start = |time: Timestamp, length| Timestamp::from_seconds(time.seconds() / length * length);
    row.bucket_seconds = row.bucket_seconds.max(BUCKET_SECONDS);
    let from = start(time, row.bucket_seconds);
    let parts = &mut row.timeline;
    let place = parts.partition_point(|part| part.from < from);
    if parts.get(place).is_none_or(|part| part.from > from) {
        parts.insert(place, Bucket { from, verdicts: Counts::default() });
    }
    parts[place].verdicts.add(verdict);
    while parts.len() > BUCKETS {
        row.bucket_seconds *= 2;
        for part in parts.iter_mut() {
            part.from = start(part.from, row.bucket_seconds);
        }
        parts.dedup_by(|part, before| {
            let is_same = part.from == before.from;
            if is_same {
                before.verdicts.merge(&part.verdicts);
            }
            is_same
        });
    }
}

/// The index of a version, and the line of its deciding rule.
pub(crate) type Decided = (usize, Option<usize>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_time_become_longer_and_lose_nothing() {
        let mut tally = Tally::default();
        let mut add = |seconds, verdict| {
            tally.add(verdict, Flags::default(), Some(Timestamp::from_seconds(seconds)));
        };
        for hour in 0..5_000_u64 {
            add(hour * 3_600, Verdict::Allowed);
        }
        // A clock that is wrong by centuries does not hide the rest.
        add(9_000_000_000, Verdict::Grace);
        let (buckets, seconds) = (tally.row.timeline, tally.row.bucket_seconds);
        assert!(buckets.len() <= BUCKETS && seconds == 64 * 3_600, "{seconds}");
        let sum = |verdict| buckets.iter().map(|it| it.verdicts.get(verdict)).sum::<u64>();
        assert_eq!((sum(Verdict::Allowed), sum(Verdict::Grace)), (5_000, 1));
    }

    #[test]
    fn frequent_paths_survive_a_flood_of_rare_ones() {
        let mut tally = Tally::default();
        for at in 0..100_000_u32 {
            let path = if at % 4 == 0 { "/often".to_owned() } else { format!("/{at}") };
            tally.add_path(path.as_bytes(), (Verdict::Grace, None), || None);
            assert!(tally.row.top.len() <= COUNTED_PATHS);
        }
        let top = tally.finish().top;
        assert_eq!(top[0].path, "/often");
        assert!((20_000..=25_000).contains(&top[0].requests), "{}", top[0].requests);
    }
}
