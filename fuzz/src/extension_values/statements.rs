//! `Content-Usage` and `Content-Signal`: the longest path, and then any `n` (REP-EXT-34).

use verger::extension::{Extension, Preference, RecordKind, Signal, Signals, Usage};
use verger::{Crawler, Robots};

use crate::plain::{self, Glob};

/// Computes both answers again from the list of records.
pub(super) fn check(robots: &Robots, crawler: &Crawler, url: &[u8]) {
    let dialect = robots.dialect();
    let (mut usages, mut signals) = (Vec::new(), Vec::new());
    for record in robots.records_for(crawler) {
        match record.extension() {
            Ok(Extension::ContentUsage(line)) => usages.push((line.path, line.usage)),
            Ok(Extension::ContentSignal(line)) => signals.push((line.path, line.signals())),
            // REP-EXT-36: an invalid value states nothing, also for its path.
            Err(_) if record.kind() == RecordKind::ContentUsage => {
                let path = record.value().split(|octet| matches!(octet, b' ' | b'\t')).next();
                usages.push((path.filter(|path| path.starts_with(b"/")), Usage::default()));
            }
            _ => {}
        }
    }

    let usages = longest(robots, url, &usages);
    let any = |of: fn(&Usage) -> Preference| {
        let says = |wanted| usages.iter().any(|usage| of(usage) == wanted);
        match (says(Preference::Disallowed), says(Preference::Allowed)) {
            (true, _) => Preference::Disallowed,
            (false, true) => Preference::Allowed,
            (false, false) => Preference::Unknown,
        }
    };
    let found = robots.content_usage(crawler, url);
    // REP-EXT-37.
    assert_eq!(found.is_some(), robots.check(crawler, url).is_allowed(), "{dialect}");
    if let Some(found) = found {
        assert_eq!(found.train_ai, any(|usage| usage.train_ai), "{dialect}");
        assert_eq!(found.search, any(|usage| usage.search), "{dialect}");
    }

    let signals = longest(robots, url, &signals);
    let any = |of: fn(&Signals) -> Signal| {
        let says = |wanted| signals.iter().any(|signal| of(signal) == wanted);
        match (says(Signal::No), says(Signal::Yes)) {
            (true, _) => Signal::No,
            (false, true) => Signal::Yes,
            (false, false) => Signal::Absent,
        }
    };
    let found = robots.content_signals(crawler, url);
    assert_eq!(found.search, any(|it| it.search), "{dialect}");
    assert_eq!(found.ai_input, any(|it| it.ai_input), "{dialect}");
    assert_eq!(found.ai_train, any(|it| it.ai_train), "{dialect}");
    assert_eq!(found.extent, signals.iter().filter_map(|it| it.extent).min(), "{dialect}");
}

/// The statements of the lines with the longest matching path.
fn longest<T: Copy>(robots: &Robots, url: &[u8], lines: &[(Option<&[u8]>, T)]) -> Vec<T> {
    let dialect = robots.dialect();
    let Ok(target) = plain::target(url, &dialect) else {
        return Vec::new();
    };
    let matching: Vec<(usize, T)> = lines
        .iter()
        .filter_map(|&(path, stated)| {
            let Some(path) = path else {
                return Some((0, stated));
            };
            let glob = Glob::new(path, &dialect);
            glob.matches(&target).then(|| (glob.length(), stated))
        })
        .collect();
    let most = matching.iter().map(|&(length, _)| length).max();
    matching
        .into_iter()
        .filter(|&(length, _)| Some(length) == most)
        .map(|(_, stated)| stated)
        .collect()
}
