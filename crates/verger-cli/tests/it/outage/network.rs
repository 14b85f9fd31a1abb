//! Faults of the crawler or of its network say nothing about a site (REP-CACHE-28).

use std::process::Command;

use verger_testkit::shared::{Lacking, skip_loudly};

use crate::outage::crawler::{ALLOWED, Crawler, DAY, HOUR, OUTAGE, can_run, daily};
use crate::outage::profiles::{Answer, PROFILES};
use crate::outage::site::Site;

/// A name that does not exist, and an address without a route in Linux.
const UNREACHABLE: [&str; 2] = ["http://nonexistent.invalid", "http://255.255.255.255"];

#[test]
#[ignore = "thorough suite"]
fn unreachable_sites_stay_disallowed_for_forty_days_if_no_host_answers() {
    if !can_run("a dead network") {
        return;
    }
    let mut opened = Vec::new();
    for row in &PROFILES {
        let crawler = Crawler::new();
        for visit in 0..=40 {
            let found = crawler.check_all(daily(visit), row.name, UNREACHABLE, &ALLOWED);
            if let Some(open) = found.iter().find(|found| found.answer != Answer::Nothing) {
                opened.push((row.name, visit, open.decision["failure"]["message"].clone()));
                break;
            }
        }
    }
    assert_eq!(opened, [], "profiles that allow something, and on which day");
}

#[test]
#[ignore = "thorough suite"]
fn without_a_network_the_previous_answer_remains() {
    if !can_run("a crawler without a network") || !can_be_without_network() {
        return;
    }
    let site = Site::start();
    for row in &PROFILES {
        let crawler = Crawler::new();
        assert_eq!(crawler.ask(0, row.name, &site.origin), Answer::Rules);
        let without = |at| crawler.without_network().ask(at, row.name, &site.origin);
        assert_eq!(without(HOUR), Answer::Rules, "{}", row.name);
        for visit in (0..=31).step_by(5) {
            let at = daily(visit);
            let found = without(at);
            assert_eq!(found, row.after_own_fault(Some(at / DAY)), "{}, {visit}", row.name);
        }
        let checked = crawler.check(daily(32), row.name, &site.origin, &[]);
        assert_eq!(checked.answer, Answer::Rules, "{}", row.name);
    }
}

/// Whether a program can be run in a namespace whose network is down.
fn can_be_without_network() -> bool {
    let output = Command::new("unshare").args(["-rn", "true"]).output();
    let can_be = output.is_ok_and(|output| output.status.success());
    if !can_be {
        let why = "a network namespace is not allowed here";
        skip_loudly("a crawler without a network", Lacking::Data, why);
    }
    can_be
}

#[test]
#[ignore = "thorough suite"]
fn a_refusal_of_the_guard_keeps_a_fresh_file_and_allows_nothing() {
    if !can_run("refusals of the guard") {
        return;
    }
    let site = Site::start();
    for row in &PROFILES {
        let crawler = Crawler::new();
        let before = site.requests();
        let refused = |at, more: &[&str]| {
            let [checked] = crawler.check_all(at, row.name, [&*site.origin], more);
            assert_eq!(checked.decision.get("failing_since"), None, "{}", row.name);
            checked.answer
        };
        // Without a file, twice with a month between, and by `verger fetch`.
        for at in [0, 40 * DAY] {
            assert_eq!(refused(at, &[]), Answer::Nothing, "{}", row.name);
            let output = crawler.run_guarded(at, &["fetch", "--access", row.name, &site.origin]);
            assert_eq!(output.status.code(), Some(2), "{}: {output:?}", row.name);
        }
        let (begin, old) = (50 * DAY, 50 * DAY + OUTAGE);
        assert_eq!(crawler.ask(begin, row.name, &site.origin), Answer::Rules);
        // With a fresh file, also if a newer one was wanted.
        let fetch = ["fetch", "--access", row.name, &*site.origin];
        let output = crawler.run_guarded(begin + HOUR, &fetch);
        assert_eq!(output.status.code(), Some(0), "{}: {output:?}", row.name);
        for more in [&[][..], &["--max-age", "0"]] {
            assert_eq!(refused(begin + HOUR, more), Answer::Rules, "{}", row.name);
        }
        // With a file that has expired.
        assert_eq!(refused(old, &[]), row.after_own_fault(Some(8)), "{}", row.name);
        assert_eq!(site.requests() - before, 1, "{}", row.name);
        let checked = crawler.check(old, row.name, &site.origin, &[]);
        assert_eq!(checked.answer, Answer::Rules, "{}", row.name);
        assert_eq!(site.requests() - before, 2, "{}", row.name);
    }
}
