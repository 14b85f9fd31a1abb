//! Changes of watched sites, for text and Markdown.

use super::outline::{Level, Outline, Part, code, words};
use super::url_changes::outline_of_diff;
use crate::sentence::{counted, time};
use crate::watch::change::{ChangeKeys, VersionKeys};
use crate::watch::seen::Outcome;

/// The headings and items of a change.
pub(crate) fn outline_of_change(change: &ChangeKeys<'_>) -> Outline {
    let mut outline = Outline::default();
    let is_end = change.facts.iter().any(|fact| fact.what == "outage");
    let what = match (change.outcome, change.as_expected) {
        (Outcome::Unreachable, _) => ": robots.txt is unreachable",
        (_, None) if is_end => ": an outage has ended",
        (_, Some(true)) => " serves what is expected",
        (_, Some(false)) => " differs from what is expected",
        (_, None) => " changed",
    };
    let id = format!(", at {}, change {}", time(change.at), change.id);
    outline.push(Level::Title, [code(&change.origin), words(what), words(id)]);
    if let Some(failure) = change.failure {
        outline.push(Level::Item, [words("reason: "), Part::Quoting(failure.to_owned())]);
    }
    for fact in &change.facts {
        let value = |value: &Option<String>| match (value, fact.what) {
            (None, _) => words("none"),
            (Some(text), "outage" | "other_request") => Part::Quoting(text.clone()),
            (Some(text), _) => code(text),
        };
        let (after, before) = (value(&fact.after), value(&fact.before));
        let parts = match (fact.what, &fact.name) {
            ("outage", _) => vec![words("after an outage: "), before],
            (_, Some(name)) => {
                vec![code(name), words(" gets "), after, words("; before: "), before]
            }
            (what, None) => {
                vec![words(what.replace('_', " ") + ": "), after, words(" instead of "), before]
            }
        };
        outline.push(Level::Item, parts);
    }
    for finding in &change.lint {
        outline.push(Level::Item, [words("new for the linter: "), Part::Quoting(finding.clone())]);
    }
    if let Some(diff) = change.diff {
        // Of the expected file and of a served one, the names are foreign text.
        let are_words = [change.as_expected.is_none(), change.outcome == Outcome::Absent];
        outline.append(outline_of_diff(diff, are_words));
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
    if version.returned {
        outline.push(Level::Item, [words("the same file again, after answers without a file")]);
    }
    if let Some(diff) = version.diff {
        outline.append(outline_of_diff(diff, [true; 2]));
    }
    outline
}
