//! Gathers the findings about superfluous lines, and others that repeat for many lines: for each
//! rule of the linter one for a group of the file and a kind of reason. Those about records without
//! any effect are one for the file and the reason.
//!
//! Hundreds of lines can be superfluous for one reason. Their findings become labels of the first
//! one, and their fixes one fix. Safe, unsafe and missing fixes remain apart, so that the gathered
//! fix is as safe as its parts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem;

use verger::Span;

use crate::file::{File, REMOVE_LINE};
use crate::finding::{Finding, Label};
use crate::fix::{Edit, Fix, Safety};

/// The rules whose findings are gathered.
pub(crate) const GATHERED: [&str; 5] =
    ["agents-joined", "blocks-resources", "dead-rule", "redundant-rule", "repeated-rule"];

/// The rules with one finding for the file and reason.
pub(crate) const ONCE: [&str; 3] = ["not-honoured", "obsolete-record", "unknown-key"];

/// The rule whose findings are gathered if they have no fix: the pattern is a URL of another site.
pub(crate) const WITHOUT_FIX: &str = "absolute-pattern";

/// The label of a gathered line.
const LIKEWISE: &str = "likewise";

/// Gathers findings, which are in the order of the text. Keeps a finding separate if another safe
/// fix changes its line: only one of the two is applied.
pub(crate) fn gather(file: &File<'_>, findings: &mut Vec<Finding>) {
    let number = |start: usize| file.line(Span { start, end: start }).map_or(0, |it| it.number);
    let mut changes = HashMap::<usize, usize>::new();
    let fixes = findings.iter().filter_map(|finding| safe(finding));
    for Edit { span, .. } in fixes.flat_map(|fix| &fix.edits) {
        let last = span.start.max(span.end.saturating_sub(1));
        for line in number(span.start)..=number(last) {
            *changes.entry(line).or_default() += 1;
        }
    }
    let groups = file.robots.groups().filter_map(|group| group.agents().next());
    let starts: Vec<usize> = groups.map(|agent| agent.span().start).collect();
    let (mut kept, mut first) = (Vec::<(Finding, usize)>::new(), HashMap::new());
    for finding in mem::take(findings) {
        let line = number(finding.span.start);
        let is_alone = safe(&finding).is_some() && changes.get(&line) != Some(&1);
        let is_once = ONCE.contains(&finding.rule.code);
        let is_url = finding.rule.code == WITHOUT_FIX && finding.fix.is_none();
        if !(is_url || is_once || GATHERED.contains(&finding.rule.code)) || is_alone {
            kept.push((finding, 0));
            continue;
        }
        let group = starts.partition_point(|&start| start <= finding.span.start);
        let texts = is_once.then(|| (finding.message.clone(), finding.help.clone()));
        let place = texts.ok_or(group);
        let safety = finding.fix.as_ref().map(|fix| fix.safety);
        let reason = (finding.severity, finding.labels.is_empty(), finding.help.is_none());
        match first.entry((finding.rule.code, place, safety, reason)) {
            Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push((finding, 0));
            }
            Entry::Occupied(at) => {
                let (main, others) = &mut kept[*at.get()];
                *others += 1;
                add(main, finding);
            }
        }
    }
    findings.extend(kept.into_iter().map(|(mut finding, others)| {
        let likewise = match others {
            0 => String::new(),
            1 => "; likewise one more line".to_owned(),
            _ => format!("; likewise {others} more lines"),
        };
        finding.message.push_str(&likewise);
        finding
    }));
}

fn safe(finding: &Finding) -> Option<&Fix> {
    finding.fix.as_ref().filter(|fix| fix.safety == Safety::Safe)
}

/// Adds a finding to an earlier one.
fn add(main: &mut Finding, other: Finding) {
    if let (Some(main), Some(fix)) = (&mut main.fix, other.fix) {
        if main.title == REMOVE_LINE {
            "remove the lines".clone_into(&mut main.title);
        }
        main.edits.extend(fix.edits);
    }
    let new = Label { span: other.span, text: LIKEWISE.to_owned() };
    match main.labels.iter_mut().find(|label| label.span == new.span) {
        Some(known) => *known = new,
        // At the line that makes others redundant, they are the labels.
        None if new.span == main.span => {}
        None => main.labels.push(new),
    }
    for label in other.labels {
        let is_known =
            label.span == main.span || main.labels.iter().any(|it| it.span == label.span);
        main.labels.extend((!is_known).then_some(label));
    }
}
