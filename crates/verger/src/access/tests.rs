//! The state machine as a whole. `testdata/` has the outcomes of the published texts.

use core::time::Duration;
use std::vec;
use std::vec::Vec;

use super::{
    Fetched, Freshness, Kind, Meaning, OutageStep, Outcome, Profile, Stale, State, Timestamp,
};
use crate::{Dialect, Reason, Robots, limits};

const START: Timestamp = Timestamp::from_seconds(1_700_000_000);
const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

fn at(seconds: u64) -> Timestamp {
    START.after(Duration::from_secs(seconds))
}

fn state(profile: &Profile, history: &[(Outcome, u64)]) -> State {
    let step = |state: State, &(outcome, time)| state.after(profile, outcome, at(time));
    history.iter().fold(State::UNKNOWN, step)
}

fn with_max_age(outcome: Outcome, max_age: u64) -> Fetched {
    let freshness = Freshness { max_age: Some(max_age), ..Freshness::default() };
    Fetched { freshness, ..Fetched::from(outcome) }
}

#[test]
fn nothing_is_known_before_the_first_fetch() {
    for profile in Profile::ALL.map(Profile::with_site_available) {
        assert!(State::UNKNOWN.needs_fetch(Timestamp::EPOCH));
        let access = State::UNKNOWN.access(&profile, START);
        assert_eq!((access.kind(), access.reason(), access.stale()), (Kind::Unknown, None, None));
        assert!(access.verdict(Some(&Robots::parse("")), "a", "http://h/x").is_none());
    }
}

// REP-CACHE-4: a result without a file has the lifetime of a file.
#[test]
fn a_result_is_fresh_for_its_lifetime_and_then_due() {
    let rfc = Profile::RFC9309;
    for outcome in [Outcome::Success, Outcome::Status(404), Outcome::RedirectLimit] {
        let state = state(&rfc, &[(outcome, 0)]);
        assert!(state.is_fresh(at(0)) && state.is_fresh(at(DAY - 1)) && !state.is_fresh(at(DAY)));
        assert_eq!(state.needs_fetch(at(DAY - 1)), !state.needs_fetch(at(DAY)));
        assert_eq!(state.access(&rfc, at(DAY - 1)).valid_until(), at(DAY));
        assert_eq!(state.access(&rfc, at(DAY)).kind(), Kind::Unknown);
    }
}

#[test]
fn an_expired_result_answers_during_a_refresh_until_it_is_a_day_old() {
    let rfc = Profile::RFC9309;
    let state = State::UNKNOWN.after(&rfc, with_max_age(Outcome::Success, 600), START);
    let stale = |seconds| {
        let access = state.access(&rfc, at(seconds));
        (access.kind(), access.stale())
    };
    assert_eq!(stale(599), (Kind::Rules, None));
    assert_eq!(stale(600), (Kind::Rules, Some(Stale::WhileRefreshing)));
    assert_eq!(stale(DAY - 1), (Kind::Rules, Some(Stale::WhileRefreshing)));
    assert_eq!(stale(DAY), (Kind::Unknown, None));
    // A copy with a longer lifetime never answers during a refresh.
    let google =
        State::UNKNOWN.after(&Profile::GOOGLE, with_max_age(Outcome::Success, 9 * DAY), START);
    assert!(google.is_fresh(at(9 * DAY - 1)) && !google.may_answer_while_refreshing(at(9 * DAY)));
}

#[test]
fn a_304_renews_the_copy_and_ends_an_outage() {
    let rfc = Profile::RFC9309;
    let before = State::UNKNOWN.after(&rfc, with_max_age(Outcome::Success, 2 * HOUR), START);
    for before in [before, before.after(&rfc, Outcome::Network, at(3 * HOUR))] {
        let renewed = before.after(&rfc, Outcome::NotModified, at(4 * HOUR));
        assert_eq!(renewed.fetched_at(), Some(at(4 * HOUR)));
        assert_eq!(renewed.fresh_until(), Some(at(6 * HOUR)), "what the copy had");
        assert_eq!((renewed.failing_since(), renewed.failures()), (None, 0));
        let longer = with_max_age(Outcome::NotModified, 9 * HOUR);
        let renewed = before.after(&rfc, longer, at(4 * HOUR));
        assert_eq!(renewed.fresh_until(), Some(at(13 * HOUR)), "what the 304 says");
    }
}

