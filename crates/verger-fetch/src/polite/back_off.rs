//! The duration of a back-off.

use std::time::Duration;

use verger::limits::RETRY;

use crate::limits::{FIRST_BACK_OFF, LONGEST_BACK_OFF};

/// The wait after a refusal that follows this number of refusals: the time that the server
/// requests, between a minute and a day as for robots.txt itself, otherwise a growing time.
pub(crate) fn back_off(refusals: u32, retry_after: Option<Duration>) -> Duration {
    let doubled = 1_u32.checked_shl(refusals).unwrap_or(u32::MAX);
    let own = FIRST_BACK_OFF.saturating_mul(doubled).min(LONGEST_BACK_OFF);
    retry_after.map_or(own, |wait| wait.clamp(FIRST_BACK_OFF, RETRY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_an_hour() {
        let waits: Vec<u64> = (0..9).map(|before| back_off(before, None).as_secs() / 60).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(back_off(u32::MAX, None), LONGEST_BACK_OFF);
    }

    #[test]
    fn retry_after_is_honoured_and_bounded() {
        for (asked, expected) in [(0, 60), (5, 60), (61, 61), (7_200, 7_200), (u64::MAX, 86_400)] {
            let wait = back_off(3, Some(Duration::from_secs(asked)));
            assert_eq!(wait.as_secs(), expected);
        }
    }
}
