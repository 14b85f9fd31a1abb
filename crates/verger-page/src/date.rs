//! Dates of `unavailable_after`.
//!
//! Supported are RFC 822, RFC 850, ISO 8601 (the extended form, and the basic form without `-` and
//! `:`) and asctime. The weekday is ignored, even if it is wrong. Zones are those of RFC 822 and
//! offsets; a date without a zone is in UTC, one without a time means the start of that day
//! (REP-AMB-60). Years of two digits are 1950 to 2049, as in RFC 2822 section 4.3. A date before
//! 1970 becomes the first second of 1970, and one after 9999 in UTC the last second of 9999.
//!
//! Not supported: other words for zones or months, week dates, days of the year, times with AM or
//! PM.

use crate::limits::DATE_BYTES;
use verger::access::Timestamp;

/// Parses a date; `None` if the text is not a date.
pub(crate) fn parse(text: &[u8]) -> Option<Timestamp> {
    // Longer texts are rejected at once, so that many bad dates cost no more than their bytes.
    let text = Some(text).filter(|text| text.len() <= DATE_BYTES)?;
    let text = str::from_utf8(text).ok()?.trim_ascii();
    let seconds = iso8601(text).or_else(|| words(text))?;
    Some(Timestamp::from_seconds(u64::try_from(seconds.min(LAST)).unwrap_or_default()))
}

/// Whether a text looks like the rest of a date that was cut at a comma, valid or not:
/// `25-Jun-10 15:00:00 XYZ`. An agent such as `360Spider:` does not.
pub(crate) fn is_rest(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let word = text.split(|octet| !octet.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_month = str::from_utf8(word).is_ok_and(|word| name_in(&MONTHS, word).is_some());
    let is_start = text.first().is_some_and(u8::is_ascii_digit) || is_month;
    is_start && (!text.contains(&b':') || has_time(text))
}

/// Whether the first colon of a text is that of a time: it is between digits.
pub(crate) fn has_time(text: &[u8]) -> bool {
    let is_digit = |octet: Option<&u8>| octet.is_some_and(u8::is_ascii_digit);
    let colon = text.iter().position(|&octet| octet == b':');
    colon.is_some_and(|at| is_digit(text[..at].last()) && is_digit(text.get(at + 1)))
}

/// `2010-06-25`, `20100625`, with `T15:00:00Z`, `T150000Z` or ` 15:00+02:00` after it.
fn iso8601(text: &str) -> Option<i64> {
    let date_length = match text.as_bytes().get(4)? {
        b'-' => 10,
        _ => 8,
    };
    let (date, rest) = text.split_at_checked(date_length)?;
    let (year, month, day) = if date_length == 10 {
        let mut parts = date.split('-');
        let parts = (parts.next()?, parts.next()?, parts.next()?);
        (parts.1.len() == 2 && parts.2.len() == 2).then_some(parts)?
    } else {
        (date.get(..4)?, date.get(4..6)?, date.get(6..)?)
    };
    let midnight = seconds_of_date(digits(year)?, digits(month)?, digits(day)?)?;
    let Some(time) = rest.strip_prefix(['T', 't', ' ']) else {
        return rest.is_empty().then_some(midnight);
    };
    // A `-` before the zone is unambiguous: a time has none.
    let time = time.trim_ascii_start();
    let end = time.find(|c: char| !matches!(c, '0'..='9' | ':' | '.')).unwrap_or(time.len());
    let (clock, name) = time.split_at(end);
    let name = name.trim_ascii();
    let offset = if name.is_empty() { 0 } else { zone(name)? };
    let clock = clock
        .split_once('.')
        .map_or(Some(clock), |(clock, fraction)| digits(fraction).map(|_| clock))?;
    // The basic form of four or six digits.
    let clock = match clock.len() {
        4 | 6 if !clock.contains(':') => {
            let pairs = clock.as_bytes().chunks(2).map(str::from_utf8);
            pairs.collect::<Result<Vec<_>, _>>().ok()?.join(":")
        }
        _ => clock.to_owned(),
    };
    Some(midnight + seconds_of_day(&clock)? - offset)
}

/// `Fri, 25 Jun 2010 15:00:00 PST`, `Friday, 25-Jun-10 15:00:00 GMT`, `Fri Jun 25 15:00:00 2010`.
fn words(text: &str) -> Option<i64> {
    let mut words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).peekable();
    words.next_if(|word| name_in(&WEEKDAYS, word).is_some());
    let first = words.next()?;
    if let Some(month) = name_in(&MONTHS, first) {
        return asctime(month, words);
    }
    let (day, month, year_text) = match first.split_once('-') {
        Some((day, rest)) => {
            let (month, year) = rest.split_once('-')?;
            (day, month, year)
        }
        None => (first, words.next()?, words.next()?),
    };
    if day.len() > 2 {
        return None;
    }
    let midnight = seconds_of_date(year(year_text)?, name_in(&MONTHS, month)?, digits(day)?)?;
    let clock = words.next().map_or(Some(0), seconds_of_day)?;
    let offset = words.next().map_or(Some(0), zone)?;
    words.next().is_none().then_some(midnight + clock - offset)
}

