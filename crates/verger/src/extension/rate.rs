//! `Request-rate` and `Visit-time`: how often, and when (REP-EXT-10 to REP-EXT-12).

use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use super::InvalidValue;
use super::record::{Record, RecordKind, values};
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

/// Times of the day, in UTC, from a minute to a minute, both included. It may cross midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Window {
    /// The first minute.
    pub from: MinuteOfDay,
    /// The last minute.
    pub to: MinuteOfDay,
}

impl Window {
    /// `HHMM-HHMM`.
    ///
    /// # Errors
    ///
    /// When it is anything else, or a time does not exist: `2400-2500`.
    pub fn parse(value: &[u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue = InvalidValue::expected("times such as `0600-0845`");
        let [from @ .., b'-', to_1, to_2, to_3, to_4] = value else {
            return Err(EXPECTED);
        };
        let to = [*to_1, *to_2, *to_3, *to_4];
        let from = MinuteOfDay::parse(from).ok_or(EXPECTED)?;
        let to = MinuteOfDay::parse(&to).ok_or(EXPECTED)?;
        Ok(Self { from, to })
    }

    /// Whether a time of the day lies in it.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::{MinuteOfDay, Window};
    ///
    /// let night = Window::parse(b"1700-0459")?;
    /// assert!(night.contains(MinuteOfDay::new(23, 0).expect("exists")));
    /// assert!(night.contains(MinuteOfDay::new(4, 59).expect("exists")));
    /// assert!(!night.contains(MinuteOfDay::new(5, 0).expect("exists")));
    /// # Ok::<(), verger::extension::InvalidValue>(())
    /// ```
    pub fn contains(&self, time: MinuteOfDay) -> bool {
        if self.from <= self.to {
            (self.from..=self.to).contains(&time)
        } else {
            time >= self.from || time <= self.to
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

/// A minute of the day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MinuteOfDay(u16);

impl MinuteOfDay {
    /// A time of the day; `None` when there is no such time.
    pub const fn new(hour: u16, minute: u16) -> Option<Self> {
        if hour < 24 && minute < 60 { Some(Self(hour * 60 + minute)) } else { None }
    }

    /// The time of the day of a Unix time, in seconds.
    pub fn of_unix_time(seconds: u64) -> Self {
        let minute = seconds / 60 % (24 * 60);
        Self(u16::try_from(minute).unwrap_or_default())
    }

    /// Minutes since midnight.
    pub const fn since_midnight(self) -> u16 {
        self.0
    }

    /// `HHMM`.
    fn parse(text: &[u8]) -> Option<Self> {
        let digits = (text.len() == 4).then(|| number(text)).flatten()?;
        let digits = u16::try_from(digits).ok()?;
        Self::new(digits / 100, digits % 100)
    }
}

impl fmt::Display for MinuteOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}{:02}", self.0 / 60, self.0 % 60)
    }
}

/// Digits only, within 32 bits.
fn number(text: &[u8]) -> Option<u32> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    text.iter()
        .try_fold(0_u32, |value, digit| value.checked_mul(10)?.checked_add(u32::from(digit - b'0')))
}

impl Robots {
    /// The request rates that apply to a crawler, in file order.
    ///
    /// # Complexity
    ///
    /// One walk through the text and one selection of groups.
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

    /// The times of the day at which a crawler is asked to come, in file order; none: any time.
    ///
    /// # Complexity
    ///
    /// One walk through the text and one selection of groups.
    pub fn visit_times<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Vec<Window> {
        let read = |record: &Record<'_>| Window::parse(record.value());
        values(self.records_for(crawler), RecordKind::VisitTime, read).collect()
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

    #[test]
    fn windows_include_both_ends_and_may_cross_midnight() {
        let contains = |window: &str, time: &str| {
            let window = Window::parse(window.as_bytes()).expect("a window");
            window.contains(MinuteOfDay::parse(time.as_bytes()).expect("a time"))
        };
        for (window, within, without) in [
            ("0600-0845", &["0600", "0845"][..], &["0559", "0846"][..]),
            ("1700-0459", &["1700", "2359", "0000", "0459"], &["0500", "1200", "1659"]),
            ("0000-2359", &["0000", "2359"], &[]),
            ("1200-1200", &["1200"], &["1159", "1201"]),
        ] {
            assert!(within.iter().all(|time| contains(window, time)), "{window}");
            assert!(!without.iter().any(|time| contains(window, time)), "{window}");
        }
        for window in ["2400-0000", "0060-0100", "0600", "0600-08455", "06000-0845", "-0600"] {
            assert!(Window::parse(window.as_bytes()).is_err(), "{window}");
        }
    }

    #[test]
    fn unix_time_has_a_minute_of_the_day() {
        assert_eq!(MinuteOfDay::of_unix_time(0).since_midnight(), 0);
        assert_eq!(MinuteOfDay::of_unix_time(86_400 + 3_600 + 61).since_midnight(), 61);
        assert_eq!(MinuteOfDay::new(24, 0), None);
        assert_eq!(MinuteOfDay::new(0, 60), None);
    }

    #[test]
    fn visit_times_are_for_the_crawler_that_is_named() {
        let robots = Robots::parse("User-agent: a\nVisit-time: 0600-0845\nVisit-time: x\n");
        assert_eq!(robots.visit_times("a").len(), 1);
        assert_eq!(robots.visit_times("b").len(), 0);
        assert_eq!(robots.request_rate_at("a", MinuteOfDay(0)), None);
    }
}
