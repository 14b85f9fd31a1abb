//! Times in logs.

use verger::access::Timestamp;

use crate::limits::LATEST_SECONDS;

/// A time in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogTime {
    /// Milliseconds since 1970, in UTC.
    milliseconds: u64,
    /// Whether the text has its zone, which UTC is otherwise.
    pub(crate) has_zone: bool,
}

impl LogTime {
    /// Reads a time: seconds since 1970, also in milli-, micro- and nanoseconds, or a date of the Common
    /// Log Format, RFC 3339 or HTTP, with or without fraction and zone.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let text = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or(text);
        let time = match *text {
            [_, _, _, b',', b' ', ref date @ ..] => Self::civil(date, Order::DayFirst(b' ')),
            [_, _, b'/', ..] => Self::civil(text, Order::DayFirst(b'/')),
            [_, _, _, _, b'-', ..] => Self::civil(text, Order::YearFirst),
            _ => Self::epoch(text),
        }?;
        (time.milliseconds / 1000 <= LATEST_SECONDS).then_some(time)
    }

    /// The time before a duration.
    pub(crate) fn before(self, milliseconds: u64) -> Timestamp {
        Timestamp::from_seconds(self.milliseconds.saturating_sub(milliseconds) / 1000)
    }

    /// Seconds, milliseconds, microseconds or nanoseconds, by the number of digits.
    fn epoch(text: &[u8]) -> Option<Self> {
        let whole = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let has_zone = true;
        let milliseconds = match whole {
            1..=11 => milliseconds(text)?,
            12..=14 => milliseconds(text)? / 1000,
            15..=17 => number(text)? / 1000,
            18..=20 => number(text)? / 1_000_000,
            _ => return None,
        };
        Some(Self { milliseconds, has_zone })
    }

    fn civil(text: &[u8], order: Order) -> Option<Self> {
        let mut rest = text;
        let (year, month, day);
        match order {
            Order::YearFirst => {
                year = digits(&mut rest, 4)?;
                skip(&mut rest, b"-")?;
                month = digits(&mut rest, 2)?;
                skip(&mut rest, b"-")?;
                day = digits(&mut rest, 2)?;
                skip(&mut rest, b"T")
                    .or_else(|| skip(&mut rest, b" "))
                    .or_else(|| skip(&mut rest, b"t"))?;
            }
            Order::DayFirst(separator) => {
                day = digits(&mut rest, 2)?;
                skip(&mut rest, &[separator])?;
                let (name, after) = rest.split_at_checked(3)?;
                month =
                    MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))? as u64 + 1;
                rest = after;
                skip(&mut rest, &[separator])?;
                year = digits(&mut rest, 4)?;
                skip(&mut rest, b":").or_else(|| skip(&mut rest, b" "))?;
            }
        }
        let days = days(year, month, day)?;
        let hour = digits(&mut rest, 2)?;
        skip(&mut rest, b":")?;
        let minute = digits(&mut rest, 2)?;
        skip(&mut rest, b":")?;
        let second = digits(&mut rest, 2)?;
        // A leap second is the first of the next minute, as in Unix time.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let mut fraction = 0;
        if skip(&mut rest, b".").or_else(|| skip(&mut rest, b",")).is_some() {
            let end = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            fraction =
                rest[..end.min(3)].iter().fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0'));
            fraction *= 10_u64.pow(3_u32.saturating_sub(u32::try_from(end).unwrap_or(3)));
            rest = &rest[end..];
        }
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
        let zone = rest.trim_ascii();
        let seconds = seconds.checked_add_signed(-60 * offset(zone)?)?;
        Some(Self { milliseconds: seconds * 1000 + fraction, has_zone: !zone.is_empty() })
    }
}

/// A duration in seconds, with or without a fraction, as milliseconds; `None` if it is not a number.
pub(crate) fn milliseconds(text: &[u8]) -> Option<u64> {
    let whole = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
    let fraction = text.get(whole + 1..).unwrap_or_default();
    let place = |at: usize| fraction.get(at).copied().unwrap_or(b'0');
    let fraction_is_number = fraction.iter().all(u8::is_ascii_digit);
    let fraction = number(&[place(0), place(1), place(2)])?;
    (fraction_is_number && whole <= 14).then_some(())?;
    number(&text[..whole])?.checked_mul(1000)?.checked_add(fraction)
}

/// The order of the parts of a date.
#[derive(Clone, Copy)]
enum Order {
    YearFirst,
    /// With this separator.
    DayFirst(u8),
}