/// `25 15:00:00 2010`, `25 15:00:00 UTC 2010`: the words after the month.
fn asctime<'t>(month: i64, mut words: impl Iterator<Item = &'t str>) -> Option<i64> {
    let (day, clock, mut last) = (words.next()?, words.next()?, words.next()?);
    let mut offset = 0;
    if let Some(year) = words.next() {
        // The order of the command `date`: the zone before the year.
        offset = zone(last)?;
        last = year;
    }
    let midnight = seconds_of_date(year(last)?, month, digits(day)?)?;
    words.next().is_none().then_some(midnight + seconds_of_day(clock)? - offset)
}

/// Seconds from 1970 to the start of a date, negative before 1970; `None` if the date does not
/// exist.
fn seconds_of_date(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    if !(1..=days_of_month(year, month)).contains(&day) {
        return None;
    }
    // The year begins in March here, so that the leap day is its last day.
    let from_march = (month + 9) % 12;
    let year = year - i64::from(month <= 2);
    let before = 365 * year + year / 4 - year / 100 + year / 400;
    let days = before + (153 * from_march + 2) / 5 + day - 1 - DAYS_BEFORE_EPOCH;
    Some(days * DAY)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// `HH:MM` or `HH:MM:SS`; second 60 is the leap second.
fn seconds_of_day(clock: &str) -> Option<i64> {
    let mut parts = clock.split(':');
    let mut next = |highest: i64| {
        let part = parts.next()?;
        digits(part).filter(|number| part.len() <= 2 && *number <= highest)
    };
    let (hour, minute) = (next(23)?, next(59)?);
    let second = if clock.matches(':').count() == 2 { next(60)? } else { 0 };
    parts.next().is_none().then_some((hour * 60 + minute) * 60 + second)
}

/// Offset of a zone in seconds, positive to the east.
fn zone(word: &str) -> Option<i64> {
    const HOUR: i64 = 3600;
    let (sign, offset) = match (word.strip_prefix('+'), word.strip_prefix('-')) {
        (Some(offset), _) => (1, offset),
        (_, Some(offset)) => (-1, offset),
        _ => {
            let hours = match word.to_ascii_uppercase().as_str() {
                "UT" | "UTC" | "GMT" | "Z" => 0,
                "EDT" => -4,
                "EST" | "CDT" => -5,
                "CST" | "MDT" => -6,
                "MST" | "PDT" => -7,
                "PST" => -8,
                _ => return None,
            };
            return Some(hours * HOUR);
        }
    };
    let (hours, minutes) = match (offset.split_once(':'), offset.len()) {
        (Some(parts), _) => parts,
        (None, 2) => (offset, "0"),
        (None, 4) => offset.split_at_checked(2)?,
        _ => return None,
    };
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * HOUR + minutes * 60))
}

fn year(text: &str) -> Option<i64> {
    let year = digits(text)?;
    match text.len() {
        4 => Some(year),
        2 if year < 50 => Some(2000 + year),
        2 => Some(1900 + year),
        _ => None,
    }
}

