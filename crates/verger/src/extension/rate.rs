//! `Request-rate` and `Visit-time`: how often, and when (REP-EXT-10 to REP-EXT-12).

use alloc::vec::Vec;
use core::time::Duration;

use super::InvalidValue;
use super::number::number;
use super::record::{Record, RecordKind};
use super::records::values;
use super::window::{MinuteOfDay, Window};
use crate::AsCrawler;
use crate::limits;
use crate::parse::is_space;
use crate::robots::Robots;

/// At most so many documents per period, always or at certain times of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RequestRate {
    /// Documents, at least 1.
    pub documents: u32,
    /// The period, at least a second.
    pub period: Duration,
    /// When it holds, in UTC; `None`: always.
    pub window: Option<Window>,
}

impl RequestRate {
    /// `documents/time[s|m|h|d] [HHMM-HHMM]`, seconds by default.
    ///
    /// # Errors
    ///
    /// When it is anything else, or one of the numbers is 0 or too large: `1/0`.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::{MinuteOfDay, RequestRate};
    ///
    /// let rate = RequestRate::parse(b"1/10m 1300-1659")?;
    /// assert_eq!(rate.interval().as_secs(), 600);
    /// assert!(rate.holds_at(MinuteOfDay::new(14, 0).expect("exists")));
    /// assert!(!rate.holds_at(MinuteOfDay::new(12, 0).expect("exists")));
    /// assert!(RequestRate::parse(b"1/0").is_err());
    /// # Ok::<(), verger::extension::InvalidValue>(())
    /// ```
    pub fn parse(value: &[u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue = InvalidValue::expected("a rate such as `1/10s 0600-0845`");
        let mut words = value.split(|&octet| is_space(octet)).filter(|word| !word.is_empty());
        let rate = words.next().ok_or(EXPECTED)?;
        let window = words.next().map(Window::parse).transpose()?;
        let slash = rate.iter().position(|&octet| octet == b'/').ok_or(EXPECTED)?;
        let (documents, time) = (&rate[..slash], &rate[slash + 1..]);
        let (time, unit) = match time {
            [time @ .., b'm' | b'M'] => (time, 60),
            [time @ .., b'h' | b'H'] => (time, 60 * 60),
            [time @ .., b'd' | b'D'] => (time, 24 * 60 * 60),
            [time @ .., b's' | b'S'] | time => (time, 1),
        };
        let documents = number(documents).ok_or(EXPECTED)?;
        let time = number(time).ok_or(EXPECTED)?;
        if documents == 0 || time == 0 || words.next().is_some() {
            return Err(EXPECTED);
        }
        let period = Duration::from_secs(u64::from(time) * unit);
        Ok(Self { documents, period, window })
    }

    /// The time between two documents that the rate leaves, at most 24 hours
    /// ([`CRAWL_DELAY_SECONDS`](limits::CRAWL_DELAY_SECONDS)).
    pub fn interval(&self) -> Duration {
        (self.period / self.documents).min(Duration::from_secs(limits::CRAWL_DELAY_SECONDS))
    }

    /// Whether it holds at a time of the day.
    pub fn holds_at(&self, time: MinuteOfDay) -> bool {
        self.window.is_none_or(|window| window.contains(time))
    }
}

impl Robots {
    /// The request rates that apply to a crawler, in file order.
    ///
    /// # Complexity
    ///
    /// One walk through the text and one selection of groups.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: a\nRequest-rate: 5/1m\nRequest-rate: 1/10m 1300-1659\n");
    /// assert_eq!(robots.request_rates("a").len(), 2);
    /// assert!(robots.request_rates("b").is_empty());
    /// ```
    pub fn request_rates<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Vec<RequestRate> {
        let read = |record: &Record<'_>| RequestRate::parse(record.value());
        values(self.records_for(crawler), RecordKind::RequestRate, read).collect()
    }

    /// The strictest request rate that applies to a crawler at a time of the day; `None` outside of
    /// every window (REP-EXT-12).
    ///
    /// # Complexity
    ///
    /// One walk through the text and one selection of groups.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, extension::MinuteOfDay};
    ///
    /// let robots = Robots::parse("User-agent: a\nRequest-rate: 5/1m\nRequest-rate: 1/10m 1300-1659\n");
    /// let noon = MinuteOfDay::new(12, 0).expect("exists");
    /// let afternoon = MinuteOfDay::new(14, 0).expect("exists");
    /// assert_eq!(robots.request_rate_at("a", noon).expect("a rate").interval().as_secs(), 12);
    /// assert_eq!(robots.request_rate_at("a", afternoon).expect("a rate").interval().as_secs(), 600);
    /// ```
    pub fn request_rate_at<C: AsCrawler + ?Sized>(
        &self,
        crawler: &C,
        time: MinuteOfDay,
    ) -> Option<RequestRate> {
        let rates = self.request_rates(crawler).into_iter().filter(|rate| rate.holds_at(time));
        rates.max_by_key(RequestRate::interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    #[track_caller]
    fn check(value: &str, expected: Option<&str>) {
        let found = RequestRate::parse(value.as_bytes()).ok().map(|rate| {
            let window = rate.window.map_or_else(String::new, |window| format!(" {window}"));
            format!("{}/{}s{window}", rate.documents, rate.period.as_secs())
        });
        assert_eq!(found.as_deref(), expected, "{value:?}");
    }

    #[test]
    fn rates_of_both_sources() {
        check("1/10m 1300-1659", Some("1/600s 1300-1659"));
        check("5/1m\t0500-1259", Some("5/60s 0500-1259"));
        check("1/10s", Some("1/10s"));
        check("100/15M", Some("100/900s"));
        check("10/60", Some("10/60s"));
        check("1/2h", Some("1/7200s"));
        check("1/1d", Some("1/86400s"));
    }

    #[test]
    fn everything_else_is_no_rate() {
        for value in [
            "",
            "1",
            "/",
            "1/",
            "/5",
            "1/0",
            "0/0",
            "0/5",
            "-1/5",
            "1/5x",
            "1/²",
            "1\x1c/5",
            "1/s",
            "1/10 9999-9999",
            "1/10 06-08",
            "1/10 0600-0845 x",
            "99999999999/1",
            "1/99999999999",
        ] {
            check(value, None);
        }
    }
}
