//! Changes between two observations, by meaning.

use std::collections::HashSet;

use serde::Serialize;
use verger::diagnostic::Severity;
use verger::{Origin, Robots, quoted};
use verger_analysis::Direction;
use verger_json::diff::{DiffReport, compared};
use verger_lint::{Finding, Report, Settings, lint};

use super::seen::{Answer, Seen};
use crate::limits::VARIANT_CHANGES;
use crate::sentence::counted;

/// A change of a site, in the form of the JSON contract.
#[derive(Debug, Serialize)]
pub(crate) struct ChangeKeys<'a> {
    /// Equal only for the same change: a repeated report has the same one.
    pub(crate) id: String,
    pub(crate) origin: String,
    /// Seconds since 1970.
    pub(crate) at: u64,
    pub(crate) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<&'a str>,
    /// Whether the answer is as `--expect` says; absent with `last`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) as_expected: Option<bool>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) lint: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) diff: Option<&'a DiffReport<'a>>,
}

/// A changed property of an answer.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fact {
    pub(crate) what: &'static str,
    /// The other request, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<String>,
}

/// The properties of an answer that differ from those of the last answer: in an outage, the answer
/// before it. Those of other requests differ from usual ones, if they were not seen before.
pub(crate) fn facts(before: &Seen, after: &Seen) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut push = |what, name: Option<&String>, before: Option<&str>, after: Option<&str>| {
        if before != after {
            let [before, after] = [before, after].map(|it| it.map(str::to_owned));
            facts.push(Fact { what, name: name.cloned(), before, after });
        }
    };
    push("outcome", None, Some(before.outcome()), Some(after.outcome()));
    let Some(new) = after.current() else { return facts };
    let old = before.answer.as_ref();
    if let Some(old) = old {
        let [was, is] = [old, new].map(|it| it.status.map(|status| status.to_string()));
        push("status", None, was.as_deref(), is.as_deref());
        push("url", None, Some(&old.url), Some(&new.url));
        if old.failure.is_some() == new.failure.is_some() {
            push("media_type", None, old.media_type.as_deref(), new.media_type.as_deref());
        }
        let length = |it: &Answer| Some(if it.is_cut { "too long" } else { "whole" });
        push("length", None, length(old), length(new));
    }
    for (name, difference) in &new.others {
        // A family without addresses is not a difference.
        let is_family = FAMILIES.iter().any(|(family, _)| family == name);
        let is_usual = is_family && difference.starts_with(NO_ANSWER);
        let known = old.and_then(|it| it.others.get(name)).map(String::as_str);
        let known = known.unwrap_or(if is_usual { difference } else { SAME });
        push("other_request", Some(name), Some(known), Some(difference));
    }
    facts
}

/// Compares two named texts for a site, and passes on the difference for the crawlers that they
/// name and `*`, if it matters, and the new findings of the linter.
pub(crate) fn compare_texts<R>(
    origin: &Origin,
    [before, after]: [(&str, &[u8]); 2],
    f: impl FnOnce(Option<&DiffReport<'_>>, Vec<String>) -> R,
) -> R {
    if before.1 == after.1 {
        return f(None, Vec::new());
    }
    let lint = new_findings(before.1, after.1);
    with_diff(origin, [before, after], |report| {
        let matters = report.has(Direction::Opened)
            || report.has(Direction::Closed)
            || report.has_records()
            || report.is_incomplete();
        f(Some(report).filter(|_| matters), lint)
    })
}

/// The difference of two named texts for a site, for the crawlers that they name and `*`.
pub(crate) fn with_diff<R>(
    origin: &Origin,
    [before, after]: [(&str, &[u8]); 2],
    f: impl FnOnce(&DiffReport<'_>) -> R,
) -> R {
    let robots = [before.1, after.1].map(Robots::parse);
    compared([(before.0, &robots[0]), (after.0, &robots[1])], &[], Some(origin), f)
}

/// The errors and warnings of the linter about lines without them before, the first one of each
/// rule.
fn new_findings(before: &[u8], after: &[u8]) -> Vec<String> {
    let [before, after] = [before, after].map(|text| lint(text, &Settings::default()));
    // Messages and lines have numbers, which lines in front change.
    let known: HashSet<_> = problems(&before).map(|(rule, line, _)| (rule, line)).collect();
    let mut shown = HashSet::new();
    let new = problems(&after)
        .filter(|(rule, line, _)| !known.contains(&(*rule, *line)) && shown.insert(*rule));
    let words = new.map(|(rule, _, finding)| {
        let line = after.position(finding.span.start).line;
        format!("{}[{rule}] on line {line}: {}", finding.severity.name(), finding.message)
    });
    words.collect()
}

/// The errors and warnings of a report, each with its rule and line without the comment.
fn problems(report: &Report) -> impl Iterator<Item = (&'static str, &[u8], &Finding)> {
    let serious = report.findings.iter().filter(|it| it.severity >= Severity::Warning);
    serious.map(|finding| {
        let start = finding.span.start;
        let start = start + 1 - report.position(start).column;
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'#');
        let line = report.text[start..].split(is_end).next().unwrap_or_default();
        (finding.rule.code, line.trim_ascii(), finding)
    })
}

/// The words for an answer without a file.
pub(crate) fn no_file(why: &str) -> String {
    format!("no file ({why})")
}

/// The difference of the file of another request, in a few words.
pub(crate) fn difference(origin: &Origin, answer: &Answer, other: &Answer) -> String {
    if let (None, Some(why)) = (&answer.failure, &other.failure) {
        return no_file(why);
    }
    if answer.text == other.text {
        return SAME.to_owned();
    }
    let texts = [answer, other].map(|it| ("", it.text.as_bytes()));
    with_diff(origin, texts, |report| {
        let mut found = Vec::new();
        let mut lines = report.records.len();
        for crawlers in &report.crawlers {
            lines += crawlers.records.len();
            let name = quoted(crawlers.crawlers.first().map_or("*", |name| name));
            found.extend(crawlers.changes.iter().map(|change| {
                format!("{} is {} to {name}", quoted(&change.shown), change.direction.name())
            }));
        }
        let more = found.len().saturating_sub(VARIANT_CHANGES);
        found.truncate(VARIANT_CHANGES);
        found.extend((more > 0).then(|| format!("and {more} more")));
        found.extend((lines > 0).then(|| counted(lines as u64, "other line")));
        let found = found.join("; ");
        if found.is_empty() { SAME.to_owned() } else { format!("another file: {found}") }
    })
}

/// The words for another request that gets the same meaning.
pub(crate) const SAME: &str = "the same file";

/// The names of the requests by address family, and whether it is IPv4.
pub(crate) const FAMILIES: [(&str, bool); 2] = [("IPv4", true), ("IPv6", false)];

/// The beginning of the words for another request without a file.
pub(crate) const NO_ANSWER: &str = "no answer: ";