fn digits(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() < 10 && text.bytes().all(|c| c.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// The number of a name, from 1; its first three letters are enough.
fn name_in(names: &[&str], word: &str) -> Option<i64> {
    let is_name = |name: &&str| {
        word.eq_ignore_ascii_case(name)
            || name.get(..3).is_some_and(|short| word.eq_ignore_ascii_case(short))
    };
    i64::try_from(names.iter().position(is_name)? + 1).ok()
}

const DAY: i64 = 24 * 60 * 60;
/// The last second of the year 9999: RFC 3339 has no later times.
const LAST: i64 = 253_402_300_799;
/// Days from the first of March of the year 0 to 1970-01-01.
const DAYS_BEFORE_EPOCH: i64 = 719_468;

const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

#[rustfmt::skip]
const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let found = parse(text.as_bytes()).map(|time| time.to_string());
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn every_form_is_read() {
        for text in [
            "25 Jun 2010 15:00:00 PST",
            "Fri, 25 Jun 2010 15:00:00 -0800",
            "25 Jun 10 15:00 pst",
            "Friday, 25-Jun-10 23:00:00 GMT",
            "Fri, 25-June-2010 23:00:00 UT",
            "Fri Jun 25 23:00:00 2010",
            "Fri Jun 25 15:00:00 PST 2010",
            "2010-06-25T23:00:00Z",
            "2010-06-25 23:00",
            "2010-06-25T15:00:00.125-08:00",
            "2010-06-26T00:30+0130",
            "20100625T23:00Z",
            "20100625T230000Z",
            "20100625T1500.5-0800",
            "2010-06-25T15-08",
        ] {
            let expected = (text != "2010-06-25T15-08").then_some("2010-06-25T23:00:00Z");
            check(text, expected);
        }
    }

    #[test]
    fn a_date_without_a_time_is_the_start_of_the_day() {
        for text in ["2020-09-21", "20200921", "21 Sep 2020", "Monday, 21-Sep-20"] {
            check(text, Some("2020-09-21T00:00:00Z"));
        }
        check("9999-12-31", Some("9999-12-31T00:00:00Z"));
        check("1 Jan 50", Some("1970-01-01T00:00:00Z"));
        check("1 Jan 49", Some("2049-01-01T00:00:00Z"));
    }

    #[test]
    fn other_texts_are_not_dates() {
        for text in [
            "",
            "not a date",
            "Friday",
            "31 Feb 2024 00:00:00 GMT",
            "25 Jun 2010 25:61:61 GMT",
            "25 Jun 2010 15:00:00 XYZ",
            "25 Jun 2010 15:00:00 GMT x",
            "25 Jun 210",
            "2010-6-25",
            "2010-06-25x",
            "2010-06-25T",
            "2010-06-25T24:00",
            "20100625T240000",
            "20100625T15000",
            "2010-13-01",
            "0000-01-01",
            "2010-06-25T10:00:00.",
            "2010-06-25T10:00:00+25:00",
            "٢٠١٠-06-25",
            "201é-06-25",
            "1e9",
            "25-Jun",
            "Jun 25 2010",
        ] {
            check(text, None);
        }
        check(&format!("2010-06-25{}", " ".repeat(DATE_BYTES)), None);
    }

    #[test]
    fn http_dates_are_parsed_like_by_another_crate() {
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // From 1970 to 2049: both read years of two digits in the same way there.
            let seconds = (seed >> 20) % 2_524_608_000;
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            let written = httpdate::fmt_http_date(time);
            let expected = Timestamp::from_seconds(seconds);
            assert_eq!(parse(written.as_bytes()), Some(expected), "{written}");
            assert_eq!(parse(expected.to_string().as_bytes()), Some(expected), "{expected}");
        }
    }

    #[test]
    fn every_day_of_ten_millennia_follows_the_previous_one() {
        let mut expected = seconds_of_date(1, 1, 1).unwrap();
        assert_eq!(expected, -62_135_596_800);
        for year in 1..=9999 {
            for month in 1..=12 {
                assert_eq!(seconds_of_date(year, month, days_of_month(year, month) + 1), None);
                for day in 1..=days_of_month(year, month) {
                    assert_eq!(seconds_of_date(year, month, day), Some(expected));
                    expected += DAY;
                    if year >= 1970 && (day == 1 || day > 27) {
                        let date = format!("{year:04}-{month:02}-{day:02}");
                        check(&date, Some(&format!("{date}T00:00:00Z")));
                    }
                }
            }
        }
    }

    #[test]
    fn dates_after_9999_become_the_last_second_of_9999() {
        for text in
            ["9999-12-31T23:59:59-01:00", "31 Dec 9999 23:59:60 GMT", "31 Dec 9999 23:59:59 PST"]
        {
            check(text, Some("9999-12-31T23:59:59Z"));
        }
    }

    #[test]
    fn dates_before_1970_become_1970() {
        for text in ["1969-12-31T23:59:59Z", "1 Jan 1950", "0001-01-01", "1970-01-01T00:30+01:00"] {
            check(text, Some("1970-01-01T00:00:00Z"));
        }
    }

    #[test]
    fn the_rest_of_a_date_begins_with_a_digit_or_a_month() {
        for text in ["25-Jun-10 15:00:00 XYZ", " 2010", "june 25th ", "Jun-25 1:00", "15:00"] {
            assert!(is_rest(text.as_bytes()), "{text}");
        }
        for text in ["", "noindex", "a1:1", "360Spider: none", "May: none", "Marchbot", "15:"] {
            assert!(!is_rest(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_first_colon_of_a_time_is_between_digits() {
        for text in ["15:00", "at 3:00 PM", "T15:00:00Z", "GMT+02:00"] {
            assert!(has_time(text.as_bytes()), "{text}");
        }
        for text in ["", "15", "15:", ":00", "360: none", "a:1", "a: 15:00"] {
            assert!(!has_time(text.as_bytes()), "{text}");
        }
    }
}
