//! `Crawl-delay`, `Request-rate` and `Visit-time`: rates and times of requests (REP-EXT-3 to
//! REP-EXT-12).

use core::fmt;
use core::time::Duration;

use super::value::{InvalidValue, number};
use crate::limits;
use crate::parse::is_space;

/// REP-EXT-4: a decimal number of seconds, without sign, exponent or unit. Text after white space
/// is ignored, and a delay of more than a day is a day.
pub(super) fn parse_crawl_delay(value: &[u8]) -> Result<Duration, InvalidValue> {
    const EXPECTED: InvalidValue = InvalidValue::expected("seconds such as `10` or `0.5`");
    let end = value.iter().position(|&octet| is_space(octet)).unwrap_or(value.len());
    let number = &value[..end];
    let point = number.iter().position(|&octet| octet == b'.').unwrap_or(number.len());
    let (whole, fraction) = number.split_at(point);
    let fraction = fraction.get(1..).unwrap_or_default();
    let is_number = whole.iter().chain(fraction).all(u8::is_ascii_digit);
    if !is_number || whole.len() + fraction.len() == 0 {
        return Err(EXPECTED);
    }
    let seconds = whole.iter().fold(0_u64, |seconds, digit| {
        seconds.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    });
    let digits = fraction.iter().copied().chain(core::iter::repeat(b'0')).take(9);
    let nanos = digits.fold(0_u32, |nanos, digit| nanos * 10 + u32::from(digit - b'0'));
    let longest = Duration::from_secs(limits::CRAWL_DELAY_SECONDS);
    Ok(Duration::from_secs(seconds.min(limits::CRAWL_DELAY_SECONDS))
        .saturating_add(Duration::from_nanos(u64::from(nanos)))
        .min(longest))
}

/// Maximum number of documents per period, always or at certain times of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RequestRate {
    /// Documents, at least 1.
    pub documents: u32,
    /// The period, at least a second.
    pub period: Duration,
    /// Times of the day at which the rate applies, in UTC; `None`: always.
    pub window: Option<Window>,
}

