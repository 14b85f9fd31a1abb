//! Politeness: the request rate and the turns of an origin.
//!
//! [`Politeness`] has the settings of the crawler, [`Pace`] the result for a file. Every origin in
//! use has a queue: one request at a time, or the number of [`Politeness::at_once`], and a
//! pause after each. An origin that answers 429 or 503 gets a longer back-off, also in its record.
//! Processes that share a [`TurnStore`] are polite together.
//!
//! All of it concerns the pages of a site. The access state schedules fetches of robots.txt itself
//! ([`verger::access`]).

mod memory_turns;
mod pauses;
mod queue;
mod turn_store;

use std::time::Duration;

pub use memory_turns::MemoryTurns;
pub use turn_store::{Reservation, TurnId, TurnRequest, TurnStore};
use verger::access::Timestamp;
use verger::extension::{MinuteOfDay, Window};
use verger::{Crawler, Robots};

pub(crate) use self::pauses::back_off;
pub(crate) use self::queue::{Queues, RequestResult, Turn};
use crate::limits::{AT_ONCE, LONGEST_PAUSE, LimitError, PAUSE};

/// The politeness settings of a crawler.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use verger::access::Timestamp;
/// use verger::{Crawler, Robots};
/// use verger_fetch::polite::Politeness;
///
/// let politeness = Politeness { pause: Duration::from_secs(2), ..Politeness::default() };
/// let crawler = Crawler::new("ExampleBot");
/// let pace = |text| politeness.pace(&Robots::parse(text), &crawler, Timestamp::from_seconds(0));
///
/// assert_eq!(pace("User-agent: *\nDisallow:\n").applied, Duration::from_secs(2));
/// let slow = pace("User-agent: *\nCrawl-delay: 10\nRequest-rate: 1/1m\n");
/// assert_eq!(slow.applied, Duration::from_secs(60));
/// let slower = pace("User-agent: *\nCrawl-delay: 3600\n");
/// assert_eq!(slower.requested, Some(Duration::from_secs(3600)));
/// assert_eq!(slower.applied, Duration::from_secs(300));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers set any of them")]
pub struct Politeness {
    /// The crawler's own pause: [`PAUSE`].
    pub pause: Duration,
    /// The cap of requested pauses: [`LONGEST_PAUSE`].
    pub longest_pause: Duration,
    /// Whether `Visit-time` is respected. Default: yes.
    pub visit_times: bool,
    /// Maximum wait for a turn. Default: no limit; the wait for `Visit-time` and `Retry-After` may
    /// be a day.
    ///
    /// A later turn is refused as soon as that is known
    /// ([`TurnError::TooLong`](crate::client::TurnError::TooLong)). Time for robots.txt counts, but
    /// a turn without further wait is not refused. Zero refuses every turn that needs a wait.
    pub longest_wait: Option<Duration>,
    /// Maximum number of concurrent requests to one origin: [`AT_ONCE`]. Each is followed by a
    /// pause before the next one begins.
    pub at_once: usize,
}

/// The pause between two requests to one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pace {
    /// The longest pause that the file requests of this crawler at this time of the day, by
    /// `Crawl-delay`, `Request-rate` or `Max-Crawl-Rate` (REP-EXT-4, REP-EXT-12, REP-EXT-42);
    /// `None` if it requests none.
    pub requested: Option<Duration>,
    /// The applied pause: the requested one, at most the cap and at least the crawler's own.
    pub applied: Duration,
    /// Time until the file's `Visit-time` permits a visit (REP-EXT-10); zero if it does now.
    pub opens_in: Duration,
}

impl Politeness {
    /// Checks that each value is in its range.
    pub(crate) fn check(&self) -> Result<(), LimitError> {
        PAUSE.check("pause", self.pause)?;
        LONGEST_PAUSE.check("longest_pause", self.longest_pause)?;
        AT_ONCE.check("at_once", self.at_once)
    }

    /// The pace for one file, one crawler and one time.
    ///
    /// # Complexity
    ///
    /// Some passes over the text of the file, and selections of groups.
    pub fn pace(&self, robots: &Robots, crawler: &Crawler, now: Timestamp) -> Pace {
        let minute = MinuteOfDay::of_unix_time(now.seconds());
        let rate = robots.request_rate_at(crawler, minute).map(|rate| rate.interval());
        let requested = robots.crawl_delay(crawler).max(rate);
        let applied = requested.unwrap_or_default().min(self.longest_pause).max(self.pause);
        let opens_in = if self.visit_times {
            opens_in(&robots.visit_times(crawler), now)
        } else {
            Duration::ZERO
        };
        Pace { requested, applied, opens_in }
    }
}

