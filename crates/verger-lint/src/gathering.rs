//! Gathers the findings about superfluous lines: for each rule of the linter one for a group of the
//! file, or one for the file if no fix removes the lines.
//!
//! Hundreds of lines can be superfluous for one reason. Their findings become labels of the first
//! one, and their fixes one fix. Safe, unsafe and missing fixes remain apart, so that the gathered
//! fix is as safe as its parts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem;

use verger::Span;

use crate::file::File;
use crate::finding::{Finding, Label};
use crate::fix::{Edit, Fix, Safety};
use crate::limits::LINES_IN_MESSAGE;

/// The rules whose findings are gathered: about lines that decide nothing.
const GATHERED: [&str; 4] = ["dead-rule", "not-honoured", "redundant-rule", "repeated-rule"];

/// Gathers findings, which are in the order of the text. One whose safe fix changes the same line as
/// another safe fix remains alone: only one of the two is applied, as it was proved.
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
    let (mut kept, mut first) = (Vec::<(Finding, Vec<usize>)>::new(), HashMap::new());
    for finding in mem::take(findings) {
        let line = number(finding.span.start);
        let is_alone = safe(&finding).is_some() && changes.get(&line) != Some(&1);
        if !GATHERED.contains(&finding.rule.code) || is_alone {
            kept.push((finding, Vec::new()));
            continue;
        }
        let group = starts.partition_point(|&start| start <= finding.span.start);
        let fix = finding.fix.as_ref().map(|fix| (group, fix.safety));
        match first.entry((finding.rule.code, fix)) {
            Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push((finding, Vec::new()));
            }
            Entry::Occupied(at) => {
                let (main, lines) = &mut kept[*at.get()];
                lines.push(line);
                add(main, finding);
            }
        }
    }
    findings.extend(kept.into_iter().map(|(mut finding, lines)| {
        finding.message.push_str(&others(&lines));
        finding
    }));
}

fn safe(finding: &Finding) -> Option<&Fix> {
    finding.fix.as_ref().filter(|fix| fix.safety == Safety::Safe)
}

/// Adds a finding to an earlier one.
fn add(main: &mut Finding, other: Finding) {
    if let (Some(main), Some(fix)) = (&mut main.fix, other.fix) {
        "remove the lines".clone_into(&mut main.title);
        main.edits.extend(fix.edits);
    }
    let new = Label { span: other.span, text: other.message };
    match main.labels.iter_mut().find(|label| label.span == new.span) {
        Some(known) => *known = new,
        None => main.labels.push(new),
    }
    for label in other.labels {
        let is_known =
            label.span == main.span || main.labels.iter().any(|it| it.span == label.span);
        main.labels.extend((!is_known).then_some(label));
    }
}

/// The end of the message of a finding with other lines.
fn others(lines: &[usize]) -> String {
    let numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
    match &*numbers {
        [] => String::new(),
        [line] => format!("; likewise line {line}"),
        [lines @ .., last] if numbers.len() <= LINES_IN_MESSAGE => {
            format!("; likewise lines {} and {last}", lines.join(", "))
        }
        _ => format!("; likewise {} more lines", numbers.len()),
    }
}
