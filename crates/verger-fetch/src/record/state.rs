//! The state of access in a word, for those who look into a store.

use verger::access::{Profile, State, Timestamp};

/// What the answers so far mean: `rules`, `allow_all`, `disallow_all`; `unreachable` during an outage,
/// where what holds is for the access profile to say; `unknown` before the first answer.
pub(super) fn kind(state: &State) -> &'static str {
    if state.failing_since().is_some() {
        return "unreachable";
    }
    // Without an outage the profile has no say, and a result holds when it comes.
    let now = state.fetched_at().unwrap_or(Timestamp::EPOCH);
    state.access(&Profile::default(), now, false).kind().name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::access::Outcome;

    #[test]
    fn states_have_a_word_each() {
        let now = Timestamp::from_seconds(1_700_000_000);
        for (profile, outcome, expected) in [
            (Profile::RFC9309, Outcome::Success, "rules"),
            (Profile::RFC9309, Outcome::Status(404), "allow_all"),
            (Profile::STRICT, Outcome::Status(403), "disallow_all"),
            (Profile::RFC9309, Outcome::Status(503), "unreachable"),
        ] {
            let state = State::UNKNOWN.after(&profile, outcome, now, 0);
            assert_eq!(kind(&state), expected, "{outcome:?}");
        }
        assert_eq!(kind(&State::UNKNOWN), "unknown");
    }
}