/// The offset of a zone in minutes.
fn offset(text: &[u8]) -> Option<i64> {
    if [&b""[..], b"z", b"utc", b"gmt"].iter().any(|name| text.eq_ignore_ascii_case(name)) {
        return Some(0);
    }
    let (sign, mut rest) = match text {
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let hours = digits(&mut rest, 2)?;
    let minutes = match skip(&mut rest, b":") {
        None if rest.is_empty() => 0,
        _ => digits(&mut rest, 2)?,
    };
    let minutes = i64::try_from(hours * 60 + minutes).ok().filter(|_| rest.is_empty())?;
    (minutes < 24 * 60).then_some(sign * minutes)
}

/// Days since 1970 of a day that exists.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        2 => 28 + u64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1970 || day == 0 || day > length {
        return None;
    }
    // The year begins in March here, so that the leap day is its last day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    Some(365 * year + year / 4 - year / 100 + year / 400 + day_of_year - DAYS_FROM_MARCH_0)
}

fn digits(rest: &mut &[u8], length: usize) -> Option<u64> {
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    number(text)
}

fn number(text: &[u8]) -> Option<u64> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    let add = |sum: u64, byte| sum.checked_mul(10)?.checked_add(digit(byte)?);
    text.iter().try_fold(0, add).filter(|_| !text.is_empty())
}

fn skip(rest: &mut &[u8], text: &[u8]) -> Option<()> {
    *rest = rest.strip_prefix(text)?;
    Some(())
}

const MONTHS: [&[u8]; 12] = [
    b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
];

/// Days from 0000-03-01 to 1970-01-01.
const DAYS_FROM_MARCH_0: u64 = 719_468;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_all_usual_forms() {
        // 2026-03-01T22:23:00Z
        let noon = 1_772_403_780;
        for (text, expected) in [
            ("01/Mar/2026:22:23:00 +0000", Some((noon, true))),
            ("[01/Mar/2026:22:23:00 +0000]", Some((noon, true))),
            ("02/mar/2026:00:23:00 +0200", Some((noon, true))),
            ("01/Mar/2026:14:23:00.999 -0800", Some((noon, true))),
            ("01/Mar/2026:22:23:00.655", Some((noon, false))),
            ("2026-03-01T22:23:00Z", Some((noon, true))),
            ("2026-03-01T22:23:00.186641Z", Some((noon, true))),
            ("2026-03-01 22:23:00", Some((noon, false))),
            ("2026-03-01T23:53:00+01:30", Some((noon, true))),
            ("2026-03-01T17:23:00-0500", Some((noon, true))),
            ("2026-03-01T23:23:00,5+01", Some((noon, true))),
            ("2026-03-01 22:23:00 UTC", Some((noon, true))),
            ("Sun, 01 Mar 2026 22:23:00 GMT", Some((noon, true))),
            ("1772403780", Some((noon, true))),
            ("1772403780.999", Some((noon, true))),
            ("1772403780999", Some((noon, true))),
            ("1772403780999999", Some((noon, true))),
            ("1772403780999999999", Some((noon, true))),
            ("2024-02-29T00:00:00Z", Some((1_709_164_800, true))),
            ("1970-01-01T00:00:00Z", Some((0, true))),
            ("9999-12-31T23:59:59Z", Some((LATEST_SECONDS, true))),
            ("2026-02-29T00:00:00Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-00-01T00:00:00Z", None),
            ("2026-04-31T00:00:00Z", None),
            ("1969-12-31T23:59:59Z", None),
            ("1970-01-01T00:00:00+01:00", None),
            ("2026-03-01T24:00:00Z", None),
            ("2026-03-01", None),
            ("2026-03-01T22:23:00 CET", None),
            ("2026-03-01T22:23:00+1", None),
            ("01/Foo/2026:22:23:00 +0000", None),
            ("01/Mar/2026", None),
            ("t", None),
            ("", None),
            ("-1", None),
            ("1772403780x", None),
            ("1772403780.x", None),
            ("99999999999999999999999", None),
        ] {
            let found = LogTime::read(text.as_bytes());
            let found = found.map(|it| (it.before(0).seconds(), it.has_zone));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn the_days_of_four_centuries_are_counted() {
        let mut expected = 0;
        for year in 1970..2370 {
            for month in 1..=12 {
                for day in (1..=31).filter(|day| days(year, month, *day).is_some()) {
                    assert_eq!(days(year, month, day), Some(expected), "{year}-{month}-{day}");
                    expected += 1;
                }
            }
        }
        assert_eq!(expected, 146_097);
    }

    #[test]
    fn durations_are_seconds() {
        for (text, expected) in [
            ("0.006", Some(6)),
            ("12", Some(12_000)),
            ("1.5", Some(1500)),
            ("-1", None),
            ("-", None),
            ("", None),
            ("1.x", None),
        ] {
            assert_eq!(milliseconds(text.as_bytes()), expected, "{text}");
        }
    }
}
