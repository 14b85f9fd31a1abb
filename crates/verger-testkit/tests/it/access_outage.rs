//! Outages of 40 days, minute by minute with a simulated clock, in every access profile.
//!
//! A site responds once or never, and then every fetch fails. A fetch happens whenever one is due,
//! and at every full hour. The table shows the access from each time on, in days, hours and minutes
//! since the first failure.

use std::fmt::Write as _;

use verger::access::{Access, Fetched, Freshness, Kind, Outcome, Profile, Stale, State, Timestamp};

/// `copy`: the site responded just before the copy's freshness ends. `none`: it never responded.
/// `here`, `down`: whether other URLs of the site respond; without either it does not matter.
const TABLE: &str = "
rfc9309     copy       0d 00:00 copy
rfc9309     none       0d 00:00 disallow, 30d 00:00 allow
google      copy here  0d 00:00 disallow, 0d 12:00 copy, 30d 00:00 allow
google      copy down  0d 00:00 disallow, 0d 12:00 copy, 30d 00:00 disallow
google      none here  0d 00:00 disallow, 0d 12:00 allow
google      none down  0d 00:00 disallow, 0d 12:00 allow, 30d 00:00 disallow
google-old  copy       0d 00:00 disallow, 30d 00:00 copy
google-old  none       0d 00:00 disallow, 30d 00:00 allow
koster1996  copy       0d 00:00 disallow
koster1996  none       0d 00:00 disallow
book        copy       0d 00:00 disallow
book        none       0d 00:00 disallow
orig1994    copy       0d 00:00 copy
orig1994    none       0d 00:00 disallow, 30d 00:00 allow
rep2019     copy       0d 00:00 copy
rep2019     none       0d 00:00 disallow, 30d 00:00 allow
yandex      copy       0d 00:00 allow
yandex      none       0d 00:00 allow
amazonbot   copy       0d 00:00 copy, 29d 00:00 allow
amazonbot   none       0d 00:00 allow
strict      copy       0d 00:00 copy
strict      none       0d 00:00 disallow, 30d 00:00 allow
archive     copy       0d 00:00 copy
archive     none       0d 00:00 allow
";

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const FIRST_FAILURE: u64 = 1_700_000_000;

#[test]
fn an_outage_follows_the_table() {
    let mut table = String::from("\n");
    for profile in Profile::ALL {
        for has_copy in [true, false] {
            let [here, down] = [true, false].map(|site| outage(&profile, has_copy, site));
            let copy = if has_copy { "copy" } else { "none" };
            let mut line = |site: &str, steps: &str| {
                let situation = format!("{copy} {site}");
                writeln!(table, "{profile:<11} {situation:<10} {steps}").expect("a string");
            };
            if here == down {
                line("", &here);
            } else {
                line("here", &here);
                line("down", &down);
            }
        }
    }
    assert_eq!(table, TABLE, "{table}");
}

#[test]
fn the_page_has_the_same_table() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/access.md");
    let page = std::fs::read_to_string(page).expect("the page is part of the project");
    assert!(page.contains(&format!("```text{TABLE}```")), "the table of docs/access.md is another");
}

#[test]
fn an_outage_ends_with_the_first_answer() {
    for profile in Profile::ALL {
        for has_copy in [true, false] {
            let down = state_after(&profile, has_copy, 35 * DAY);
            let now = Timestamp::from_seconds(FIRST_FAILURE + 35 * DAY);
            let back = down.after(&profile, Outcome::Success, now);
            assert_eq!(back.access(&profile, now).kind(), Kind::Rules, "{profile}");
            assert_eq!((back.failing_since(), back.failures()), (None, 0), "{profile}");
        }
    }
}

#[test]
fn tries_slow_down_to_about_one_an_hour() {
    let failures = state_after(&Profile::RFC9309, false, 40 * DAY).failures();
    // 40 days of 24 hours, with a jitter of a fifth, plus those of the first hour.
    assert!((800..=1_210).contains(&failures), "{failures}");
}

/// The steps of an outage, in the format of the table.
fn outage(profile: &Profile, has_copy: bool, site_available: bool) -> String {
    let mut steps: Vec<(u64, &str)> = Vec::new();
    let profile = if site_available { &profile.with_site_available() } else { profile };
    walk(profile, has_copy, 40 * DAY, true, |state, now| {
        let answer = word(&state.access(profile, now));
        if steps.last().is_none_or(|&(_, last)| last != answer) {
            steps.push((now.seconds() - FIRST_FAILURE, answer));
        }
    });
    let show = |&(time, answer): &(u64, &str)| {
        let (days, hours, minutes) = (time / DAY, time % DAY / HOUR, time % HOUR / MINUTE);
        format!("{days}d {hours:02}:{minutes:02} {answer}")
    };
    steps.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn state_after(profile: &Profile, has_copy: bool, length: u64) -> State {
    let mut last = State::UNKNOWN;
    walk(profile, has_copy, length, false, |state, _| last = state);
    last
}

/// Advances the clock minute by minute, fetches when a fetch is due, optionally also every hour,
/// and passes every minute to `see`.
fn walk(
    profile: &Profile,
    has_copy: bool,
    length: u64,
    is_hourly: bool,
    mut see: impl FnMut(State, Timestamp),
) {
    let mut state = State::UNKNOWN;
    if has_copy {
        let lifetime = profile.lifetime(&Freshness::default(), Timestamp::EPOCH).as_secs();
        let fetched_at = Timestamp::from_seconds(FIRST_FAILURE - lifetime);
        state = state.after(profile, Outcome::Success, fetched_at);
    }
    for second in (0..=length).step_by(usize::try_from(MINUTE).expect("a minute is short")) {
        let now = Timestamp::from_seconds(FIRST_FAILURE + second);
        if state.needs_fetch(now) || is_hourly && second % HOUR == 0 {
            // Any changing number is good enough for jitter.
            let jitter = second.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let failed = Fetched { jitter, ..Outcome::Status(503).into() };
            state = state.after(profile, failed, now);
        }
        see(state, now);
    }
}

fn word(access: &Access) -> &'static str {
    match (access.kind(), access.stale()) {
        (Kind::Rules, Some(Stale::DuringOutage)) => "copy",
        (Kind::Rules, _) => "rules",
        (Kind::AllowAll, _) => "allow",
        (Kind::DisallowAll, _) => "disallow",
        (Kind::Unknown, _) => "unknown",
    }
}
