//! Times as people write them.

use jiff::Timestamp;

/// Seconds since 1970 as a time of the calendar, UTC; a number that no calendar has stays a number.
pub(crate) fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| seconds.to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar_while_it_has_them() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_763_700_000), "2025-11-21T04:40:00Z");
        assert_eq!(time(u64::MAX), "18446744073709551615");
    }
}
