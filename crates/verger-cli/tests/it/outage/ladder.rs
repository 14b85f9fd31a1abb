//! Long outages, by the table of `docs/access.md` (REP-CACHE-10 to REP-CACHE-14, REP-CACHE-25).

use crate::outage::crawler::{Crawler, DAY, HOUR, MINUTE, OUTAGE, can_run, daily};
use crate::outage::pair::Pair;
use crate::outage::profiles::{Answer, PROFILES, named};
use crate::outage::site::{Serves, Site};

#[test]
#[ignore = "thorough suite"]
fn daily_failures_follow_the_table_of_the_profile() {
    if !can_run("daily failures") {
        return;
    }
    let mut sites = Pair::start();
    for row in &PROFILES {
        let crawler = sites.crawler(row, Serves::Nothing, Serves::Status(503));
        let before = sites.requests();
        for visit in 0..=31 {
            sites.expect(&crawler, row, daily(visit), |copy_age| row.after_days(copy_age, visit));
        }
        // A refused connection is not a request.
        assert_eq!(sites.requests() - before, 32, "{}", row.name);
    }
}

#[test]
#[ignore = "thorough suite"]
fn a_weekly_visitor_needs_thirty_one_visits() {
    if !can_run("weekly failures") {
        return;
    }
    let mut sites = Pair::start();
    for row in ["rfc9309", "google-old", "amazonbot"].map(named) {
        let crawler = sites.crawler(row, Serves::Status(503), Serves::Nothing);
        for visit in 0..=30 {
            let answer = |copy_age| row.after_failure(copy_age, visit * 24);
            sites.expect(&crawler, row, OUTAGE + visit * 7 * DAY, answer);
        }
    }
}

#[test]
#[ignore = "thorough suite"]
fn hourly_failures_end_the_first_twelve_hours_of_google_with_the_thirteenth() {
    if !can_run("hourly failures") {
        return;
    }
    let mut sites = Pair::start();
    for row in &PROFILES {
        let crawler = sites.crawler(row, Serves::Status(503), Serves::Status(503));
        let before = sites.requests();
        // Waits in other profiles are up to a fifth longer than an hour.
        let pause = if row.name == "google" { HOUR + MINUTE } else { 75 * MINUTE };
        for visit in 0..=12 {
            let at = OUTAGE + visit * pause;
            let answer = |copy_age| row.after_failure(copy_age, visit * pause / HOUR);
            sites.expect(&crawler, row, at, answer);
        }
        assert_eq!(sites.requests() - before, 2 * 13, "{}", row.name);
    }
}

#[test]
#[ignore = "thorough suite"]
fn a_retry_after_of_a_day_is_obeyed_and_twelve_hours_allow_nothing() {
    if !can_run("Retry-After") {
        return;
    }
    let mut sites = Pair::start();
    for row in &PROFILES {
        let crawler = sites.crawler(row, Serves::Later, Serves::Later);
        let before = sites.requests();
        for (hours, tries) in [(0, 1), (6, 1), (12, 1), (13, 1), (23, 1), (24, 2), (36, 2)] {
            let counted = (tries - 1) * row.gap();
            let answer = |copy_age| row.after_failure(copy_age, counted);
            sites.expect(&crawler, row, OUTAGE + hours * HOUR + 2 * tries, answer);
            let requests = u64::try_from(sites.requests() - before).unwrap();
            assert_eq!(requests, 2 * tries, "{}, {hours} h", row.name);
        }
    }
}

#[test]
#[ignore = "thorough suite"]
fn the_first_answer_ends_the_outage_and_a_later_one_starts_from_zero() {
    if !can_run("the end of an outage") {
        return;
    }
    let mut site = Site::start();
    site.serves(Serves::Status(503));
    let crawler = Crawler::new();
    let fails = |visits: std::ops::RangeInclusive<u64>, site: &Site| {
        for visit in visits {
            let found = crawler.ask(daily(visit), "rfc9309", &site.origin);
            assert_eq!(found, named("rfc9309").after_failure(None, 0), "visit {visit}");
        }
    };
    fails(0..=29, &site);
    site.serves(Serves::Status(404));
    assert_eq!(crawler.ask(daily(30), "rfc9309", &site.origin), Answer::Everything);
    site.serves(Serves::Status(503));
    fails(31..=60, &site);
    assert_eq!(crawler.ask(daily(61), "rfc9309", &site.origin), Answer::Everything);
}
