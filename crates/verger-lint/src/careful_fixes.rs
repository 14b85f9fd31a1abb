//! Safe fixes that a person should see first: no answer changes, but something may be lost that the
//! author needs.
//!
//! A rule is superfluous only as long as the rule that covers it stays. After `Disallow: /` by
//! mistake, every good rule is superfluous. And a comment is lost, or has another place, if the
//! line that it explains is removed.

use std::collections::HashSet;

use verger::{Group, Span};

use crate::file::File;
use crate::finding::Finding;
use crate::fix::{Edit, Fix};
use crate::pattern::{is_everything, is_start_of_word};
use crate::syntax::{Line, LineKind};

/// Rules whose fixes remove a line because other lines decide the same.
pub(crate) const BY_ANSWERS: [&str; 2] = ["dead-rule", REDUNDANT];

/// Rules about lines that may be meant to begin a group, or to be a rule with an effect.
pub(crate) const UNCLEAR: [&str; 10] = [
    "absolute-pattern",
    "foreign-space",
    "joined-records",
    "mistakable-key",
    "no-record",
    "pattern-list",
    "pattern-without-slash",
    "regular-expression",
    "route-in-pattern",
    "unknown-key",
];

/// The rule about names of several words, which may be another name for readers of whole values:
/// its lines are unclear if it has no fix.
pub(crate) const UNCLEAR_WITHOUT_FIX: &str = "agent-cut";

/// The code of the rule about lines that change nothing.
pub(crate) const REDUNDANT: &str = "redundant-rule";

/// The positions of findings with fixes that nobody should apply without looking, in order.
pub(crate) fn careful(file: &File<'_>, findings: &[Finding]) -> Vec<usize> {
    let doubtful = doubtful_lines(file, findings);
    let is_careful = |finding: &Finding| {
        finding.fix.as_ref().is_some_and(|fix| loses_comment(file, fix))
            || finding.rule.code == REDUNDANT && !has_reliable_cover(file, finding, &doubtful)
    };
    (0..findings.len()).filter(|&at| is_careful(&findings[at])).collect()
}

/// Removes the fixes that remove rules from groups with lines whose meaning is unclear: after a
/// correction of these, the rule can be the only one of another group, or is not covered any more.
pub(crate) fn keep_rules_of_unclear_groups(file: &File<'_>, findings: &mut [Finding]) {
    let is_unclear = |finding: &&Finding| match finding.rule.code {
        UNCLEAR_WITHOUT_FIX => finding.fix.is_none(),
        code => UNCLEAR.contains(&code),
    };
    let unclear: Vec<Span> = findings.iter().filter(is_unclear).map(|it| it.span).collect();
    if unclear.is_empty() {
        return;
    }
    let groups: Vec<Group<'_>> = file.robots.groups().collect();
    let begins = |it: &Group<'_>| it.agents().next().map_or(0, |agent| agent.span().start);
    let group = |span: Span| groups.partition_point(|it| begins(it) <= span.start);
    let unclear: HashSet<usize> = unclear.into_iter().map(group).collect();
    // Groups with a name in common are one group for the crawler of that name.
    let names = |at: usize| {
        let agents = groups[..at].last().into_iter().flat_map(Group::agents);
        agents.map(|agent| agent.name().to_ascii_lowercase())
    };
    let named: HashSet<_> = unclear.into_iter().flat_map(names).collect();
    let unclear: HashSet<usize> =
        (1..=groups.len()).filter(|&at| names(at).any(|name| named.contains(&name))).collect();
    for finding in findings {
        let removes = |fix: &&Fix| {
            removed(file, fix).iter().any(|line| {
                matches!(line.kind, LineKind::Rule(_)) && unclear.contains(&group(line.span))
            })
        };
        if finding.fix.as_ref().as_ref().is_some_and(removes) {
            finding.fix = None;
        }
    }
}

/// The lines that a fix removes whole.
fn removed<'f>(file: &'f File<'_>, fix: &Fix) -> Vec<&'f Line> {
    let line = |edit: &Edit| {
        let line = file.line(edit.span)?;
        (edit.text.is_empty() && edit.span == line.whole()).then_some(line)
    };
    fix.edits.iter().filter_map(line).collect()
}

/// The numbers of lines with a problem other than that they are superfluous.
fn doubtful_lines(file: &File<'_>, findings: &[Finding]) -> HashSet<usize> {
    let others = findings.iter().filter(|finding| finding.rule.code != REDUNDANT);
    others.filter_map(|finding| Some(file.line(finding.span)?.number)).collect()
}

/// Whether all rules that decide the same are precise and have no problem themselves.
fn has_reliable_cover(file: &File<'_>, finding: &Finding, doubtful: &HashSet<usize>) -> bool {
    let pattern = |line: &Line| line.record.map(|it| file.part(it.value)).unwrap_or_default();
    let own = file.line(finding.span).map(pattern).unwrap_or_default();
    let is_reliable = |line: &Line| {
        let is_precise = !is_everything(pattern(line)) && !is_start_of_word(pattern(line), own);
        is_precise && !doubtful.contains(&line.number)
    };
    // Without a covering rule it is the default that everything is open.
    !finding.labels.is_empty()
        && !is_everything(file.part(finding.span))
        && finding.labels.iter().all(|label| file.line(label.span).is_some_and(is_reliable))
}

/// Whether a fix removes a line that has a comment or is directly below one.
fn loses_comment(file: &File<'_>, fix: &Fix) -> bool {
    let is_explained = |line: &Line| {
        let above = line.number.checked_sub(2).and_then(|at| file.tree.lines().get(at));
        line.comment.is_some() || above.is_some_and(|above| above.kind == LineKind::Comment)
    };
    removed(file, fix).into_iter().any(is_explained)
}
