//! Times as people write them.

use verger::access::Timestamp;

/// 9999-12-31T23:59:59Z, the last second that RFC 3339 can write.
const LAST: u64 = 253_402_300_799;

/// Seconds since 1970 as a time of the calendar, UTC; a number after the year 9999 stays a number.
pub(crate) fn time(seconds: u64) -> String {
    match seconds {
        ..=LAST => Timestamp::from_seconds(seconds).to_string(),
        _ => seconds.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar_while_it_has_them() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_763_700_000), "2025-11-21T04:40:00Z");
        assert_eq!(time(253_402_300_799), "9999-12-31T23:59:59Z");
        assert_eq!(time(253_402_300_800), "253402300800");
        assert_eq!(time(u64::MAX), "18446744073709551615");
    }
}
