//! Times: microseconds since 1970 in UTC, as in the columns of the output.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array as _, ArrayRef, TimestampMicrosecondArray};
use arrow_cast::cast;
use arrow_schema::{DataType, TimeUnit};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The times of the years 1 to 9999, which all readers of the output can represent.
const YEARS: std::ops::RangeInclusive<i64> = -62_135_596_800_000_000..=253_402_300_799_999_999;

/// The type of a column of times.
pub(crate) fn data_type() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// Reads a time: RFC 3339 (`2026-11-24T01:02:03Z`), a date, the 14 digits of archives
/// (`20261124010203`), whole seconds since 1970 with nine or ten digits, or a date and a time
/// without a zone, which are in UTC. `None` also for years outside 1 to 9999.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    // Fewer digits can be a date. These are times from 1973 on.
    let time = match text.len() {
        9 | 10 if is_digits => Timestamp::from_second(text.parse().ok()?).ok()?,
        14 if is_digits => in_utc(DateTime::strptime("%Y%m%d%H%M%S", text).ok()?)?,
        _ => text.parse().ok().or_else(|| in_utc(text.parse().ok()?))?,
    };
    Some(time.as_microsecond()).filter(|time| YEARS.contains(time))
}

fn in_utc(time: DateTime) -> Option<Timestamp> {
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// A time with whole seconds, such as `2026-03-01T123000Z`.
pub(crate) fn in_file_name(time: i64) -> Option<String> {
    let time = Timestamp::from_microsecond(time).ok()?;
    Some(time.strftime("%Y-%m-%dT%H%M%SZ").to_string())
}

/// A length of time: a number of seconds, or with a unit `s`, `m`, `h` or `d`; in microseconds.
pub(crate) fn parse_length(text: &str) -> Result<i64, String> {
    let expected = || "expected a number with a unit, such as 90d, 24h or 30m".to_owned();
    let unit = text.trim_start_matches(|byte: char| byte.is_ascii_digit());
    let seconds = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(expected()),
    };
    let number: i64 = text[..text.len() - unit.len()].parse().map_err(|_| expected())?;
    number.checked_mul(seconds * 1_000_000).ok_or_else(|| "the time is too long".to_owned())
}

/// The times of a column; `None` for a null, a text that is no time, or a time outside the years 1
/// to 9999. `None` in total if the type is not one of times. Whole numbers are seconds since 1970.
///
/// Milliseconds that are taken for seconds are outside these years: they must not select the latest
/// rules.
pub(crate) fn column(array: &ArrayRef) -> Option<Vec<Option<i64>>> {
    let seconds = DataType::Timestamp(TimeUnit::Second, None);
    let times = match array.data_type() {
        DataType::Timestamp(..) | DataType::Null => Arc::clone(array),
        DataType::Date32 => cast(array, &seconds).ok()?,
        DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64 => {
            cast(&cast(array, &DataType::Int64).ok()?, &seconds).ok()?
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..) => {
            let texts = cast(array, &DataType::Utf8).ok()?;
            return Some(texts.as_string::<i32>().iter().map(|text| parse(text?)).collect());
        }
        _ => return None,
    };
    let times = cast(&times, &DataType::Timestamp(TimeUnit::Microsecond, None)).ok()?;
    let times = times.as_primitive::<TimestampMicrosecondType>();
    Some(times.iter().map(|time| time.filter(|time| YEARS.contains(time))).collect())
}

/// A column of times.
pub(crate) fn array(values: Vec<Option<i64>>) -> ArrayRef {
    Arc::new(TimestampMicrosecondArray::from(values).with_timezone("UTC"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringArray, TimestampSecondArray};

    #[test]
    fn times_are_read_in_all_usual_forms() {
        let expected = Some(1_700_000_000_000_000);
        for text in [
            "2023-11-14T22:13:20Z",
            "2023-11-14T23:13:20+01:00",
            "2023-11-14T22:13:20.000000Z",
            "2023-11-14 22:13:20",
            "20231114221320",
            "1700000000",
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        assert_eq!(parse("1970-01-02"), Some(86_400_000_000));
        for text in [
            "",
            "x",
            "20231314221320",
            "99999999999999",
            "1700000000000",
            "-1700000000",
            "00000101000000",
            "-000001-01-01T00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn columns_of_several_types_have_the_same_times() {
        let second = 1_700_000_000;
        let columns: [ArrayRef; 3] = [
            Arc::new(Int64Array::from(vec![Some(second), None])),
            Arc::new(TimestampSecondArray::from(vec![Some(second), None])),
            Arc::new(StringArray::from(vec![Some("2023-11-14T22:13:20Z"), Some("never")])),
        ];
        for array in columns {
            assert_eq!(column(&array), Some(vec![Some(second * 1_000_000), None]));
        }
        assert_eq!(
            column(&(Arc::new(arrow_array::BooleanArray::from(vec![true])) as ArrayRef)),
            None
        );
        let overflow: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX]));
        assert_eq!(column(&overflow), Some(vec![None]));
        // Milliseconds and microseconds in a column of seconds.
        let other_units = [second * 1_000, second * 1_000_000];
        let numbers: ArrayRef = Arc::new(Int64Array::from(other_units.to_vec()));
        assert_eq!(column(&numbers), Some(vec![None, None]));
        let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(other_units.to_vec()));
        assert_eq!(column(&seconds), Some(vec![None, None]));
    }

    #[test]
    fn lengths_have_units() {
        assert_eq!(parse_length("90"), Ok(90_000_000));
        assert_eq!(parse_length("2d"), Ok(2 * 86_400_000_000));
        for text in ["", "d", "1w", "-1", "99999999999999999999d", "9999999999999d"] {
            assert!(parse_length(text).is_err(), "{text}");
        }
    }
}