#[test]
fn an_unconditional_304_is_a_broken_redirect() {
    for before in [State::UNKNOWN, state(&Profile::RFC9309, &[(Outcome::Status(404), 0)])] {
        let deny = before.after(&Profile::RFC9309, Outcome::NotModified, at(DAY));
        assert_eq!(deny.failing_since(), Some(at(DAY)));
        let deny = before.after(&Profile::STRICT, Outcome::NotModified, at(DAY));
        assert_eq!(deny.access(&Profile::STRICT, at(DAY)).kind(), Kind::DisallowAll);
        assert_eq!(deny.failing_since(), None);
    }
}

#[test]
fn a_4xx_ends_an_outage_and_replaces_the_copy() {
    let rfc = Profile::RFC9309;
    let history = [(Outcome::Success, 0), (Outcome::Network, DAY), (Outcome::Status(410), 2 * DAY)];
    let gone = state(&rfc, &history);
    assert_eq!((gone.failing_since(), gone.has_copy()), (None, false));
    let access = gone.access(&rfc, at(2 * DAY));
    assert_eq!((access.kind(), access.reason()), (Kind::AllowAll, Some(Reason::Unavailable)));
    // An outage after it has no copy to use.
    let down = gone.after(&rfc, Outcome::Network, at(3 * DAY));
    assert_eq!(down.access(&rfc, at(3 * DAY)).kind(), Kind::DisallowAll);
}

#[test]
fn an_outage_counts_from_its_first_failure() {
    let google = Profile::GOOGLE;
    let history = [(Outcome::Status(503), 0), (Outcome::Network, HOUR), (Outcome::Status(429), 2)];
    let state = state(&google, &history);
    assert_eq!(state.failing_since(), Some(at(0)));
    assert_eq!(state.failures(), 3);
    assert_eq!(state.next_try(), at(2 + 192));
    let access = state.access(&google, at(100));
    assert_eq!(access.valid_until(), at(194), "the next try comes before the next step");
    let access = state.access(&google, at(12 * HOUR - 1));
    assert_eq!(access.valid_until(), at(12 * HOUR - 1), "a try is overdue");
}

/// A failed fetch at each of these times.
fn failing(profile: &Profile, before: State, times: impl IntoIterator<Item = u64>) -> State {
    times
        .into_iter()
        .fold(before, |state, time| state.after(profile, Outcome::Status(503), at(time)))
}

/// The state after failed fetches at intervals of the outage gap, from `start` on.
fn failing_for(profile: &Profile, before: State, start: u64, length: u64) -> State {
    let gap = usize::try_from(profile.outage_gap.as_secs()).expect("a day is short");
    failing(profile, before, (start..=start + length).step_by(gap))
}

// REP-CACHE-26: a step that allows less begins with the clock, one that allows more does not.
#[test]
fn only_a_step_that_allows_less_ends_an_answer() {
    let google = Profile::GOOGLE;
    let asked = Fetched {
        retry_after: Some(Duration::from_secs(20 * HOUR)),
        ..Fetched::from(Outcome::Status(503))
    };
    let state = State::UNKNOWN.after(&google, asked, START);
    let access = state.access(&google, at(1));
    assert_eq!((access.kind(), access.valid_until()), (Kind::DisallowAll, at(20 * HOUR)));
    // The last step disallows everything if the site is otherwise unavailable.
    let copy = State::UNKNOWN.after(&google, Outcome::Success, at(0));
    let state = failing_for(&google, copy, DAY, 12 * HOUR);
    let state = state.after(&google, asked, at(31 * DAY - HOUR));
    let access = state.access(&google, at(31 * DAY - 1));
    assert_eq!((access.kind(), access.valid_until()), (Kind::Rules, at(31 * DAY)));
    assert_eq!(state.access(&google, at(31 * DAY)).kind(), Kind::DisallowAll);
    assert_eq!(state.access(&google.with_site_available(), at(31 * DAY)).kind(), Kind::Rules);
}

