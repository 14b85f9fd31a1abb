//! The counts for one row of the report, in bounded memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::IpAddr;
use std::time::Duration;

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
    pub(crate) addresses: HashSet<IpAddr>,
    pub(crate) recent: Recent,
    pub(crate) paths: Paths,
    pub(crate) timeline: Timeline,
}

impl Tally {
    pub(crate) fn add(&mut self, verdict: Verdict, flags: Flags, time: Option<Timestamp>) {
        let row = &mut self.row;
        row.verdicts.add(verdict);
        row.too_fast += u64::from(flags.too_fast);
        row.refused_robots_txt += u64::from(flags.refused_robots_txt);
        if let Some(time) = time {
            self.timeline.add(time, verdict);
            row.first = Some(row.first.map_or(time, |first| first.min(time)));
            row.last = row.last.max(Some(time));
        }
    }
}

/// Requests over time, in equal parts. If there are too many, each two become one.
#[derive(Debug)]
pub(crate) struct Timeline {
    pub(crate) seconds: u64,
    parts: BTreeMap<u64, Counts>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { seconds: BUCKET_SECONDS, parts: BTreeMap::new() }
    }
}

impl Timeline {
    fn add(&mut self, time: Timestamp, verdict: Verdict) {
        self.parts.entry(time.seconds() / self.seconds).or_default().add(verdict);
        while self.parts.len() > BUCKETS {
            self.seconds *= 2;
            for (part, counts) in std::mem::take(&mut self.parts) {
                self.parts.entry(part / 2).or_default().merge(&counts);
            }
        }
    }

    pub(crate) fn buckets(self) -> Vec<Bucket> {
        let seconds = self.seconds;
        let bucket = |(part, verdicts)| Bucket {
            from: Timestamp::EPOCH.after(Duration::from_secs(part * seconds)),
            verdicts,
        };
        self.parts.into_iter().map(bucket).collect()
    }
}

/// The index of a version, and the line of its deciding rule.
pub(crate) type Decided = (usize, Option<usize>);

/// The most frequent paths by verdict and deciding rule: counts that may be too small, never too
/// large (Misra and Gries, 1982).
#[derive(Debug, Default)]
pub(crate) struct Paths(HashMap<PathKey, PathReport>);

type PathKey = (Box<[u8]>, Verdict, Option<Decided>);

impl Paths {
    /// Counts a path. `rule` writes the deciding rule.
    pub(crate) fn add(
        &mut self,
        path: &[u8],
        (verdict, decided): (Verdict, Option<Decided>),
        last: Option<Timestamp>,
        rule: impl FnOnce() -> Option<String>,
    ) {
        let path = &path[..path.len().min(PATH_BYTES)];
        let key = (path.into(), verdict, decided);
        if let Some(found) = self.0.get_mut(&key) {
            found.requests += 1;
            found.last = found.last.max(last);
        } else if self.0.len() < COUNTED_PATHS {
            let path = String::from_utf8_lossy(path).into_owned();
            let ((version, line), rule) = (decided.unzip(), rule());
            let (line, requests) = (line.flatten(), 1);
            let report = PathReport { path, verdict, rule, line, version, requests, last };
            self.0.insert(key, report);
        } else {
            self.0.retain(|_, count| {
                count.requests -= 1;
                count.requests > 0
            });
        }
    }

    /// Those of accusations first, then the most frequent ones.
    pub(crate) fn top(self) -> Vec<PathReport> {
        let mut all: Vec<_> = self.0.into_iter().collect();
        all.sort_by_cached_key(|((path, verdict, decided), it)| {
            let rank = (verdict.is_accusation(), it.requests, *verdict);
            (Reverse(rank), path.clone(), *decided)
        });
        all.into_iter().take(TOP_PATHS).map(|(_, report)| report).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_time_become_longer_and_lose_nothing() {
        let mut timeline = Timeline::default();
        for hour in 0..5_000_u64 {
            timeline.add(Timestamp::from_seconds(hour * 3_600), Verdict::Allowed);
        }
        // A clock that is wrong by centuries does not hide the rest.
        timeline.add(Timestamp::from_seconds(9_000_000_000), Verdict::Grace);
        let seconds = timeline.seconds;
        let buckets = timeline.buckets();
        assert!(buckets.len() <= BUCKETS && seconds == 64 * 3_600, "{seconds}");
        let sum = |verdict| buckets.iter().map(|it| it.verdicts.get(verdict)).sum::<u64>();
        assert_eq!((sum(Verdict::Allowed), sum(Verdict::Grace)), (5_000, 1));
    }

    #[test]
    fn frequent_paths_survive_a_flood_of_rare_ones() {
        let mut paths = Paths::default();
        for at in 0..100_000_u32 {
            let path = if at % 4 == 0 { "/often".to_owned() } else { format!("/{at}") };
            paths.add(path.as_bytes(), (Verdict::Grace, None), None, || None);
            assert!(paths.0.len() <= COUNTED_PATHS);
        }
        let top = paths.top();
        assert_eq!(top[0].path, "/often");
        assert!((20_000..=25_000).contains(&top[0].requests), "{}", top[0].requests);
    }
}
