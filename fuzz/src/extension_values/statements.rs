//! `Content-Usage` and `Content-Signal`: an answer is what some record of the crawler states.

use verger::extension::{Extension, Preference, Signals};
use verger::{Crawler, Robots};

/// Checks both answers against the list of records.
pub(super) fn check(robots: &Robots, crawler: &Crawler, url: &[u8]) {
    let dialect = robots.dialect();
    let records = || robots.records_for(crawler).filter_map(|record| record.extension().ok());
    let found = robots.content_usage(crawler, url);
    // REP-EXT-37.
    assert_eq!(found.is_some(), robots.check(crawler, url).is_allowed(), "{dialect}");
    let states = |wanted: Preference, of: fn(&verger::extension::Usage) -> Preference| {
        records().any(|it| matches!(it, Extension::ContentUsage(line) if of(&line.usage) == wanted))
    };
    if let Some(found) = found {
        let is_stated = |found, of| found == Preference::Unknown || states(found, of);
        assert!(is_stated(found.train_ai, |usage| usage.train_ai), "{dialect}");
        assert!(is_stated(found.search, |usage| usage.search), "{dialect}");
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