// REP-CACHE-25.
#[test]
fn the_length_of_an_outage_is_counted_over_failed_fetches() {
    let rfc = Profile::RFC9309;
    let length = |times: &[u64]| failing(&rfc, State::UNKNOWN, times.iter().copied());
    for (times, expected) in [
        (vec![0], 0),
        (vec![0, 60, 3_600], 3_600),
        (vec![0, 30 * DAY], DAY),
        (vec![0, DAY, 2 * DAY, 300 * DAY], 3 * DAY),
        // The clock goes back, and continues from there.
        (vec![10 * DAY, 0, HOUR], HOUR),
        // One failure with a wrong clock, one with the correct one.
        (vec![0, 31 * DAY, 60], DAY),
    ] {
        assert_eq!(length(&times).outage_length().as_secs(), expected, "{times:?}");
    }
    let weekly = (0..=30).map(|week| week * 7 * DAY);
    let kind = |state: State| {
        let tried = state.outage.expect("an outage").tried_at;
        state.access(&rfc, tried).kind()
    };
    assert_eq!(kind(failing(&rfc, State::UNKNOWN, weekly.clone().take(30))), Kind::DisallowAll);
    assert_eq!(kind(failing(&rfc, State::UNKNOWN, weekly)), Kind::AllowAll);
}

// REP-CACHE-26.
#[test]
fn time_alone_never_allows_more() {
    for profile in Profile::ALL.map(Profile::with_site_available) {
        for has_copy in [true, false] {
            let before = if has_copy {
                State::UNKNOWN.after(&profile, Outcome::Success, at(0))
            } else {
                State::UNKNOWN
            };
            let down = failing(&profile, before, [9 * DAY]);
            let first = down.access(&profile, at(9 * DAY)).kind();
            for later in [HOUR, 12 * HOUR, 13 * HOUR, DAY, 30 * DAY, 31 * DAY, 400 * DAY] {
                let found = down.access(&profile, at(9 * DAY + later)).kind();
                let expected = if first == Kind::AllowAll { Kind::Unknown } else { first };
                assert_eq!(found, expected, "{profile}, {later} s later");
                let access = down.access_without_fetch(&profile, at(9 * DAY + later)).kind();
                assert_ne!(access, Kind::AllowAll, "{profile}");
            }
        }
    }
}

// REP-CACHE-26: the age of a copy is compared when a failed fetch ends.
#[test]
fn a_copy_becomes_too_old_only_by_a_failed_fetch() {
    let amazonbot = Profile::AMAZONBOT;
    let copy = State::UNKNOWN.after(&amazonbot, Outcome::Success, START);
    let down = failing(&amazonbot, copy, [29 * DAY]);
    let later = down.access(&amazonbot, at(40 * DAY));
    assert_eq!((later.kind(), later.stale()), (Kind::Rules, Some(Stale::DuringOutage)));
    let again = failing(&amazonbot, down, [30 * DAY]);
    assert_eq!(again.access(&amazonbot, at(30 * DAY)).kind(), Kind::AllowAll);
}

// REP-CACHE-28.
#[test]
fn a_local_fault_changes_nothing() {
    let states = [
        State::UNKNOWN,
        state(&Profile::STRICT, &[(Outcome::Success, 0)]),
        state(&Profile::STRICT, &[(Outcome::Status(404), 0), (Outcome::Network, DAY)]),
    ];
    for state in states {
        assert_eq!(state.after(&Profile::STRICT, Outcome::LocalFault, at(40 * DAY)), state);
    }
}

#[test]
fn access_without_a_fetch_never_allows_more_than_before() {
    for profile in Profile::ALL.map(Profile::with_site_available) {
        let unknown = State::UNKNOWN.access_without_fetch(&profile, START);
        assert_eq!(unknown.kind(), Kind::DisallowAll, "{profile}");
        let gone = State::UNKNOWN.after(&profile, Outcome::Status(404), START);
        assert_ne!(
            gone.access_without_fetch(&profile, at(40 * DAY)).kind(),
            Kind::AllowAll,
            "{profile}"
        );
        let copy = State::UNKNOWN.after(&profile, Outcome::Success, START);
        let access = copy.access_without_fetch(&profile, at(8 * DAY));
        let keeps_copy = profile.outage_with_copy.at_first == OutageStep::Copy;
        let expected = if keeps_copy {
            (Kind::Rules, Some(Stale::NotRefreshed))
        } else {
            (Kind::DisallowAll, None)
        };
        assert_eq!((access.kind(), access.stale()), expected, "{profile}");
    }
}

