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
/// assert_eq!(retired.to_string(), "2010-10");
/// assert!(retired < registry.date());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    /// From 1; 0 if unknown.
    month: u16,
    /// From 1; 0 if unknown.
    day: u16,
}

impl Date {
    /// Reads `2026`, `2026-11` or `2026-11-23`; `None` for any other text and for days that do not
    /// exist. The year has four digits and is 1970 or later.
    pub fn read(text: &str) -> Option<Self> {
        let parts: Option<Vec<u16>> = text.split('-').map(|part| part.parse().ok()).collect();
        let (year, month, day) = match parts?[..] {
            [year] => (year, 0, 0),
            [year, month] => (year, month, 0),
            [year, month, day] => (year, month, day),
            _ => return None,
        };
        let date = Self { year, month, day };
        let is_known = (1970..10_000).contains(&year) && date.first_second().is_some();
        (is_known && date.to_string() == text).then_some(date)
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
        self.first_second().unwrap_or_default()
    }

    fn first_second(self) -> Option<Timestamp> {
        let [year, month, day] = [self.year, self.month.max(1), self.day.max(1)].map(u64::from);
        Timestamp::from_date(year, month, day)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.year)?;
        let mut parts = [self.month, self.day].into_iter().filter(|part| *part > 0);
        parts.try_for_each(|part| write!(f, "-{part:02}"))
    }
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
