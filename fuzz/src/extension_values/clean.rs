//! `Clean-param`: removed and remaining parts of a URL (REP-EXT-20).

use std::borrow::Cow;

use verger::Robots;
use verger::extension::RecordKind;

/// Nothing is added, and only parameters are removed.
pub(super) fn check(robots: &Robots, url: &str) {
    let found = robots.clean_url(url);
    assert_eq!(matches!(found, Cow::Borrowed(_)), found == url, "copied for nothing");
    assert_eq!(robots.clean_url(&found), found, "cleaned twice");
    assert!(
        found == url || robots.records().any(|it| it.kind() == RecordKind::CleanParam),
        "{found} of {url}"
    );
    let (base, query, fragment) = parts(url);
    let (found_base, found_query, found_fragment) = parts(&found);
    assert_eq!((base, fragment), (found_base, found_fragment));
    let mut rest = query.iter().flat_map(|query| query.split('&'));
    let mut kept = found_query.iter().flat_map(|query| query.split('&'));
    assert!(kept.all(|kept| rest.any(|parameter| parameter == kept)), "{found} of {url}");
}

/// The parts before the `?`, after it, and from the `#` on.
fn parts(url: &str) -> (&str, Option<&str>, &str) {
    let (page, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
    match page.split_once('?') {
        Some((base, query)) => (base, Some(query), fragment),
        None => (page, None, fragment),
    }
}