impl Default for Politeness {
    fn default() -> Self {
        Self {
            pause: PAUSE.default,
            longest_pause: LONGEST_PAUSE.default,
            visit_times: true,
            longest_wait: None,
            at_once: AT_ONCE.default,
        }
    }
}

/// The time until the first of these windows opens, to the second.
fn opens_in(windows: &[Window], now: Timestamp) -> Duration {
    const DAY: u64 = 24 * 60 * 60;
    let minute = MinuteOfDay::of_unix_time(now.seconds());
    if windows.iter().any(|window| window.contains(minute)) {
        return Duration::ZERO;
    }
    let second = now.seconds() % DAY;
    let until = |window: &Window| {
        let from = u64::from(window.from.since_midnight()) * 60;
        (from + DAY - second) % DAY
    };
    Duration::from_secs(windows.iter().map(until).min().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: u64, minute: u64, second: u64) -> Timestamp {
        Timestamp::from_seconds(20_000 * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    fn pace(politeness: Politeness, text: &str, now: Timestamp) -> (Option<u64>, u64, u64) {
        let pace = politeness.pace(&Robots::parse(text), &Crawler::new("ExampleBot"), now);
        (pace.requested.map(|it| it.as_secs()), pace.applied.as_secs(), pace.opens_in.as_secs())
    }

    #[test]
    fn the_longest_requested_pause_counts_up_to_the_cap() {
        for (lines, expected) in [
            ("", (None, 1, 0)),
            ("Crawl-delay: 0", (Some(0), 1, 0)),
            ("Crawl-delay: 10", (Some(10), 10, 0)),
            ("Crawl-delay: -5", (None, 1, 0)),
            ("Crawl-delay: 1e9", (None, 1, 0)),
            ("Crawl-delay: 99999999999999999999", (Some(86_400), 300, 0)),
            ("Request-rate: 1/20s", (Some(20), 20, 0)),
            ("Crawl-delay: 30\nRequest-rate: 1/20s", (Some(30), 30, 0)),
            ("Crawl-delay: 5\nRequest-rate: 1/20s\nRequest-rate: 1/40s", (Some(40), 40, 0)),
            ("Crawl-delay: 5\nMax-Crawl-Rate: 6/m", (Some(10), 10, 0)),
            ("Crawl-delay: 30\nMax-Crawl-Rate: 6/m", (Some(30), 30, 0)),
            ("Crawl-delay: 5\nMax-Crawl-Rate: slow", (Some(5), 5, 0)),
            ("Max-Crawl-Rate: 10", (Some(0), 1, 0)),
            ("Request-rate: 1/20s 1300-1659", (None, 1, 0)),
            ("Request-rate: 1/20s 0900-1200", (Some(20), 20, 0)),
        ] {
            let text = format!("User-agent: *\n{lines}\nDisallow: /x\n");
            assert_eq!(pace(Politeness::default(), &text, at(12, 0, 0)), expected, "{lines}");
        }
    }

    #[test]
    fn the_crawlers_own_pause_is_the_minimum_even_above_the_cap() {
        let politeness = Politeness {
            pause: Duration::from_secs(600),
            longest_pause: Duration::from_secs(60),
            ..Politeness::default()
        };
        let text = "User-agent: *\nCrawl-delay: 100\n";
        assert_eq!(pace(politeness, text, at(0, 0, 0)), (Some(100), 600, 0));
    }

    #[test]
    fn rep_ext_10_a_visit_waits_for_the_next_window() {
        for (lines, now, expected) in [
            ("Visit-time: 0600-0845", at(5, 59, 30), 30),
            ("Visit-time: 0600-0845", at(6, 0, 0), 0),
            ("Visit-time: 0600-0845", at(8, 45, 59), 0),
            ("Visit-time: 0600-0845", at(8, 46, 0), 21 * 3_600 + 14 * 60),
            ("Visit-time: 2300-0100", at(0, 30, 0), 0),
            ("Visit-time: 2300-0100", at(12, 0, 0), 11 * 3_600),
            ("Visit-time: 0600-0700\nVisit-time: 1300-1400", at(12, 0, 0), 3_600),
            ("Visit-time: 2500-2600", at(12, 0, 0), 0),
        ] {
            let text = format!("User-agent: *\n{lines}\n");
            assert_eq!(pace(Politeness::default(), &text, now).2, expected, "{lines}");
            let ignoring = Politeness { visit_times: false, ..Politeness::default() };
            assert_eq!(pace(ignoring, &text, now).2, 0, "{lines}");
        }
    }
}