// REP-CACHE-29.
#[test]
fn a_failed_fetch_leaves_a_fresh_file_alone() {
    let strict = Profile::STRICT;
    let fresh = state(&strict, &[(Outcome::Success, 0)]);
    assert_eq!(fresh.after(&strict, Outcome::Network, at(HOUR)), fresh);
    assert_ne!(fresh.after(&strict, Outcome::Network, at(DAY)), fresh, "it is due");
    for status in [403, 404] {
        let state = state(&strict, &[(Outcome::Status(status), 0), (Outcome::Network, HOUR)]);
        assert_eq!(state.access(&strict, at(HOUR)).kind(), Kind::DisallowAll, "{status}");
        assert_eq!(state.failing_since(), Some(at(HOUR)), "{status}");
    }
    // A failure does not allow what a fresh refusal disallows.
    let mut row = Profile::ARCHIVE;
    row.forbidden = Meaning::DisallowAll;
    let state = state(&row, &[(Outcome::Status(403), 0), (Outcome::Network, HOUR)]);
    assert_eq!(state.access(&row, at(HOUR)).kind(), Kind::DisallowAll);
}

#[test]
fn a_clock_that_goes_back_makes_nothing_fresh() {
    let rfc = Profile::RFC9309;
    let fresh = state(&rfc, &[(Outcome::Success, DAY)]);
    assert!(fresh.needs_fetch(at(DAY - 1)) && !fresh.may_answer_while_refreshing(at(DAY - 1)));
    assert_eq!(fresh.access(&rfc, at(0)).kind(), Kind::Unknown);

    let failing = fresh.after(&rfc, Outcome::Network, at(2 * DAY));
    assert!(failing.needs_fetch(at(DAY)) && !failing.needs_fetch(at(2 * DAY)));
    let again = failing.after(&rfc, Outcome::Network, at(0));
    assert_eq!(again.failing_since(), Some(at(0)));
    assert_eq!((again.fetched_at(), again.fresh_until()), (Some(at(0)), Some(at(DAY))));
    assert!(!again.needs_fetch(at(1)) && again.needs_fetch(at(HOUR)));
}

#[test]
fn a_fetch_is_due_even_if_the_clock_is_at_its_maximum() {
    let end = Timestamp::from_seconds(u64::MAX);
    for outcome in [Outcome::Success, Outcome::Network] {
        let fetched = Fetched { jitter: u64::MAX, ..outcome.into() };
        let state = State::UNKNOWN.after(&Profile::RFC9309, fetched, end);
        assert!(state.needs_fetch(end));
        assert_eq!(State::decode(&state.encode()), Some(state));
    }
}

#[test]
fn a_floor_of_zero_is_permitted() {
    let mut row = Profile::RFC9309;
    row.floor = Duration::ZERO;
    let fetched = Fetched::of(Outcome::Success, [("Cache-Control", "no-store")], START);
    let state = State::UNKNOWN.after(&row, fetched, START);
    assert!(state.needs_fetch(START));
    let access = state.access(&row, START);
    assert_eq!((access.kind(), access.stale()), (Kind::Rules, Some(Stale::WhileRefreshing)));
}

#[test]
fn a_step_to_an_absent_copy_disallows() {
    let mut row = Profile::RFC9309;
    row.outage_without_copy.at_first = OutageStep::Copy;
    let state = state(&row, &[(Outcome::Network, 0)]);
    assert_eq!(state.access(&row, START).kind(), Kind::DisallowAll);
}

