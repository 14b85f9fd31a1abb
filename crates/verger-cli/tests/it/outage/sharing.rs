//! One record for all commands, and one for each profile (REP-CACHE-29).

use crate::outage::crawler::{Crawler, DAY, HOUR, OUTAGE, can_run, daily};
use crate::outage::profiles::{Answer, PROFILES};
use crate::outage::site::{Serves, Site};

#[test]
#[ignore = "thorough suite"]
fn no_command_in_any_profile_discards_the_copy_of_another() {
    if !can_run("a copy that others use") {
        return;
    }
    let mut site = Site::start();
    let crawler = Crawler::new();
    assert_eq!(crawler.ask(0, "rfc9309", &site.origin), Answer::Rules);
    site.serves(Serves::Status(503));
    let private = format!("{}/private", site.origin);
    let commands: [&[&str]; 4] = [
        &["check", "--agent", "ExampleBot"],
        &["inspect"],
        &["page", "--agent", "ExampleBot"],
        &["fetch"],
    ];
    // Forty-four days: every command in every profile, interleaved.
    let mixed = (0..44).map(|index| (commands[index % 4], &PROFILES[index * 5 % 11]));
    for (visit, (command, row)) in (0..).zip(mixed) {
        let at = daily(visit);
        let before = site.requests();
        let output = crawler.run(at, &[command, &["--access", row.name, &private]].concat());
        assert!(output.status.code().is_some(), "{output:?}");
        assert_eq!(site.requests() - before, 1, "{command:?} {}: {output:?}", row.name);
        let found = crawler.ask(at + HOUR, "rfc9309", &site.origin);
        assert_eq!(found, Answer::Rules, "{command:?} {} on day {visit}", row.name);
    }
}

#[test]
#[ignore = "thorough suite"]
fn fetch_in_every_profile_keeps_the_copy_of_an_outage() {
    if !can_run("daily fetches") {
        return;
    }
    let mut site = Site::start();
    let crawlers: Vec<_> = PROFILES.iter().map(|row| (row, Crawler::new())).collect();
    for (row, crawler) in &crawlers {
        assert_eq!(crawler.fetch(0, row.name, &site.origin).0, Some(0), "{}", row.name);
    }
    site.serves(Serves::Status(503));
    for (row, crawler) in &crawlers {
        for visit in 0..=10 {
            let at = daily(4 * visit);
            let (code, report) = crawler.fetch(at, row.name, &site.origin);
            let expected = row.after_failure(Some(at / DAY), visit * row.gap());
            assert_eq!(code == Some(1), expected == Answer::Nothing, "{}: {report}", row.name);
            assert_eq!(report["bytes"], 33, "{}: {report}", row.name);
            assert_eq!(crawler.ask(at, row.name, &site.origin), expected, "{}", row.name);
        }
    }
}

#[test]
#[ignore = "thorough suite"]
fn each_profile_fetches_once() {
    if !can_run("all profiles in turn") {
        return;
    }
    let mut site = Site::start();
    let all = [Serves::File, Serves::Status(404), Serves::Status(403), Serves::Status(503)];
    for what in all.into_iter().chain([Serves::Later]) {
        site.serves(what);
        let (crawler, before) = (Crawler::new(), site.requests());
        // Immediately, and after all files have expired.
        for (rounds, at) in [(1, 0), (2, OUTAGE)] {
            for row in PROFILES.iter().chain(&PROFILES) {
                let found = crawler.ask(at, row.name, &site.origin);
                if matches!(what, Serves::File) {
                    assert_eq!(found, Answer::Rules, "{}", row.name);
                } else if matches!(what, Serves::Status(503) | Serves::Later) {
                    assert_eq!(found, row.after_failure(None, 0), "{} at {at}", row.name);
                }
            }
            let requests = rounds * PROFILES.len();
            assert_eq!(site.requests() - before, requests, "{what:?} at {at}");
        }
    }
}

#[test]
#[ignore = "thorough suite"]
fn a_failed_fetch_while_the_file_is_fresh_starts_no_outage() {
    if !can_run("a failed fetch of a fresh file") {
        return;
    }
    let mut site = Site::start();
    for what in [Serves::Status(503), Serves::Later, Serves::Nothing] {
        for row in &PROFILES {
            let crawler = Crawler::new();
            site.serves(Serves::File);
            assert_eq!(crawler.ask(0, row.name, &site.origin), Answer::Rules);
            site.serves(what);
            let (code, report) = crawler.fetch(HOUR, row.name, &site.origin);
            assert_eq!(code, Some(0), "{}: {report}", row.name);
            assert_eq!(report["meaning"]["access"], "rules", "{}: {report}", row.name);
            let before = site.requests();
            let checked = crawler.check(2 * HOUR, row.name, &site.origin, &[]);
            assert_eq!(checked.answer, Answer::Rules, "{}", row.name);
            assert_eq!(checked.decision.get("failing_since"), None, "{}", row.name);
            assert_eq!(site.requests(), before, "{}", row.name);
            // The outage begins with the first failure after that.
            let checked = crawler.check(OUTAGE, row.name, &site.origin, &[]);
            assert_eq!(checked.answer, row.after_failure(Some(8), 0), "{}", row.name);
            assert_eq!(checked.decision["failures"], 1, "{}", row.name);
            assert_eq!(checked.decision["failing_for"], 0, "{}", row.name);
        }
    }
}

#[test]
#[ignore = "thorough suite"]
fn a_file_that_is_too_large_stays_cut_when_the_site_confirms_it() {
    if !can_run("a cut file") {
        return;
    }
    let site = Site::start();
    let crawler = Crawler::new();
    let filler = "# filler\n".repeat(100_000);
    site.publishes(&format!("User-agent: *\nDisallow: /private\n{filler}Disallow: /public\n"));
    for visit in 0..3 {
        let checked = crawler.check(visit * 2 * DAY, "rfc9309", &site.origin, &[]);
        assert_eq!(checked.decision["truncated"], true, "{}", checked.decision);
        assert_eq!(checked.decision["bytes"], 512_000, "{}", checked.decision);
    }
    assert_eq!(site.requests(), 3);
}
