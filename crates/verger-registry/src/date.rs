//! Dates of the calendar, with the precision of their source.

use core::fmt;

use verger::access::Timestamp;

/// A date of the Gregorian calendar: a day, or only a year or a month if the source has no more.
///
/// [`Display`](fmt::Display) writes the form of ISO 8601, such as `2026-11-23` or `2010-06`. In the
/// order of dates, a year or a month is before its days.
///
/// # Examples
///
/// ```
/// use verger_registry::Registry;
///
/// let registry = Registry::bundled();
/// let msnbot = registry.find("msnbot").expect("a known crawler");
/// let retired = msnbot.retired().expect("a retired crawler");
/// assert_eq!((retired.year(), retired.month(), retired.day()), (2010, Some(10), None));
/// assert_eq!(retired.to_string(), "2010-10");
/// assert!(retired < registry.date());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

impl Date {
    /// Reads `2026`, `2026-11` or `2026-11-23`; `None` for any other text and for days that do not
    /// exist. The year has four digits and is 1970 or later.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let year: u16 = number(parts.next()?, 4)?;
        let month = parts.next().map(|part| number(part, 2).ok_or(())).transpose().ok()?;
        let day = parts.next().map(|part| number(part, 2).ok_or(())).transpose().ok()?;
        let exists = year >= 1970
            && month.is_none_or(|month| (1..=12).contains(&month))
            && day.is_none_or(|day| (1..=days(year, month.unwrap_or(1))).contains(&day));
        (exists && parts.next().is_none()).then_some(Self { year, month, day })
    }

    /// The year.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// The month, from 1.
    pub const fn month(self) -> Option<u8> {
        self.month
    }

    /// The day of the month, from 1.
    pub const fn day(self) -> Option<u8> {
        self.day
    }

    /// The first second of the date, in UTC.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let date = Registry::bundled().date();
    /// assert_eq!(date.start().to_string(), format!("{date}T00:00:00Z"));
    /// ```
    pub fn start(self) -> Timestamp {
        let years = (1970..self.year).map(|year| if is_leap(year) { 366 } else { 365 });
        let month = self.month.unwrap_or(1);
        let months = (1..month).map(|month| u64::from(days(self.year, month)));
        let days = years.sum::<u64>() + months.sum::<u64>() + u64::from(self.day.unwrap_or(1)) - 1;
        Timestamp::from_seconds(days * 24 * 60 * 60)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        [self.month, self.day].into_iter().flatten().try_for_each(|part| write!(f, "-{part:02}"))
    }
}

/// A number with this many digits.
fn number<T: core::str::FromStr>(text: &str, digits: usize) -> Option<T> {
    let is_decimal = text.bytes().all(|octet| octet.is_ascii_digit());
    (text.len() == digits && is_decimal).then(|| text.parse().ok()).flatten()
}

/// Days of a month.
const fn days(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

const fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_a_year_and_perhaps_a_month_and_a_day() {
        for text in ["1970-01-01", "2000-02-29", "2024", "2010-10", "2026-11-23"] {
            assert_eq!(Date::read(text).map(|date| date.to_string()).as_deref(), Some(text));
        }
        for text in [
            "",
            "26",
            "1969",
            "2026-",
            "2026-1",
            "2026-13",
            "2026-00",
            "2026-02-29",
            "1900-02-29",
            "2026-11-31",
            "2026-11-00",
            "2026-11-23-1",
            "2026-11-+1",
            "2026/11/23",
            " 2026",
        ] {
            assert_eq!(Date::read(text), None, "{text}");
        }
    }

    #[test]
    fn the_start_of_a_date_is_counted_in_utc() {
        let start = |text| Date::read(text).unwrap().start().to_string();
        assert_eq!(start("1970"), "1970-01-01T00:00:00Z");
        assert_eq!(start("2000-03-01"), "2000-03-01T00:00:00Z");
        assert_eq!(start("2024-12-31"), "2024-12-31T00:00:00Z");
        assert_eq!(start("2010-10"), "2010-10-01T00:00:00Z");
        assert_eq!(start("9999-12-31"), "9999-12-31T00:00:00Z");
    }

    #[test]
    fn dates_are_ordered() {
        let dates =
            ["2009-12-31", "2010", "2010-10", "2010-10-01", "2010-10-02", "2010-11", "2011"];
        assert!(dates.map(|text| Date::read(text).unwrap()).is_sorted());
    }
}
