//! Times in logs.

use std::str::FromStr;
use std::time::Duration;

use verger::access::Timestamp;
use verger_identity::limits::LATEST_SECONDS;

use crate::limits::MARGIN_SECONDS;

/// Reads a time as a log writes it: a date of the Common Log Format, RFC 3339 or HTTP, perhaps in
/// brackets, or seconds since 1970 with ten digits or more. Without a zone it is in UTC.
pub fn read_time(text: &[u8]) -> Option<Timestamp> {
    // A year or a day is no number of seconds.
    let is_one = text.len() >= "1788220800".len();
    LogTime::read(text).filter(|_| is_one).map(|time| time.before(0))
}

/// The time before a duration.
pub(crate) const fn before(time: Timestamp, duration: Duration) -> Timestamp {
    Timestamp::from_seconds(time.seconds().saturating_sub(duration.as_secs()))
}

/// A time in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogTime {
    /// Milliseconds since 1970, in UTC.
    milliseconds: u64,
    /// Whether the text has its zone, which UTC is otherwise.
    pub(crate) has_zone: bool,
}

impl LogTime {
    /// Reads a time: seconds since 1970, also in milli-, micro- and nanoseconds, or a date of the
    /// Common Log Format, RFC 3339 or HTTP, with or without fraction and zone.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let text = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or(text);
        let time = match *text {
            [_, _, _, b',', b' ', ref date @ ..] => Self::civil(date),
            [_, _, b'/', ..] | [_, _, _, _, b'-', ..] => Self::civil(text),
            _ => Self::epoch(text),
        }?;
        (time.milliseconds / 1000 <= LATEST_SECONDS).then_some(time)
    }

    /// The time before a duration.
    pub(crate) fn before(self, milliseconds: u64) -> Timestamp {
        Timestamp::from_seconds(self.milliseconds.saturating_sub(milliseconds) / 1000)
    }

    /// The time after a duration.
    pub(crate) fn after(self, milliseconds: u64) -> Timestamp {
        Timestamp::from_seconds(self.milliseconds.saturating_add(milliseconds) / 1000)
    }

    /// Whether two times can be those of one request: its end, and the time of a later message.
    pub(crate) const fn is_near(self, other: Self) -> bool {
        self.milliseconds.abs_diff(other.milliseconds) < MARGIN_SECONDS * 1000
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

    /// A date and a time of day, with or without fraction and zone.
    fn civil(text: &[u8]) -> Option<Self> {
        let (midnight, clock) = if text.get(4) == Some(&b'-') {
            let (date, clock) = text.split_at_checked("2026-03-01".len())?;
            let [year, month, day] = [0..4, 5..7, 8..10].map(|range| number(&date[range]));
            (day_of(year?, month?, day?).filter(|_| date[7] == b'-')?, clock)
        } else {
            let (date, clock) = text.split_at_checked("01/Mar/2026".len())?;
            let mut months = b"JanFebMarAprMayJunJulAugSepOctNovDec".chunks(3);
            let month = months.position(|month| month.eq_ignore_ascii_case(&date[3..6]))?;
            let (year, day) = (number(&date[7..])?, number(&date[..2])?);
            (day_of(year, month as u64 + 1, day).filter(|_| date[2] == date[6])?, clock)
        };
        let (clock, rest) = clock.split_at_checked("T22:23:00".len())?;
        let [b'T' | b't' | b' ' | b':', _, _, b':', _, _, b':', ..] = clock else { return None };
        let [hour, minute, second] = [1..3, 4..6, 7..9].map(|range| number(&clock[range]));
        let (hour, minute, second) = (hour?, minute?, second?);
        // A leap second is the first of the next minute, as in Unix time.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let digits = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b","));
        let (fraction, zone) = digits.map_or((&b""[..], rest), |digits| {
            digits.split_at(digits.iter().take_while(|byte| byte.is_ascii_digit()).count())
        });
        let zone = zone.trim_ascii();
        let minutes = midnight.seconds() / 60 + hour * 60 + minute;
        let minutes = minutes.checked_add_signed(-offset(zone)?)?;
        let milliseconds = (minutes * 60 + second) * 1000 + thousandths(fraction)?;
        Some(Self { milliseconds, has_zone: !zone.is_empty() })
    }
}

/// The zone of times that do not say theirs: `UTC`, or an offset such as `+02:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogZone {
    minutes: i64,
}

impl LogZone {
    /// A time of this zone that was read as UTC.
    pub(crate) fn to_utc(self, read: Timestamp) -> Timestamp {
        Timestamp::from_seconds(read.seconds().saturating_add_signed(-60 * self.minutes))
    }
}

impl FromStr for LogZone {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let minutes = offset(text.as_bytes()).filter(|_| !text.is_empty());
        let expected = "expected `UTC` or an offset such as `+02:00`";
        minutes.map(|minutes| Self { minutes }).ok_or(expected)
    }
}

/// A duration in seconds, with or without a fraction, as milliseconds; `None` if it is not a
/// number.
pub(crate) fn milliseconds(text: &[u8]) -> Option<u64> {
    let whole = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
    let fraction = text.get(whole + 1..).unwrap_or_default();
    let is_number = fraction.iter().all(u8::is_ascii_digit) && whole <= 14;
    let whole = number(&text[..whole]).filter(|_| is_number)?;
    whole.checked_mul(1000)?.checked_add(thousandths(fraction)?)
}

/// The first three digits of a fraction.
fn thousandths(digits: &[u8]) -> Option<u64> {
    number(&[0, 1, 2].map(|at| digits.get(at).copied().unwrap_or(b'0')))
}

/// The offset of a zone in minutes; of none, 0.
fn offset(text: &[u8]) -> Option<i64> {
    if [&b""[..], b"z", b"utc", b"gmt"].iter().any(|name| text.eq_ignore_ascii_case(name)) {
        return Some(0);
    }
    let (sign, digits) = text.split_first()?;
    let (hours, minutes) = match digits {
        [_, _] => (digits, &b"00"[..]),
        [_, _, b':', _, _] => (&digits[..2], &digits[3..]),
        [_, _, _, _] => digits.split_at(2),
        _ => return None,
    };
    let minutes = i64::try_from(number(hours)? * 60 + number(minutes)?).ok()?;
    let minutes = match sign {
        b'+' => minutes,
        b'-' => -minutes,
        _ => return None,
    };
    (minutes.abs() < 24 * 60).then_some(minutes)
}

/// A day from 1970 on.
fn day_of(year: u64, month: u64, day: u64) -> Option<Timestamp> {
    Timestamp::from_date(year, month, day).filter(|_| year >= 1970)
}

/// A number that is digits only.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    let add = |sum: u64, byte| sum.checked_mul(10)?.checked_add(digit(byte)?);
    text.iter().try_fold(0, add).filter(|_| !text.is_empty())
}

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
