//! Changes between two observations, by meaning.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use verger::diagnostic::Severity;
use verger::{Origin, Robots, quoted};
use verger_analysis::Direction;
use verger_json::diff::{DiffReport, compared};
use verger_lint::{Finding, Report, Settings, lint};

use super::seen::{Answer, Outcome, Seen};
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
    pub(crate) outcome: Outcome,
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

/// A version of a robots.txt, in the form of the JSON contract.
#[derive(Serialize)]
pub(crate) struct VersionKeys<'a> {
    pub(crate) origin: String,
    /// From 1 on, the oldest in the store first.
    pub(crate) version: usize,
    /// First and last time at which it was served, in seconds since 1970.
    pub(crate) from: u64,
    pub(crate) until: u64,
    pub(crate) bytes: usize,
    pub(crate) sha256: String,
    /// Whether the version before is the same file, with answers without a file in between.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) returned: bool,
    /// The difference from the version before.
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
    let mut old = before.newest();
    if let Some(outage) = before.outage.as_ref().filter(|_| after.outage.is_none()) {
        push("outage", None, outage.failure.as_deref(), None);
        old = before.answer.as_ref();
    }
    let Some(new) = after.newest() else { return facts };
    let none = Answer { outcome: Outcome::Unreachable, ..Answer::default() };
    push("outcome", None, Some(old.unwrap_or(&none).outcome.name()), Some(new.outcome.name()));
    if new.outcome == Outcome::Unreachable {
        return facts;
    }
    if let Some(old) = old {
        let [was, is] = [old, new].map(|it| it.status.map(|status| status.to_string()));
        push("status", None, was.as_deref(), is.as_deref());
        push("url", None, Some(&old.url), Some(&new.url));
        if old.outcome == new.outcome {
            push("media_type", None, old.media_type.as_deref(), new.media_type.as_deref());
        }
    }
    let length = |it: &Answer| Some(if it.is_cut { "too long" } else { "whole" });
    push("length", None, length(old.unwrap_or(&none)), length(new));
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

/// The rules of the linter with more errors or warnings than before, each with the first new one.
fn new_findings(before: &[u8], after: &[u8]) -> Vec<String> {
    let [before, after] = [before, after].map(|text| lint(text, &Settings::default()));
    // Messages and lines have numbers, which lines in front change.
    let mut known = HashMap::<_, usize>::new();
    let mut by_rule = BTreeMap::<_, (isize, Option<&Finding>)>::new();
    for (rule, line, _) in problems(&before) {
        *known.entry((rule, line)).or_default() += 1;
        by_rule.entry(rule).or_default().0 -= 1;
    }
    for (rule, line, finding) in problems(&after) {
        let (count, first) = by_rule.entry(rule).or_default();
        *count += 1;
        match known.get_mut(&(rule, line)) {
            Some(left @ 1..) => *left -= 1,
            _ => *first = first.or(Some(finding)),
        }
    }
    let shown = by_rule.into_values().filter_map(|(count, first)| {
        let finding = first.filter(|_| count > 0)?;
        let Finding { severity, rule, message, span, .. } = finding;
        let (name, line) = (severity.name(), after.position(span.start).line);
        let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
        Some(format!("{name}[{}] on line {line}: {message}{more}", rule.code))
    });
    shown.collect()
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
pub(crate) fn no_file(answer: &Answer) -> String {
    let status = || answer.status.map(|status| format!("status {status}"));
    let why = answer.failure.clone().or_else(status);
    why.map_or("no file".to_owned(), |why| format!("no file ({why})"))
}

/// The difference of the file of another request, in a few words.
pub(crate) fn difference(origin: &Origin, answer: &Answer, other: &Answer) -> String {
    if other.outcome == Outcome::Absent && answer.outcome != Outcome::Absent {
        return no_file(other);
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
