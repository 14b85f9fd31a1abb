//! One record for all commands, and one for each profile (REP-CACHE-29).

use crate::outage::crawler::{Crawler, HOUR, OUTAGE, can_run, daily};
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
