//! Target `access`: every state of access leads to another fetch, for all outcomes and clocks.
//!
//! The state machine processes a history of fetches. In every state: a fetch becomes due within 30
//! days, and a successful one leads to rules; nothing is fresh beyond the ceiling of the profile; a
//! clock that goes back makes nothing fresh; an answer remains valid until its stated time. The
//! bytes of the state decode to the state, and damaged bytes either fail or decode to a state with
//! these properties. Dates are read as written, in all three forms.

mod dates;
mod history;

use std::time::Duration;

use verger::access::{Access, Kind, Meaning, Outcome, Profile, Stale, State, Step, Timestamp};
use verger::limits;

use history::{Event, History};

/// Checks these properties.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let History { profile, events } = History::read(bytes);
    let (mut state, mut made_at) = (State::UNKNOWN, Timestamp::EPOCH);
    has_a_way_out(state, &profile, made_at);
    for event in events {
        dates::are_read_as_written(event.now);
        let next = state.after(&profile, event.fetched, event.now, event.jitter);
        follows(state, next, &profile, &event);
        // A failure without effect leaves the state unchanged (REP-CACHE-28, REP-CACHE-29).
        if next != state {
            made_at = event.now;
        }
        holds(next, &profile, made_at);
        damaged(next, &profile, &event);
        state = next;
    }
}

/// Checks the properties of a single state. `made_at` is the time of its fetch.
fn holds(state: State, profile: &Profile, made_at: Timestamp) {
    assert_eq!(State::decode(&state.encode()), Some(state));
    has_a_way_out(state, profile, made_at);
    let ceiling = profile.ceiling.max(profile.max_age_ceiling).min(limits::FRESHNESS);
    for now in probes(state, made_at) {
        if state.is_fresh(now) {
            let fetched_at = state.fetched_at().expect("a fresh file was fetched");
            assert!(fetched_at <= now && now < fetched_at.after(ceiling), "{state:?} at {now:?}");
        }
        if now < made_at {
            assert!(state.needs_fetch(now) && !state.is_fresh(now), "{state:?} at {now:?}");
            assert!(!state.may_answer_while_refreshing(now), "{state:?} at {now:?}");
        }
        for site_available in [false, true] {
            let access = state.access(profile, now, site_available);
            is_whole(&access, state, now);
            let standing = state.access_without_fetch(profile, now, site_available);
            assert_ne!(standing.kind(), Kind::Unknown, "{state:?} at {now:?}");
            let opens = standing.kind() == Kind::AllowAll && access.kind() != Kind::AllowAll;
            assert!(!opens, "without a fetch nothing is opened: {state:?} at {now:?}");
            let last = Timestamp::from_seconds(access.valid_until().seconds().saturating_sub(1));
            if now <= last {
                let later = state.access(profile, last, site_available);
                assert_eq!(later, access, "{state:?} from {now:?} to {last:?}");
            }
        }
    }
}

/// A fetch becomes due. A successful one leads to rules, a refusal to no restriction or to an
/// outage.
fn has_a_way_out(state: State, profile: &Profile, made_at: Timestamp) {
    let longest = limits::FRESHNESS.max(limits::RETRY + limits::RETRY / 5);
    let due = state.next_try();
    assert!(due <= made_at.after(longest), "{state:?} made at {made_at:?}");
    assert!(state.needs_fetch(due));
    let found = state.after(profile, Outcome::Success, due, 0);
    assert_eq!(found.failing_since(), None);
    let kind = found.access(profile, due, false).kind();
    // At the maximum time nothing is fresh, and the age of a copy is no longer meaningful.
    assert!(kind == Kind::Rules || due.after(longest).since(due) < longest, "{found:?}");
}

/// Consistency of the fields of an answer.
fn is_whole(access: &Access, state: State, now: Timestamp) {
    let is_by_reason = matches!(access.kind(), Kind::AllowAll | Kind::DisallowAll);
    assert_eq!(access.reason().is_some(), is_by_reason, "{access:?}");
    assert!(access.valid_until() >= now, "{access:?} at {now:?}");
    let is_failing = state.failing_since().is_some();
    match access.kind() {
        Kind::Unknown => assert!(state.needs_fetch(now), "{state:?} at {now:?}"),
        Kind::Rules => assert!(state.has_copy(), "{state:?}"),
        Kind::AllowAll | Kind::DisallowAll => {}
    }
    match access.stale() {
        Some(Stale::DuringOutage) => assert!(is_failing && state.has_copy(), "{state:?}"),
        Some(_) => assert!(state.may_answer_while_refreshing(now) && !state.is_fresh(now)),
        None => assert!(access.kind() != Kind::Rules || state.is_fresh(now), "{state:?}"),
    }
}