impl RequestRate {
    /// Reads `documents/time[s|m|h|d] [HHMM-HHMM]`; the default unit is seconds.
    pub(super) fn parse(value: &[u8]) -> Result<Self, InvalidValue> {
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

    /// Reads a `Max-Crawl-Rate`: `documents[/s|/m|/h|/d|/w]`, by default in a second (REP-EXT-42).
    pub(super) fn parse_max_crawl(value: &[u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue = InvalidValue::expected("a rate such as `10/m`");
        let slash = value.iter().position(|&octet| octet == b'/');
        let (documents, unit) =
            slash.map_or((value, &b"s"[..]), |at| (&value[..at], &value[at + 1..]));
        let seconds = match &*unit.trim_ascii().to_ascii_lowercase() {
            b"s" => 1,
            b"m" => 60,
            b"h" => 60 * 60,
            b"d" => 24 * 60 * 60,
            b"w" => 7 * 24 * 60 * 60,
            _ => return Err(EXPECTED),
        };
        let documents = number(documents.trim_ascii()).filter(|&it| it > 0).ok_or(EXPECTED)?;
        Ok(Self { documents, period: Duration::from_secs(seconds), window: None })
    }

    /// The time per document, at most 24 hours (REP-EXT-4).
    pub fn interval(&self) -> Duration {
        (self.period / self.documents).min(Duration::from_secs(limits::CRAWL_DELAY_SECONDS))
    }

    /// Whether the rate applies at a time of the day.
    pub(crate) fn holds_at(&self, time: MinuteOfDay) -> bool {
        self.window.is_none_or(|window| window.contains(time))
    }
}

/// Times of the day, in UTC: from one minute to another, both included. It may cross midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Window {
    /// The first minute.
    pub from: MinuteOfDay,
    /// The last minute.
    pub to: MinuteOfDay,
}

impl Window {
    /// Reads `HHMM-HHMM`.
    pub(super) fn parse(value: &[u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue = InvalidValue::expected("times such as `0600-0845`");
        let [from @ .., b'-', to_1, to_2, to_3, to_4] = value else {
            return Err(EXPECTED);
        };
        let to = [*to_1, *to_2, *to_3, *to_4];
        let from = MinuteOfDay::parse(from).ok_or(EXPECTED)?;
        let to = MinuteOfDay::parse(&to).ok_or(EXPECTED)?;
        Ok(Self { from, to })
    }

    /// Whether a time of the day is in the window.
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
    /// A time of the day; `None` if there is no such time.
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

    /// Reads `HHMM`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Robots;
    use alloc::format;
    use alloc::string::String;

    #[track_caller]
    fn check_delay(value: &str, expected_millis: Option<u64>) {
        let expected = expected_millis.map(Duration::from_millis);
        assert_eq!(parse_crawl_delay(value.as_bytes()).ok(), expected, "{value:?}");
    }

    #[test]
    fn decimal_seconds() {
        check_delay("10", Some(10_000));
        check_delay("0.5", Some(500));
        check_delay(".5", Some(500));
        check_delay("5.", Some(5_000));
        check_delay("0", Some(0));
        check_delay("5 10", Some(5_000));
        check_delay("5\t# x", Some(5_000));
        assert_eq!(parse_crawl_delay(b"0.1234567899"), Ok(Duration::from_nanos(123_456_789)));
    }

    #[test]
    fn delays_are_limited_to_a_day() {
        check_delay("86401", Some(86_400_000));
        check_delay("86400.5", Some(86_400_000));
        check_delay("18446744073709551616", Some(86_400_000));
        check_delay(&"9".repeat(400), Some(86_400_000));
    }

    #[test]
    fn other_forms_are_not_delays() {
        for value in [
            "", ".", "-1", "-0", "+5", "1e3", "nan", "inf", "0x10", "1_000", "1,5", "5s", "²",
            "５", "1.2.3", "5;", "soon",
        ] {
            check_delay(value, None);
        }
    }

    #[track_caller]
    fn check_rate(value: &str, expected: Option<&str>) {
        let found = RequestRate::parse(value.as_bytes()).ok().map(|rate| {
            let window = rate.window.map_or_else(String::new, |window| format!(" {window}"));
            format!("{}/{}s{window}", rate.documents, rate.period.as_secs())
        });
        assert_eq!(found.as_deref(), expected, "{value:?}");
    }

    #[test]
    fn rates_of_both_sources() {
        check_rate("1/10m 1300-1659", Some("1/600s 1300-1659"));
        check_rate("5/1m\t0500-1259", Some("5/60s 0500-1259"));
        check_rate("1/10s", Some("1/10s"));
        check_rate("100/15M", Some("100/900s"));
        check_rate("10/60", Some("10/60s"));
        check_rate("1/2h", Some("1/7200s"));
        check_rate("1/1d", Some("1/86400s"));
    }

    #[test]
    fn other_forms_are_not_rates() {
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
            check_rate(value, None);
        }
    }

    #[test]
    fn a_max_crawl_rate_has_a_unit_or_is_for_a_second() {
        for (value, expected) in [
            ("10", Some((10, 1))),
            ("10/s", Some((10, 1))),
            ("1 / M", Some((1, 60))),
            ("6/h", Some((6, 3_600))),
            ("1/d", Some((1, 86_400))),
            ("2/w", Some((2, 604_800))),
            ("", None),
            ("0", None),
            ("0/s", None),
            ("1/", None),
            ("/s", None),
            ("1/2s", None),
            ("1/x", None),
            ("1.5/s", None),
            ("-1/s", None),
            ("1/s 0600-0845", None),
            ("99999999999/s", None),
        ] {
            let rate = RequestRate::parse_max_crawl(value.as_bytes()).ok();
            let found = rate.map(|rate| (rate.documents, rate.period.as_secs()));
            assert_eq!(found, expected, "{value:?}");
        }
        let weekly = RequestRate::parse_max_crawl(b"1/w").expect("a rate");
        assert_eq!(weekly.interval().as_secs(), 86_400);
    }

    /// REP-EXT-42.
    #[test]
    fn the_slower_of_both_records_is_the_rate() {
        let robots = Robots::parse(
            "User-agent: a\nMax-Crawl-Rate: 6/m\nRequest-rate: 1/5\nMax-Crawl-Rate: often\nAllow:\n",
        );
        assert_eq!(robots.request_rates("a").len(), 2);
        let rate = robots.request_rate_at("a", MinuteOfDay(0)).expect("a rate");
        assert_eq!(rate.interval().as_secs(), 10);
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
    fn visit_times_are_for_the_named_crawler() {
        let robots = Robots::parse("User-agent: a\nVisit-time: 0600-0845\nVisit-time: x\n");
        assert_eq!(robots.visit_times("a").len(), 1);
        assert_eq!(robots.visit_times("b").len(), 0);
        assert_eq!(robots.request_rate_at("a", MinuteOfDay(0)), None);
    }
}
