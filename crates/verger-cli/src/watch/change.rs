//! Changes between two observations, by meaning.

use std::collections::{BTreeMap, HashMap};

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
    let mut push = |what, name: Option<&String>, before: Option<String>, after: Option<String>| {
        if before != after {
            facts.push(Fact { what, name: name.cloned(), before, after });
        }
    };
    let mut before = before.clone();
    if let Some(outage) = before.outage.take_if(|_| after.outage.is_none()) {
        push("outage", None, Some(outage.failure), None);
    }
    push("outcome", None, Some(before.outcome().into()), Some(after.outcome().into()));
    let (Some(new), None) = (&after.answer, &after.outage) else { return facts };
    let old = before.answer.as_ref();
    if let Some(old) = old {
        let status = |it: &Answer| it.status.map(|status| status.to_string());
        push("status", None, status(old), status(new));
        push("url", None, Some(old.url.clone()), Some(new.url.clone()));
        if old.is_absent == new.is_absent {
            push("media_type", None, old.media_type.clone(), new.media_type.clone());
        }
    }
    let cut = |is_cut: bool| Some(if is_cut { "too long" } else { "whole" }.to_owned());
    push("length", None, cut(old.is_some_and(|it| it.is_cut)), cut(new.is_cut));
    for (name, difference) in &new.others {
        // A family without addresses is not a difference.
        let is_family = FAMILIES.iter().any(|(family, _)| family == name);
        let is_usual = is_family && difference.starts_with(NO_ANSWER);
        let usual = if is_usual { difference } else { SAME };
        let known = old.and_then(|it| it.others.get(name));
        let known = known.map_or_else(|| usual.to_owned(), Clone::clone);
        push("other_request", Some(name), Some(known), Some(difference.clone()));
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

/// The difference of the file of another request, in a few words.
pub(crate) fn difference(origin: &Origin, text: &[u8], other: &[u8]) -> String {
    if text == other {
        return SAME.to_owned();
    }
    let names = [("", text), ("", other)];
    with_diff(origin, names, |report| {
        let mut found = Vec::new();
        for crawlers in &report.crawlers {
            let name = crawlers.crawlers.first().map_or("*", |name| name);
            for change in &crawlers.changes {
                let (verb, url) = (change.direction.name(), quoted(&change.shown));
                found.push(format!("{url} is {verb} to {}", quoted(name)));
            }
            let records = crawlers.records.len() as u64;
            if records > 0 {
                found.push(format!("{} for {}", counted(records, "other line"), quoted(name)));
            }
        }
        if !report.records.is_empty() {
            found.push(counted(report.records.len() as u64, "other line"));
        }
        let more = found.len().saturating_sub(VARIANT_CHANGES);
        found.truncate(VARIANT_CHANGES);
        if more > 0 {
            found.push(format!("and {more} more"));
        }
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
