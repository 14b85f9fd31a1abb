//! `Visit-time`: when a crawler may come (REP-EXT-10).

use alloc::vec::Vec;
use core::fmt;

use super::InvalidValue;
use super::number::number;
use super::record::{Record, RecordKind};
use super::records::values;
use crate::AsCrawler;
use crate::robots::Robots;

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
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::Window;
    ///
    /// assert_eq!(Window::parse(b"0600-0845")?.to_string(), "0600-0845");
    /// assert!(Window::parse(b"2400-2500").is_err());
    /// # Ok::<(), verger::extension::InvalidValue>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::MinuteOfDay;
    ///
    /// let time = MinuteOfDay::of_unix_time(1_700_000_000);
    /// assert_eq!(Some(time), MinuteOfDay::new(22, 13));
    /// assert_eq!(time.since_midnight(), 22 * 60 + 13);
    /// assert_eq!(MinuteOfDay::new(24, 0), None);
    /// ```
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

impl Robots {
    /// The times of the day at which a crawler is asked to come, in file order; none: any time.
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
    /// let robots = Robots::parse("User-agent: a\nVisit-time: 0600-0845\n");
    /// assert_eq!(robots.visit_times("a")[0].to_string(), "0600-0845");
    /// assert!(robots.visit_times("b").is_empty());
    /// ```
    pub fn visit_times<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Vec<Window> {
        let read = |record: &Record<'_>| Window::parse(record.value());
        values(self.records_for(crawler), RecordKind::VisitTime, read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
