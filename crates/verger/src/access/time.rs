//! Points in time, and the three date formats of HTTP.

use core::fmt;
use core::time::Duration;

/// A point in time: whole seconds since 1970, UTC. Times before 1970 become 1970.
///
/// The engine reads no clock; the caller passes the time. [`Display`](fmt::Display) writes the
/// format of RFC 3339.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use verger::access::Timestamp;
///
/// let now = Timestamp::from_seconds(1_700_000_000);
/// let later = now.after(Duration::from_secs(60));
/// assert_eq!(later.since(now), Duration::from_secs(60));
/// assert_eq!(now.since(later), Duration::ZERO);
/// assert_eq!(now.to_string(), "2023-11-14T22:13:20Z");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The first second of 1970.
    pub const EPOCH: Self = Self(0);

    /// The time this number of seconds after [`EPOCH`](Self::EPOCH).
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds)
    }

    /// Seconds since [`EPOCH`](Self::EPOCH).
    pub const fn seconds(self) -> u64 {
        self.0
    }

    /// The time after a wait, counted in whole seconds; at most the latest representable time.
    #[must_use]
    pub const fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait.as_secs()))
    }

    /// The duration since an earlier time; zero if it is not earlier.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_secs(self.0.saturating_sub(earlier.0))
    }

    /// Reads an HTTP date in any of the three forms of RFC 9110 section 5.6.7.
    ///
    /// `now` is needed for two-digit years: they mean the latest year at most fifty years ahead.
    /// Names are compared without regard to ASCII case, and the day of the week may be wrong. Any
    /// other deviation from the RFC gives `None`.
    pub(super) fn from_http_date(text: &[u8], now: Self) -> Option<Self> {
        let mut rest = DateReader(text);
        let day_of_week = rest.letters();
        if rest.skip(b", ") {
            let day = rest.number(2)?;
            let is_short = DAYS.iter().any(|day| day[..3].eq_ignore_ascii_case(day_of_week));
            let is_long = DAYS.iter().any(|day| day.eq_ignore_ascii_case(day_of_week));
            let separator: &[u8] = if is_short { b" " } else { b"-" };
            rest.expect(separator)?;
            let month = rest.month()?;
            rest.expect(separator)?;
            let year = if is_short { rest.number(4)? } else { rest.number(2)? };
            rest.expect(b" ")?;
            let second = rest.time_of_day()?;
            rest.expect(b" ")?;
            if !rest.0.eq_ignore_ascii_case(b"GMT") {
                return None;
            }
            match (is_short, is_long) {
                (true, _) => Self::from_civil(year, month, day, second),
                (_, true) => Self::from_short_year(year, month, day, second, now),
                _ => None,
            }
        } else {
            if !DAYS.iter().any(|day| day[..3].eq_ignore_ascii_case(day_of_week)) {
                return None;
            }
            rest.expect(b" ")?;
            let month = rest.month()?;
            rest.expect(b" ")?;
            let day = if rest.skip(b" ") { rest.number(1)? } else { rest.number(2)? };
            rest.expect(b" ")?;
            let second = rest.time_of_day()?;
            rest.expect(b" ")?;
            let year = rest.number(4)?;
            if rest.0.is_empty() { Self::from_civil(year, month, day, second) } else { None }
        }
    }

    /// The first second of a day, whose month counts from 1; for days before 1970 that of 1970.
    /// `None` if the day does not exist, or its year has more than five digits.
    ///
    /// ```
    /// use verger::access::Timestamp;
    ///
    /// let day = Timestamp::from_date(2024, 2, 29).expect("a leap year");
    /// assert_eq!(day.to_string(), "2024-02-29T00:00:00Z");
    /// assert_eq!(Timestamp::from_date(2026, 2, 29), None);
    /// ```
    pub fn from_date(year: u64, month: u64, day: u64) -> Option<Self> {
        let is_leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let length = match month {
            2 => 28 + u64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        if day == 0 || day > length || year > 99_999 {
            return None;
        }
        if year < 1970 {
            return Some(Self::EPOCH);
        }
        // The year begins in March here, so that the leap day is its last day.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let day_of_year = (153 * month + 2) / 5 + day - 1;
        let days = 365 * year + year / 4 - year / 100 + year / 400 + day_of_year;
        Some(Self((days - DAYS_FROM_MARCH_0) * DAY))
    }

    fn from_civil(year: u64, month: u64, day: u64, second: u64) -> Option<Self> {
        let midnight = Self::from_date(year, month, day)?;
        Some(if year < 1970 { midnight } else { Self(midnight.0 + second) })
    }

    fn from_short_year(year: u64, month: u64, day: u64, second: u64, now: Self) -> Option<Self> {
        let latest = Self(now.0.min(LAST_WRITABLE)).date().0 + 50;
        let year = latest - (latest - year) % 100;
        let read = Self::from_civil(year, month, day, second);
        // In the fiftieth year, times after the day and hour of `now` are too late.
        match read {
            Some(time) if time.0.saturating_sub(now.0) > FIFTY_YEARS => {
                Self::from_civil(year - 100, month, day, second)
            }
            _ => read,
        }
    }

    /// Year, month from 1, day from 1.
    fn date(self) -> (u64, u64, u64) {
        // Years from March on, as above.
        let days = self.0 / DAY + DAYS_FROM_MARCH_0;
        let (era, day) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
        let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = (month_from_march + 2) % 12 + 1;
        (400 * era + year_of_era + u64::from(month <= 2), month, day)
    }
}

/// The format of RFC 3339. It has no years after 9999; such times are shown as seconds since 1970.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > LAST_WRITABLE {
            return self.0.fmt(f);
        }
        let (year, month, day) = self.date();
        let second = self.0 % DAY;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// The unread part of a date.