/// Effect of a fetch on a state.
fn follows(before: State, after: State, profile: &Profile, event: &Event) {
    let renews = event.fetched.outcome != Outcome::NotModified || before.has_copy();
    let meaning =
        if renews { profile.meaning(event.fetched.outcome) } else { profile.broken_redirect };
    let is_local = event.fetched.outcome == Outcome::LocalFault;
    // An outage must not allow URLs that a fresh refusal disallows.
    let is_refused = before.access(profile, event.now, false).kind() == Kind::DisallowAll
        && profile.outage_without_copy.at_first != Step::Disallow;
    let outlives = before.is_fresh(event.now) && (before.has_copy() || is_refused);
    if is_local || meaning == Meaning::Unreachable && outlives {
        // REP-CACHE-28, REP-CACHE-29.
        assert_eq!(after, before);
    } else if meaning == Meaning::Unreachable {
        // REP-CACHE-25.
        let gap = before.failed_at().map_or(Duration::ZERO, |failed| event.now.since(failed));
        let counted = before.outage_length().saturating_add(gap.min(profile.outage_gap));
        assert_eq!(after.outage_length(), counted, "{before:?}, {after:?}");
        let since = before.failing_since().map_or(event.now, |since| since.min(event.now));
        assert_eq!(after.failing_since(), Some(since));
        assert_eq!(after.failures(), before.failures() + 1);
        assert_eq!(after.has_copy(), before.has_copy());
        let wait = after.next_try().since(event.now);
        let longest = profile.retry_longest.max(profile.retry_first);
        let longest = (longest + longest / 5).max(profile.retry_after_longest);
        assert!(wait <= longest, "{after:?}");
        // A copy does not get younger, unless the clock went back before its time.
        let copies = before.fetched_at().filter(|_| before.has_copy());
        assert_eq!(after.fetched_at(), copies.map(|time| time.min(event.now)));
        let lifetime = |state: State| Some(state.fresh_until()?.since(state.fetched_at()?));
        assert!(lifetime(after) <= lifetime(before), "{before:?}, {after:?}");
    } else {
        assert_eq!((after.failing_since(), after.failures()), (None, 0));
        assert_eq!(after.has_copy(), meaning == Meaning::Rules);
        assert_eq!(after.fetched_at(), Some(event.now));
        let lifetime = after.fresh_until().expect("a result").since(event.now);
        assert!(lifetime <= profile.max_age_ceiling.max(profile.ceiling), "{after:?}");
    }
}

/// Bytes with one changed octet do not decode, or decode to a state with all properties.
fn damaged(state: State, profile: &Profile, event: &Event) {
    let mut bytes = state.encode();
    let [at, flip, ..] = event.jitter.to_le_bytes();
    bytes[usize::from(at) % State::BYTES] ^= flip;
    if let Some(other) = State::decode(&bytes) {
        assert_eq!(other.encode(), bytes);
        // Only states of this profile respect its ceiling; all states respect the limit.
        if let (Some(fetched_at), Some(until)) = (other.fetched_at(), other.fresh_until()) {
            assert!(until <= fetched_at.after(limits::FRESHNESS), "{other:?}");
        }
        for now in probes(other, event.now) {
            is_whole(&other.access(profile, now, false), other, now);
            let next = other.after(profile, event.fetched, now, event.jitter);
            assert_eq!(State::decode(&next.encode()), Some(next), "from {other:?}");
        }
    }
}

/// The times at which something may change, and the times around them.
fn probes(state: State, made_at: Timestamp) -> impl Iterator<Item = Timestamp> {
    let since = state.failing_since();
    let later = |days: u64| since.map(|since| since.seconds().saturating_add(days * 43_200));
    [
        Some(0),
        Some(made_at.seconds()),
        Some(state.next_try().seconds()),
        state.fresh_until().map(Timestamp::seconds),
        state.fetched_at().map(|time| time.seconds().saturating_add(86_400)),
        state.fetched_at().map(|time| time.seconds().saturating_add(30 * 86_400)),
        later(1),
        later(60),
        Some(u64::MAX),
    ]
    .into_iter()
    .flatten()
    .flat_map(|time| [time.saturating_sub(1), time, time.saturating_add(1)])
    .map(Timestamp::from_seconds)
}