#[test]
fn a_verdict_has_the_reason_of_its_access() {
    let robots = Robots::parse("User-agent: *\nDisallow: /x\n");
    let reason = |profile: &Profile, outcome| {
        let access = state(profile, &[(outcome, 0)]).access(profile, START);
        let verdict = access.verdict(Some(&robots), "a", "http://h/x").expect("it is known");
        (verdict.is_allowed(), verdict.reason())
    };
    let (rfc, strict, archive) = (Profile::RFC9309, Profile::STRICT, Profile::ARCHIVE);
    let mut lenient = rfc;
    lenient.server_error = lenient.unavailable;
    for (profile, outcome, expected) in [
        (rfc, Outcome::Success, (false, Reason::Rule)),
        (rfc, Outcome::Status(404), (true, Reason::Unavailable)),
        (rfc, Outcome::RedirectLimit, (true, Reason::RedirectLimit)),
        (rfc, Outcome::DisallowedHop, (false, Reason::Unavailable)),
        (Profile::GOOGLE, Outcome::DisallowedHop, (true, Reason::Unavailable)),
        (rfc, Outcome::BrokenRedirect, (false, Reason::Unreachable)),
        (rfc, Outcome::Status(429), (false, Reason::Unreachable)),
        (Profile::REP2019, Outcome::Status(429), (true, Reason::Unavailable)),
        (rfc, Outcome::Status(500), (false, Reason::Unreachable)),
        // REP-ACCESS-27.
        (lenient, Outcome::Status(500), (true, Reason::Unavailable)),
        (strict, Outcome::Status(403), (false, Reason::Unavailable)),
        (strict, Outcome::RedirectLimit, (false, Reason::RedirectLimit)),
        (strict, Outcome::BrokenRedirect, (false, Reason::Unreachable)),
        (archive, Outcome::Network, (true, Reason::Unreachable)),
        (Profile::AMAZONBOT, Outcome::Status(404), (true, Reason::Unavailable)),
    ] {
        assert_eq!(reason(&profile, outcome), expected, "{profile}: {outcome:?}");
    }
}

#[test]
fn urls_that_need_no_robots_txt_have_a_verdict_in_every_state() {
    let rfc = Profile::RFC9309;
    let deny = state(&rfc, &[(Outcome::Network, 0)]).access(&rfc, START);
    for access in [deny, State::UNKNOWN.access(&rfc, START)] {
        let reason = |url: &str| access.verdict(None, "a", url).map(|verdict| verdict.reason());
        assert_eq!(reason("http://h/robots.txt"), Some(Reason::RobotsTxtItself));
        assert_eq!(reason("mailto:x"), Some(Reason::NoRobotsForScheme));
    }
    // In the dialect of a file without this exemption.
    let google = Dialect::GOOGLE.parse("");
    let verdict = deny.verdict(Some(&google), "a", "http://h/robots.txt").expect("it is known");
    assert!(!verdict.is_allowed());
}

#[test]
fn rules_without_the_file_have_no_verdict() {
    let rfc = Profile::RFC9309;
    let access = state(&rfc, &[(Outcome::Success, 0)]).access(&rfc, START);
    assert!(access.verdict(None, "a", "http://h/x").is_none());
    assert!(access.verdict(None, "a", "http://h/x").is_none());
}

#[test]
fn damaged_states_are_not_decoded_as_the_original() {
    let rfc = Profile::STRICT;
    let states = [
        State::UNKNOWN,
        state(&rfc, &[(Outcome::Success, 0)]),
        state(&rfc, &[(Outcome::Status(403), 0)]),
        state(&rfc, &[(Outcome::Success, 0), (Outcome::Network, DAY)]),
        state(&rfc, &[(Outcome::Network, 0), (Outcome::Network, 60)]),
    ];
    for state in states {
        let bytes = state.encode();
        assert_eq!(State::decode(&bytes), Some(state));
        assert_eq!(State::decode(&bytes[1..]), None);
        for at in 0..State::BYTES * 8 {
            let mut damaged = bytes;
            damaged[at / 8] ^= 1 << (at % 8);
            // Some are other states; none equals this one, and all are valid.
            if let Some(other) = State::decode(&damaged) {
                assert_ne!(other, state);
                assert_eq!(other.encode(), damaged);
                let (from, until) = (other.fetched_at(), other.fresh_until());
                assert!(
                    from.zip(until)
                        .is_none_or(|(from, until)| { until.since(from) <= limits::FRESHNESS })
                );
            }
        }
        for version in [1, 3] {
            assert_eq!(State::decode(&[&[version], &bytes[1..]].concat()), None, "{version}");
        }
    }
    let fresh_too_long: Vec<u8> = {
        let mut bytes = states[1].encode().to_vec();
        bytes[16..24].copy_from_slice(&at(31 * DAY).seconds().to_le_bytes());
        bytes
    };
    assert_eq!(State::decode(&fresh_too_long), None);
}
