//! The rate of a crawler's requests.

use std::collections::VecDeque;

use verger::access::Timestamp;
use verger::{Crawler, Robots};

use crate::limits::RATE_REQUESTS;

/// A limit: this many requests take at least this many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    /// Steps from the first request to the last.
    steps: usize,
    seconds: u64,
}

/// The limits of a robots.txt for a crawler.
pub(crate) fn limits_of(robots: &Robots, crawler: &Crawler) -> Vec<Limit> {
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

/// The times of the latest requests.
#[derive(Debug, Default)]
pub(crate) struct Recent(VecDeque<Timestamp>);

impl Recent {
    /// Adds a request. Whether it is too early by one of the limits.
    ///
    /// A request before the last one, in a log that is not in order, does not count.
    pub(crate) fn add(&mut self, time: Timestamp, limits: &[Limit]) -> bool {
        if self.0.back().is_some_and(|last| *last > time) {
            return false;
        }
        // The limit may become known later.
        if self.0.len() > RATE_REQUESTS {
            self.0.pop_front();
        }
        let is_early = |limit: &Limit| {
            let first = self.0.len().checked_sub(limit.steps).and_then(|at| self.0.get(at));
            first.is_some_and(|first| time.since(*first).as_secs() < limit.seconds)
        };
        let is_too_fast = limits.iter().any(is_early);
        self.0.push_back(time);
        is_too_fast
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the first request that is too early, if each is `apart` seconds after the one
    /// before it.
    fn first_early(robots: &str, apart: f64) -> Option<usize> {
        let limits = limits_of(&Robots::parse(robots), &Crawler::new("a"));
        let mut recent = Recent::default();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "small positive numbers"
        )]
        let second = |at: usize| (0.95 + at as f64 * apart) as u64;
        (1..=2_000).find(|at| recent.add(Timestamp::from_seconds(second(*at)), &limits))
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
        let at = Timestamp::from_seconds;
        assert!((0..9).all(|_| !recent.add(at(1_000), &limits)));
        assert!(!recent.add(at(500), &limits));
        assert!(recent.add(at(1_089), &limits));
        assert!((0..5_000).all(|_| recent.add(at(1_089), &limits)));
        assert!(recent.0.len() <= RATE_REQUESTS + 1);
    }
}
