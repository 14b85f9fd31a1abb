//! Points in time, and HTTP's three ways to write them down.

use core::time::Duration;

/// A point in time: whole seconds since 1970, UTC. What was before 1970 is 1970.
///
/// The engine has no clock; whoever asks says what time it is.
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
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Timestamp(u64);

impl Timestamp {
    /// The first second of 1970.
    pub const EPOCH: Self = Self(0);

    /// So many seconds after [`EPOCH`](Self::EPOCH).
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds)
    }

    /// Seconds since [`EPOCH`](Self::EPOCH).
    pub const fn seconds(self) -> u64 {
        self.0
    }

    /// The time so much later, in whole seconds; at most the last that can be told.
    #[must_use]
    pub const fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait.as_secs()))
    }

    /// How long ago an earlier time was; nothing, if it is not earlier.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_secs(self.0.saturating_sub(earlier.0))
    }

    /// Reads an HTTP date in any of the three forms of RFC 9110 section 5.6.7.
    ///
    /// `now` is needed for the oldest form, whose years have two digits: of the years they may mean, it
    /// is the latest that lies at most fifty years ahead. Names are compared without regard to ASCII
    /// case, and a day of the week need not be the right one. Anything else that is not as the RFC has
    /// it gives `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::Timestamp;
    ///
    /// let now = Timestamp::from_seconds(1_700_000_000);
    /// let read = |text: &str| Timestamp::from_http_date(text, now).map(Timestamp::seconds);
    /// assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
    /// assert_eq!(read("Sunday, 06-Nov-94 08:49:37 GMT"), Some(784_111_777));
    /// assert_eq!(read("Sun Nov  6 08:49:37 1994"), Some(784_111_777));
    /// assert_eq!(read("Sun, 31 Feb 1994 08:49:37 GMT"), None);
    /// ```
    pub fn from_http_date<T: AsRef<[u8]> + ?Sized>(text: &T, now: Self) -> Option<Self> {
        let mut rest = Reader(text.as_ref());
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

    /// Months from 0, days from 1; the year has at most four digits.
    fn from_civil(year: u64, month: usize, day: u64, second: u64) -> Option<Self> {
        let is_leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let length = |at: usize| MONTH_LENGTHS[at] + u64::from(at == 1 && is_leap);
        if day == 0 || day > length(month) {
            return None;
        }
        if year < 1970 {
            return Some(Self::EPOCH);
        }
        let days = days_before(year) + (0..month).map(length).sum::<u64>() + (day - 1);
        Some(Self(days * DAY + second))
    }

    fn from_short_year(year: u64, month: usize, day: u64, second: u64, now: Self) -> Option<Self> {
        let latest = now.year() + 50;
        let year = latest - (latest - year) % 100;
        let read = Self::from_civil(year, month, day, second);
        // Of the fiftieth year only what is not beyond the day and hour of now.
        match read {
            Some(time) if time.0.saturating_sub(now.0) > FIFTY_YEARS => {
                Self::from_civil(year - 100, month, day, second)
            }
            _ => read,
        }
    }

    fn year(self) -> u64 {
        let mut year = 1970 + self.0.min(LAST_WRITABLE) / (366 * DAY);
        while days_before(year + 1) * DAY <= self.0.min(LAST_WRITABLE) {
            year += 1;
        }
        year
    }
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
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

    /// Exactly so many digits; at most four are asked for.
    fn number(&mut self, digits: usize) -> Option<u64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0, |sum, octet| {
            octet.is_ascii_digit().then(|| sum * 10 + u64::from(octet - b'0'))
        })
    }

    fn month(&mut self) -> Option<usize> {
        let name = self.letters();
        MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))
    }

    /// A leap second is the first of the next minute, as the seconds of 1970 count.
    fn time_of_day(&mut self) -> Option<u64> {
        let hour = self.number(2)?;
        self.expect(b":")?;
        let minute = self.number(2)?;
        self.expect(b":")?;
        let second = self.number(2)?;
        (hour < 24 && minute < 60 && second <= 60).then_some((hour * 60 + minute) * 60 + second)
    }
}

/// Days from 1970 to the first of January of a year.
const fn days_before(year: u64) -> u64 {
    const fn leap_days(year: u64) -> u64 {
        year / 4 - year / 100 + year / 400
    }
    (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969)
}

const DAY: u64 = 24 * 60 * 60;
const FIFTY_YEARS: u64 = (50 * 365 + 12) * DAY;
/// The last second of the year 9999.
const LAST_WRITABLE: u64 = days_before(10_000) * DAY - 1;
const MONTH_LENGTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];
const DAYS: [&[u8]; 7] =
    [b"Monday", b"Tuesday", b"Wednesday", b"Thursday", b"Friday", b"Saturday", b"Sunday"];

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000);

    fn read(text: &str) -> Option<u64> {
        Timestamp::from_http_date(text, NOW).map(Timestamp::seconds)
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
        assert_eq!(LAST_WRITABLE, 253_402_300_799);
    }

    #[test]
    fn what_was_before_1970_is_1970() {
        assert_eq!(read("Wed, 31 Dec 1969 23:59:59 GMT"), Some(0));
        assert_eq!(read("Sat, 01 Jan 0000 00:00:00 GMT"), Some(0));
    }

    #[test]
    fn two_digits_mean_the_latest_year_within_fifty_years() {
        let year =
            |text: &str, now| Timestamp::from_http_date(text, Timestamp(now)).map(Timestamp::year);
        // 2023-11-14 22:13:20
        assert_eq!(year("Sunday, 06-Nov-94 08:49:37 GMT", NOW.0), Some(1994));
        assert_eq!(year("Monday, 13-Nov-73 08:49:37 GMT", NOW.0), Some(2073));
        assert_eq!(year("Monday, 20-Nov-73 08:49:37 GMT", NOW.0), Some(1973));
        assert_eq!(year("Monday, 20-Nov-23 08:49:37 GMT", NOW.0), Some(2023));
        assert_eq!(year("Saturday, 01-Jan-00 00:00:00 GMT", 915_148_800), Some(2000));
        let last = Timestamp(u64::MAX);
        let read = Timestamp::from_http_date("Saturday, 01-Jan-00 00:00:00 GMT", last);
        assert_eq!(read, Some(Timestamp(LAST_WRITABLE + 1)));
    }

    #[test]
    fn what_is_no_date_is_none() {
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
        assert_eq!(read("sun, 06 nov 1994 08:49:37 gmt"), Some(784_111_777));
        assert_eq!(read("Sun Nov 16 08:49:37 1994"), Some(784_975_777));
    }
}
