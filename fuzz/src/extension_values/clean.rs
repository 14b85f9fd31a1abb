//! `Clean-param`: removed and remaining parts of a URL (REP-EXT-20).

use std::borrow::Cow;

use verger::{Dialect, Robots};

use crate::plain::{self, Glob, Side};

/// Cleans a URL again, from the list of records.
pub(super) fn check(robots: &Robots, url: &str) {
    let found = robots.clean_url(url);
    let expected = cleaned(robots, url);
    assert_eq!(found, expected, "{}", robots.dialect());
    assert_eq!(matches!(found, Cow::Borrowed(_)), found == url, "copied for nothing");
    assert_eq!(robots.clean_url(&found), found, "cleaned twice");

    // Independent of the second implementation: nothing is added, and only parameters are removed.
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

fn cleaned(robots: &Robots, url: &str) -> String {
    let (base, query, fragment) = parts(url);
    let page = if base.is_empty() { "/" } else { base };
    let target = plain::target(page.as_bytes(), &Dialect::YANDEX);
    let (Some(query), Ok(target)) = (query, target) else {
        return url.to_owned();
    };
    let clean = robots.clean_params();
    let is_named = |parameter: &str| {
        let name = parameter.split('=').next().unwrap_or_default();
        clean.iter().any(|clean| {
            let is_here =
                clean.path.is_empty() || Glob::new(clean.path, &Dialect::YANDEX).matches(&target);
            let same = |other: &&[u8]| normal(other) == normal(name.as_bytes());
            is_here && clean.parameters.iter().any(same)
        })
    };
    let kept: Vec<&str> = query.split('&').filter(|it| !is_named(it)).collect();
    let question_mark = if kept.is_empty() { "" } else { "?" };
    format!("{base}{question_mark}{}{fragment}", kept.join("&"))
}

fn normal(name: &[u8]) -> Vec<u8> {
    plain::normal(name, Side::Target, &Dialect::RFC9309)
}
