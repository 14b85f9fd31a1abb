//! How often: what a file asks for, and what is made of it.

use std::time::Duration;

use verger::access::Timestamp;
use verger::extension::{MinuteOfDay, Window};
use verger::{Crawler, Robots};

use crate::limits::{AT_ONCE, LONGEST_PAUSE, LimitError, PAUSE};

/// How often the owner of a crawler wants it to ask one origin.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use verger::access::Timestamp;
/// use verger::{Crawler, Robots};
/// use verger_fetch::polite::Politeness;
///
/// let politeness = Politeness::default().with_pause(Duration::from_secs(2))?;
/// let crawler = Crawler::new("ExampleBot");
/// let pace = |text| politeness.pace(&Robots::parse(text), &crawler, Timestamp::from_seconds(0));
///
/// assert_eq!(pace("User-agent: *\nDisallow:\n").kept, Duration::from_secs(2));
/// let slow = pace("User-agent: *\nCrawl-delay: 10\nRequest-rate: 1/1m\n");
/// assert_eq!(slow.kept, Duration::from_secs(60));
/// let slower = pace("User-agent: *\nCrawl-delay: 3600\n");
/// assert_eq!(slower.asked, Some(Duration::from_secs(3600)));
/// assert_eq!(slower.kept, Duration::from_secs(300));
/// # Ok::<(), verger_fetch::limits::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Politeness {
    pause: Duration,
    longest: Duration,
    heeds_visit_times: bool,
    longest_wait: Option<Duration>,
    at_once: usize,
}

/// The pause between two requests to one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pace {
    /// The longest pause that the file asks this crawler for at this time of the day, by `Crawl-delay`
    /// or `Request-rate` (REP-EXT-4, REP-EXT-12); `None`: it asks for none.
    pub asked: Option<Duration>,
    /// The pause that is kept: what is asked, but not longer than the cap, and not shorter than the
    /// crawler's own.
    pub kept: Duration,
    /// How long until the file's `Visit-time` lets a crawler come (REP-EXT-10); zero: it may come now.
    pub opens_in: Duration,
}

impl Politeness {
    /// With another pause of the crawler's own, [`PAUSE`].
    ///
    /// # Errors
    ///
    /// When the value is outside the range.
    pub fn with_pause(mut self, pause: Duration) -> Result<Self, LimitError> {
        self.pause = PAUSE.check("pause", pause)?;
        Ok(self)
    }

    /// With another cap, [`LONGEST_PAUSE`].
    ///
    /// # Errors
    ///
    /// When the value is outside the range.
    pub fn with_longest_pause(mut self, longest: Duration) -> Result<Self, LimitError> {
        self.longest = LONGEST_PAUSE.check("longest_pause", longest)?;
        Ok(self)
    }

    /// Whether `Visit-time` is heeded. Default: yes.
    #[must_use]
    pub const fn with_visit_times(mut self, heeds: bool) -> Self {
        self.heeds_visit_times = heeds;
        self
    }

    /// Limits the wait for a turn. Default: no limit; the wait for `Visit-time` and `Retry-After` may be a
    /// day.
    ///
    /// A turn that comes later is refused as soon as that is known
    /// ([`TurnError::TooLong`](crate::client::TurnError::TooLong)). Time that was spent on robots.txt counts,
    /// but a turn that needs no further wait is not refused. Zero: every turn that needs a wait is refused.
    #[must_use]
    pub const fn with_longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = Some(wait);
        self
    }

    /// Requests to one origin that may run at the same time, [`AT_ONCE`]. A pause follows each of them
    /// before the next one begins.
    ///
    /// # Errors
    ///
    /// When the value is outside the range.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use verger_fetch::polite::Politeness;
    ///
    /// let politeness = Politeness::default()
    ///     .with_pause(Duration::from_secs(2))?
    ///     .with_longest_pause(Duration::from_secs(60))?
    ///     .with_at_once(2)?
    ///     .with_visit_times(false)
    ///     .with_longest_wait(Duration::from_secs(600));
    /// assert_eq!(politeness.longest_wait(), Some(Duration::from_secs(600)));
    /// # Ok::<(), verger_fetch::limits::LimitError>(())
    /// ```
    pub fn with_at_once(mut self, requests: usize) -> Result<Self, LimitError> {
        self.at_once = AT_ONCE.check("at_once", requests)?;
        Ok(self)
    }

    /// Requests to one origin that may run at the same time.
    pub(crate) const fn at_once(&self) -> usize {
        self.at_once
    }

    /// How long a turn is waited for; `None`: however long that is.
    pub const fn longest_wait(&self) -> Option<Duration> {
        self.longest_wait
    }

    /// The pace for one file, one crawler and one time.
    ///
    /// # Complexity
    ///
    /// Some walks through the text of the file, and selections of groups.
    pub fn pace(&self, robots: &Robots, crawler: &Crawler, now: Timestamp) -> Pace {
        let minute = MinuteOfDay::of_unix_time(now.seconds());
        let rate = robots.request_rate_at(crawler, minute).map(|rate| rate.interval());
        let asked = robots.crawl_delay(crawler).max(rate);
        let kept = asked.unwrap_or_default().min(self.longest).max(self.pause);
        let opens_in = if self.heeds_visit_times {
            opens_in(&robots.visit_times(crawler), now)
        } else {
            Duration::ZERO
        };
        Pace { asked, kept, opens_in }
    }
}

impl Default for Politeness {
    fn default() -> Self {
        Self {
            pause: PAUSE.default,
            longest: LONGEST_PAUSE.default,
            heeds_visit_times: true,
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
        (pace.asked.map(|asked| asked.as_secs()), pace.kept.as_secs(), pace.opens_in.as_secs())
    }

    #[test]
    fn the_strictest_of_what_is_asked_counts_up_to_the_cap() {
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
            ("Request-rate: 1/20s 1300-1659", (None, 1, 0)),
            ("Request-rate: 1/20s 0900-1200", (Some(20), 20, 0)),
        ] {
            let text = format!("User-agent: *\n{lines}\nDisallow: /x\n");
            assert_eq!(pace(Politeness::default(), &text, at(12, 0, 0)), expected, "{lines}");
        }
    }

    #[test]
    fn the_crawlers_own_pause_is_never_undercut_not_even_by_the_cap() {
        let politeness = Politeness::default()
            .with_pause(Duration::from_secs(600))
            .and_then(|it| it.with_longest_pause(Duration::from_secs(60)))
            .unwrap();
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
            let hasty = Politeness::default().with_visit_times(false);
            assert_eq!(pace(hasty, &text, now).2, 0, "{lines}");
        }
    }
}
