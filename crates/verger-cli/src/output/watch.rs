//! Changes of watched sites, for text and Markdown.

use verger::Origin;
use verger_json::diff::DiffReport;

use super::outline::{Level, Outline, Part, code, words};
use super::url_changes::outline_of_diff;
use crate::audit_history::Seen;
use crate::sentence::time;
use crate::watch::change::ChangeKeys;

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
        outline.push(Level::Item, [words("reason: "), Part::Quoting(failure.to_owned())]);
    }
    for fact in &change.facts {
        let value = |value: &Option<String>| match (value, &fact.name) {
            (None, _) => words("none"),
            (Some(text), Some(_)) => Part::Quoting(text.clone()),
            (Some(text), None) => code(text),
        };
        let (after, before) = (value(&fact.after), value(&fact.before));
        let parts = if let Some(name) = &fact.name {
            [code(name), words(" gets "), after, words("; before: "), before]
        } else {
            let what = words(fact.what.replace('_', " "));
            [what, words(": "), after, words(" instead of "), before]
        };
        outline.push(Level::Item, parts);
    }
    for finding in &change.lint {
        outline.push(Level::Item, [words("new for the linter: "), Part::Quoting(finding.clone())]);
    }
    if let Some(diff) = change.diff {
        // Of the expected file and of a served one, the names are foreign text.
        let are_words = [change.as_expected.is_none(), change.outcome == "absent"];
        outline.append(outline_of_diff(diff, are_words));
    }
    outline
}

/// The headings and items of a version with this number, and its difference from the one before.
pub(crate) fn outline_of_version(
    origin: &Origin,
    number: usize,
    version: &Seen,
    diff: Option<&DiffReport<'_>>,
) -> Outline {
    let mut outline = Outline::default();
    let [from, until] = [version.from, version.until].map(|it| time(it.seconds()));
    let what = format!(" version {number}, from {from}, last seen {until}");
    outline.push(Level::Title, [code(&origin.to_string()), words(what)]);
    if let Some(diff) = diff {
        outline.append(outline_of_diff(diff, [true; 2]));
    }
    outline
}
