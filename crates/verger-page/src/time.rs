//! A point in time, without a clock.

use std::fmt;

/// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// Shown as RFC 3339 has it. Dates of directives lie in the years 1 to 9999.
///
/// # Examples
///
/// ```
/// let time = verger_page::UnixTime::from_seconds(1_277_506_800);
/// assert_eq!(time.to_string(), "2010-06-25T23:00:00Z");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixTime(i64);

impl UnixTime {
    /// The time so many seconds after the epoch, or before it.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// The seconds since the epoch.
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// The time of a date of the Gregorian calendar; `None` when there is no such date.
    pub(crate) fn of_date(year: i64, month: i64, day: i64) -> Option<Self> {
        if !(1..=9999).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        if !(1..=days_of_month(year, month)).contains(&day) {
            return None;
        }
        // The year begins in March here, so that the day that comes and goes is its last one.
        let from_march = (month + 9) % 12;
        let year = year - i64::from(month <= 2);
        let before = 365 * year + year / 4 - year / 100 + year / 400;
        let days = before + (153 * from_march + 2) / 5 + day - 1 - DAYS_BEFORE_EPOCH;
        Some(Self(days * DAY))
    }

    pub(crate) const fn plus(self, seconds: i64) -> Self {
        Self(self.0 + seconds)
    }
}

impl fmt::Display for UnixTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, second) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        let days = i128::from(days) + i128::from(DAYS_BEFORE_EPOCH);
        let (era, day) = (days.div_euclid(DAYS_OF_ERA), days.rem_euclid(DAYS_OF_ERA));
        let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = (from_march + 2) % 12 + 1;
        let year = 400 * era + year_of_era + i128::from(month <= 2);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

const DAY: i64 = 24 * 60 * 60;
/// Days from the first of March of the year 0 to 1970-01-01.
const DAYS_BEFORE_EPOCH: i64 = 719_468;
/// Days of four hundred years.
const DAYS_OF_ERA: i128 = 146_097;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_millennia_is_shown_as_it_was_made() {
        let mut expected = UnixTime::of_date(1, 1, 1).unwrap();
        assert_eq!(expected.seconds(), -62_135_596_800);
        for year in 1..=9999 {
            for month in 1..=12 {
                assert_eq!(UnixTime::of_date(year, month, days_of_month(year, month) + 1), None);
                for day in 1..=days_of_month(year, month) {
                    let time = UnixTime::of_date(year, month, day).unwrap();
                    assert_eq!(time, expected);
                    expected = expected.plus(DAY);
                    if day == 1 || day > 27 {
                        let shown = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
                        assert_eq!(time.to_string(), shown);
                    }
                }
            }
        }
    }

    #[test]
    fn any_number_of_seconds_can_be_shown() {
        assert_eq!(UnixTime::from_seconds(-1).to_string(), "1969-12-31T23:59:59Z");
        for seconds in [i64::MIN, i64::MAX] {
            assert!(UnixTime::from_seconds(seconds).to_string().ends_with('Z'));
        }
    }
}
