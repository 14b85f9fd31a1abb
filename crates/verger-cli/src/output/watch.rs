//! Changes of watched sites, for text and Markdown.

use super::outline::{Level, Outline, code, words};
use super::url_changes::outline_of_diff;
use crate::sentence::{counted, time};
use crate::watch::change::{ChangeKeys, VersionKeys};

/// The headings and items of a change.
pub(crate) fn outline_of_change(change: &ChangeKeys<'_>) -> Outline {
    let mut outline = Outline::default();
    let what = match (change.outcome, change.as_expected) {
        ("unreachable", _) => ": robots.txt is unreachable",
        (_, Some(true)) => " serves what is expected",
        (_, Some(false)) => " differs from what is expected",
        (_, None) => " changed",
    };
    let id = format!(", at {}, change {}", time(change.at), change.id);
    outline.push(Level::Title, [code(&change.origin), words(what), words(id)]);
    if let Some(failure) = change.failure {
        outline.push(Level::Item, [words("reason: "), code(failure)]);
    }
    for fact in &change.facts {
        let mut parts = vec![words(match fact.what {
            "media_type" => "media type",
            "length" => "length of the file",
            "other_request" => "file for ",
            what => what,
        })];
        parts.extend(fact.name.as_ref().map(code));
        for (verb, value) in [(": ", &fact.after), (" instead of ", &fact.before)] {
            parts.push(words(verb));
            parts.push(value.as_ref().map_or_else(|| words("none"), code));
        }
        outline.push(Level::Item, parts);
    }
    for finding in &change.lint {
        outline.push(Level::Item, [words("new for the linter: "), code(finding)]);
    }
    if let Some(diff) = change.diff {
        outline.append(outline_of_diff(diff));
    }
    outline
}

/// The headings and items of a version.
pub(crate) fn outline_of_version(version: &VersionKeys<'_>) -> Outline {
    let mut outline = Outline::default();
    let (from, until) = (time(version.from), time(version.until));
    let size = counted(version.bytes as u64, "byte");
    let what = format!(" version {}, from {from}, last seen {until}: {size}", version.version);
    outline.push(Level::Title, [code(&version.origin), words(what)]);
    if let Some(diff) = version.diff {
        outline.append(outline_of_diff(diff));
    }
    outline
}
