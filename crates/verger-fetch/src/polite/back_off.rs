//! How long an origin is left alone that cannot take more.

use std::time::Duration;

use verger::limits::RETRY;

use crate::limits::{FIRST_BACK_OFF, LONGEST_BACK_OFF};

/// How often in a row an origin has refused to answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BackOff {
    refusals: u32,
}

impl BackOff {
    /// The wait after one more refusal: what the server asks for, between a minute and a day as for
    /// robots.txt itself, or else a growing while.
    pub(super) fn refused(&mut self, retry_after: Option<Duration>) -> Duration {
        let doubled = 1_u32.checked_shl(self.refusals).unwrap_or(u32::MAX);
        self.refusals = self.refusals.saturating_add(1);
        let own = FIRST_BACK_OFF.saturating_mul(doubled).min(LONGEST_BACK_OFF);
        retry_after.map_or(own, |wait| wait.clamp(FIRST_BACK_OFF, RETRY))
    }

    /// It answers again.
    pub(super) fn answered(&mut self) {
        self.refusals = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_an_hour_and_begin_anew_after_an_answer() {
        let mut back_off = BackOff::default();
        let mut waits = |count: usize| -> Vec<u64> {
            (0..count).map(|_| back_off.refused(None).as_secs() / 60).collect()
        };
        assert_eq!(waits(9), [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(waits(100).last(), Some(&60));
        back_off.answered();
        assert_eq!(back_off.refused(None), FIRST_BACK_OFF);
    }

    #[test]
    fn retry_after_is_honoured_and_bounded() {
        let mut back_off = BackOff::default();
        for (asked, expected) in [(0, 60), (5, 60), (61, 61), (7_200, 7_200), (u64::MAX, 86_400)] {
            let wait = back_off.refused(Some(Duration::from_secs(asked)));
            assert_eq!(wait.as_secs(), expected);
        }
    }
}
