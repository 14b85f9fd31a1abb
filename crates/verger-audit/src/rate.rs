//! The rate of a crawler's requests.

use std::collections::VecDeque;

use verger::access::Timestamp;
use verger::{Crawler, Robots};

use crate::limits::{MARGIN_SECONDS, PACE_SECONDS, PACED_REQUESTS, RATE_REQUESTS};

/// A limit: this many requests take at least this many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    /// Steps from the first request to the last.
    steps: usize,
    seconds: u64,
}

/// The limits of a robots.txt for a crawler, as far as a reading without mistakes has them, too.
pub(crate) fn limits_of(robots: &Robots, strict: &Robots, crawler: &Crawler) -> Vec<Limit> {
    let mut limits = read_limits(robots, crawler);
    let strict = read_limits(strict, crawler);
    limits.retain(|limit| strict.contains(limit));
    limits
}

fn read_limits(robots: &Robots, crawler: &Crawler) -> Vec<Limit> {
    let always = robots.request_rates(crawler).into_iter().filter(|rate| rate.window.is_none());
    let rates = always.map(|rate| (rate.documents, rate.period));
    let delay = robots.crawl_delay(crawler).map(|delay| (1, delay));
    let limits = rates.chain(delay).filter_map(|(documents, period)| {
        let steps = MIN_STEPS.max(usize::try_from(documents).ok()?);
        // Requests that are as many steps apart as there are documents are a period apart. Times in
        // whole seconds may seem shorter by less than one.
        let periods = u32::try_from(steps).ok()? / documents;
        let seconds = period.checked_mul(periods)?.as_secs();
        (steps <= RATE_REQUESTS && seconds > 0).then_some(Limit { steps, seconds })
    });
    limits.collect()
}

/// A window of ten requests: a crawler with several connections may send two at once.
const MIN_STEPS: usize = 9;

/// A request for the judgement of its crawler's pace (rule 32).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paced {
    pub(crate) at: Timestamp,
    /// Whether the time may be that of its end.
    pub(crate) is_end: bool,
    /// The time from which on the crawler can have known the limits; `None` if it does not.
    pub(crate) known_from: Option<Timestamp>,
}

/// The times of the latest requests.
#[derive(Debug, Default)]
pub(crate) struct Recent(VecDeque<Timestamp>);

impl Recent {
    /// Adds a request. Whether it is too early by one of the limits.
    ///
    /// A request before the last one, in a log that is not in order, does not count; the clock was
    /// wrong if it is long before it.
    pub(crate) fn add(&mut self, request: Paced, limits: &[Limit]) -> bool {
        let Paced { at: time, is_end, known_from } = request;
        if let Some(&last) = self.0.back().filter(|last| **last > time) {
            if last.since(time).as_secs() <= MARGIN_SECONDS {
                return false;
            }
            self.0.clear();
        }
        // The limit may become known later.
        if self.0.len() > PACED_REQUESTS {
            self.0.pop_front();
        }
        let is_early = |limit: &Limit, from: Timestamp| {
            let times = if is_end { PACE_SECONDS.div_ceil(limit.seconds) } else { 1 };
            let least = limit.seconds * times - if is_end { MARGIN_SECONDS } else { 0 };
            let steps = limit.steps.saturating_mul(usize::try_from(times).unwrap_or(usize::MAX));
            let first = self.0.len().checked_sub(steps).and_then(|at| self.0.get(at));
            first.is_some_and(|&first| first >= from && time.since(first).as_secs() < least)
        };
        let is_too_fast =
            known_from.is_some_and(|from| limits.iter().any(|limit| is_early(limit, from)));
        self.0.push_back(time);
        is_too_fast
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paced(at: u64) -> Paced {
        let (at, known_from) = (Timestamp::from_seconds(at), Some(Timestamp::EPOCH));
        Paced { at, is_end: false, known_from }
    }

    /// The number of the first request that is too early, if each is `apart` seconds after the one
    /// before it.
    fn first_early(robots: &str, apart: f64) -> Option<usize> {
        let limits = read_limits(&Robots::parse(robots), &Crawler::new("a"));
        let mut recent = Recent::default();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "small positive numbers"
        )]
        let second = |at: usize| (0.95 + at as f64 * apart) as u64;
        (1..=2_000).find(|at| recent.add(paced(second(*at)), &limits))
    }

    #[test]
    fn who_keeps_the_limit_is_never_too_fast() {
        for (line, kept, broken, first) in [
            ("Crawl-delay: 1", 1.0, 0.8, 10),
            ("Crawl-delay: 0.5", 0.5, 0.3, 10),
            ("Crawl-delay: 10", 10.0, 9.8, 10),
            ("Max-Crawl-Rate: 6/m", 10.0, 5.0, 10),
            ("Max-Crawl-Rate: 100/m", 0.6, 0.5, 101),
            ("Request-rate: 1/5", 5.0, 4.0, 10),
        ] {
            let robots = format!("User-agent: a\n{line}\nDisallow:\n");
            assert_eq!(first_early(&robots, kept), None, "{line}");
            assert_eq!(first_early(&robots, broken), Some(first), "{line}");
        }
        for unlimited in ["Crawl-delay: 0", "Max-Crawl-Rate: 9999/s", "Request-rate: 1/5 0600-0700"]
        {
            let robots = format!("User-agent: a\n{unlimited}\nDisallow:\n");
            assert_eq!(first_early(&robots, 0.0), None, "{unlimited}");
        }
    }

    #[test]
    fn a_burst_of_nine_and_a_line_in_the_past_are_no_reason() {
        let limits = [Limit { steps: 9, seconds: 90 }];
        let mut recent = Recent::default();
        assert!((0..9).all(|_| !recent.add(paced(1_000), &limits)));
        assert!(!recent.add(paced(950), &limits));
        assert!(recent.add(paced(1_089), &limits));
        assert!((0..5_000).all(|_| recent.add(paced(1_089), &limits)));
        assert!((0..9_000).all(|_| recent.add(paced(1_089), &limits)));
        assert!(recent.0.len() <= PACED_REQUESTS + 1);
        // A clock that was ahead says nothing about the requests before it.
        assert!((0..9).all(|at| !recent.add(paced(500 + at * 10), &limits)));
        assert!(recent.add(paced(589), &limits));
    }

    #[test]
    fn only_requests_after_the_limit_was_known_count() {
        let limits = [Limit { steps: 9, seconds: 90 }];
        let first = |from: Option<u64>| {
            let mut recent = Recent::default();
            let known_from = from.map(Timestamp::from_seconds);
            (1..=30).find(|at| recent.add(Paced { known_from, ..paced(*at) }, &limits))
        };
        assert_eq!([Some(0), Some(5), None].map(first), [Some(10), Some(14), None]);
    }

    #[test]
    fn ends_may_lie_a_minute_closer_together_than_beginnings() {
        // Requests a second apart, of which the last answer came at once: 60 seconds are missing.
        let limits = [Limit { steps: 9, seconds: 9 }];
        let mut recent = Recent::default();
        let end = |at: u64| Paced { is_end: true, ..paced(at) };
        assert!((0..1_000).all(|at| !recent.add(end(at.max(60)), &limits)));
        let mut recent = Recent::default();
        assert_eq!((0..1_000).find(|at| recent.add(end(at / 3), &limits)), Some(126));
        let limits = [Limit { steps: 600, seconds: 60 }];
        let mut recent = Recent::default();
        assert_eq!((0..2_000).find(|at| recent.add(end(at / 50), &limits)), Some(1_200));
    }
}
