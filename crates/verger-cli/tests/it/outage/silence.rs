//! Time without fetches and wrong clocks do not count as an outage (REP-CACHE-25, REP-CACHE-26).

use crate::outage::crawler::{Crawler, DAY, HOUR, OUTAGE, can_run, daily};
use crate::outage::pair::Pair;
use crate::outage::profiles::{Answer, PROFILES};
use crate::outage::site::{Serves, Site};

/// Fails at these times, in days since the file has expired. Each has the number of counted gaps.
fn failures_in_every_profile(failures: &[(u64, u64)]) {
    let mut sites = Pair::start();
    for row in &PROFILES {
        let crawler = sites.crawler(row, Serves::Status(503), Serves::Status(503));
        let before = sites.requests();
        for (day, gaps) in failures {
            let answer = |copy_age| row.after_failure(copy_age, gaps * row.gap());
            sites.expect(&crawler, row, OUTAGE + day * DAY, answer);
        }
        assert_eq!(sites.requests() - before, 2 * failures.len(), "{}", row.name);
    }
}

#[test]
#[ignore = "thorough suite"]
fn two_failures_a_month_apart_allow_nothing() {
    if can_run("two failures with a month of silence between") {
        failures_in_every_profile(&[(0, 0), (40, 1), (80, 2)]);
    }
}

#[test]
#[ignore = "thorough suite"]
fn failures_under_a_clock_that_is_a_month_ahead_and_the_right_one_allow_nothing() {
    if can_run("failures under two clocks") {
        failures_in_every_profile(&[(35, 0), (0, 0)]);
        failures_in_every_profile(&[(0, 0), (35, 1), (0, 1), (35, 2)]);
    }
}

#[test]
#[ignore = "thorough suite"]
fn an_answer_of_an_outage_without_a_new_try_allows_nothing() {
    if !can_run("silence without a try") {
        return;
    }
    let mut sites = Pair::start();
    for row in &PROFILES {
        let crawler = sites.crawler(row, Serves::Status(503), Serves::Status(503));
        sites.expect(&crawler, row, OUTAGE, |copy_age| row.after_failure(copy_age, 0));
        // The age of a copy is judged when a failed try ends.
        let later = OUTAGE + 40 * DAY;
        let found = crawler.check_all(later, row.name, sites.origins(), &["--offline"]);
        let expected = [Some(OUTAGE / DAY), None].map(|copy_age| row.after_own_fault(copy_age));
        assert_eq!(found.map(|checked| checked.answer), expected, "{}", row.name);
    }
}

#[test]
#[ignore = "thorough suite"]
fn a_clock_that_jumps_back_changes_no_counted_length() {
    if !can_run("a clock that jumps back") {
        return;
    }
    let mut site = Site::start();
    site.serves(Serves::Status(503));
    let crawler = Crawler::new();
    // Fifteen days of failures, then ten days back: one more try is needed than without.
    let visits: Vec<u64> = (0..=15).chain(5..=20).collect();
    let answers: Vec<Answer> =
        visits.iter().map(|&visit| crawler.ask(daily(visit), "rfc9309", &site.origin)).collect();
    assert_eq!(site.requests(), 32);
    assert_eq!(answers[..31], [Answer::Nothing; 31]);
    assert_eq!(answers[31], Answer::Everything);
}

#[test]
#[ignore = "thorough suite"]
fn each_failure_after_a_jump_back_is_one_try_and_allows_nothing() {
    if !can_run("a clock that jumps back from a failure") {
        return;
    }
    let mut site = Site::start();
    for row in &PROFILES {
        let crawler = Crawler::new();
        site.serves(Serves::File);
        crawler.ask(0, row.name, &site.origin);
        site.serves(Serves::Status(503));
        let before = site.requests();
        // Two failures, then one under a clock before the first of them.
        for at in [OUTAGE, OUTAGE + HOUR + 600, OUTAGE - DAY / 2] {
            crawler.ask(at, row.name, &site.origin);
        }
        let expected = row.after_failure(Some(0), 1);
        let checked = crawler.check(OUTAGE - DAY / 2 + 2 * HOUR, row.name, &site.origin, &[]);
        assert_eq!(checked.answer, expected, "{}", row.name);
        assert_eq!(site.requests() - before, 4, "{}", row.name);
        assert_eq!(checked.decision["failures"], 4, "{}", row.name);
    }
}
