//! `Content-Usage` and `Content-Signal`: an answer is what some record of the crawler states.

use verger::extension::{Extension, Preference, Signals, Usage};
use verger::{Crawler, Robots};

/// Checks both answers against the list of records.
pub(super) fn check(robots: &Robots, crawler: &Crawler, url: &[u8]) {
    let dialect = robots.dialect();
    let records = || robots.records_for(crawler).filter_map(|record| record.extension().ok());
    let found = robots.content_usage(crawler, url);
    // REP-EXT-37.
    assert_eq!(found.is_some(), robots.check(crawler, url).is_allowed(), "{dialect}");
    for stated in found.into_iter().flat_map(Usage::stated) {
        let states = |usage: Usage| usage.stated().any(|it| it == stated);
        let is_stated =
            records().any(|it| matches!(it, Extension::ContentUsage(line) if states(line.usage)));
        assert!(is_stated, "{dialect}");
    }
    let found = robots.content_signals(crawler, url);
    let lines = || {
        records().filter_map(|it| match it {
            Extension::ContentSignal(line) => Some(line.signals()),
            _ => None,
        })
    };
    for of in [|it: &Signals| it.search, |it: &Signals| it.ai_input, |it: &Signals| it.ai_train] {
        let is_stated =
            of(&found) == Preference::Unknown || lines().any(|it| of(&it) == of(&found));
        assert!(is_stated, "{dialect}");
    }
    assert!(found.extent.is_none() || lines().any(|it| it.extent == found.extent), "{dialect}");
}