struct DateReader<'a>(&'a [u8]);

impl<'a> DateReader<'a> {
    fn skip(&mut self, text: &[u8]) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, text: &[u8]) -> Option<()> {
        self.skip(text).then_some(())
    }

    fn letters(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|octet| !octet.is_ascii_alphabetic());
        let (letters, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        letters
    }

    /// A number of exactly `digits` digits, at most four.
    fn number(&mut self, digits: usize) -> Option<u64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0, |sum, octet| {
            octet.is_ascii_digit().then(|| sum * 10 + u64::from(octet - b'0'))
        })
    }

    fn month(&mut self) -> Option<u64> {
        let name = self.letters();
        (1..).zip(MONTHS).find(|(_, month)| month.eq_ignore_ascii_case(name)).map(|(at, _)| at)
    }

    /// Seconds since midnight. A leap second is the first second of the next minute, as in Unix
    /// time.
    fn time_of_day(&mut self) -> Option<u64> {
        let hour = self.number(2)?;
        self.expect(b":")?;
        let minute = self.number(2)?;
        self.expect(b":")?;
        let second = self.number(2)?;
        (hour < 24 && minute < 60 && second <= 60).then_some((hour * 60 + minute) * 60 + second)
    }
}

const DAY: u64 = 24 * 60 * 60;
/// Days from the first of March of the year 0 to 1970-01-01.
const DAYS_FROM_MARCH_0: u64 = 719_468;
/// Days of 400 years.
const DAYS_OF_ERA: u64 = 146_097;
const FIFTY_YEARS: u64 = (50 * 365 + 12) * DAY;
/// The last second of the year 9999.
const LAST_WRITABLE: u64 = 253_402_300_799;
const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];
const DAYS: [&[u8]; 7] =
    [b"Monday", b"Tuesday", b"Wednesday", b"Thursday", b"Friday", b"Saturday", b"Sunday"];

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString as _;

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000);

    fn read(text: &str) -> Option<u64> {
        Timestamp::from_http_date(text.as_bytes(), NOW).map(Timestamp::seconds)
    }

    #[test]
    fn days_are_counted_across_leap_years() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Mon, 28 Feb 2000 23:59:59 GMT", 951_782_399),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Fri, 31 Dec 9999 23:59:59 GMT", LAST_WRITABLE),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ] {
            assert_eq!(read(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn every_day_is_displayed_as_its_date() {
        let mut expected = Timestamp::EPOCH;
        for year in 1970..=9999 {
            for month in 0..=13 {
                for day in 0..=32 {
                    let Some(time) = Timestamp::from_date(year, month, day) else { continue };
                    assert_eq!(time, expected);
                    assert_eq!(time.date(), (year, month, day));
                    expected = time.after(Duration::from_secs(DAY));
                    if day == 1 || day > 27 {
                        let shown = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
                        assert_eq!(time.to_string(), shown);
                    }
                }
            }
        }
        assert_eq!(expected.seconds(), LAST_WRITABLE + 1);
        assert_eq!(Timestamp::from_date(10_000, 1, 1), Some(expected));
        assert_eq!(Timestamp::from_date(u64::MAX, 1, 1), None);
        assert_eq!(Timestamp(LAST_WRITABLE).to_string(), "9999-12-31T23:59:59Z");
        assert_eq!(Timestamp(1_277_506_800).to_string(), "2010-06-25T23:00:00Z");
        for later in [LAST_WRITABLE + 1, u64::MAX] {
            assert_eq!(Timestamp(later).to_string(), later.to_string());
        }
    }

    #[test]
    fn times_before_1970_become_1970() {
        assert_eq!(read("Wed, 31 Dec 1969 23:59:59 GMT"), Some(0));
        assert_eq!(read("Sat, 01 Jan 0000 00:00:00 GMT"), Some(0));
    }

    #[test]
    fn two_digits_mean_the_latest_year_within_fifty_years() {
        let year = |text: &str, now| {
            Timestamp::from_http_date(text.as_bytes(), Timestamp(now)).map(|time| time.date().0)
        };
        // 2023-11-14 22:13:20
        assert_eq!(year("Sunday, 06-Nov-94 08:49:37 GMT", NOW.0), Some(1994));
        assert_eq!(year("Monday, 13-Nov-73 08:49:37 GMT", NOW.0), Some(2073));
        assert_eq!(year("Monday, 20-Nov-73 08:49:37 GMT", NOW.0), Some(1973));
        assert_eq!(year("Monday, 20-Nov-23 08:49:37 GMT", NOW.0), Some(2023));
        assert_eq!(year("Saturday, 01-Jan-00 00:00:00 GMT", 915_148_800), Some(2000));
        let last = Timestamp(u64::MAX);
        let read = Timestamp::from_http_date(b"Saturday, 01-Jan-00 00:00:00 GMT", last);
        assert_eq!(read, Some(Timestamp(LAST_WRITABLE + 1)));
    }

    #[test]
    fn invalid_dates_are_none() {
        for text in [
            "",
            "0",
            "-1",
            "Sun, 06 Nov 1994",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 GMT ",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT",
            "Sunday, 06 Nov 1994 08:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT",
            "Xyzday, 06-Nov-94 08:49:37 GMT",
            "Xyz Nov  6 08:49:37 1994",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 29 Feb 1900 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun Nov 6 08:49:37 1994",
            "Sun Nov  6 08:49:37 1994 GMT",
            "Sun, 06 Nov 1\u{661}94 08:49:37 GMT",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("Sunday, 06-Nov-94 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(read("sun, 06 nov 1994 08:49:37 gmt"), Some(784_111_777));
        assert_eq!(read("Sun Nov 16 08:49:37 1994"), Some(784_975_777));
    }
}
