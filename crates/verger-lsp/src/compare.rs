//! The comparison with a committed version.

use std::path::Path;

use lsp_types::DiagnosticSeverity;
use serde_json::Value;
use verger::{Crawler, Robots, quoted};
use verger_analysis::{Budget, Direction, compare_files, compared_names};
use verger_json::diff::crawler_of;
use verger_lint::git_file;

use crate::diagnostics::{first_line, remark};
use crate::groups::joined;
use crate::limits::{CHANGES, ROBOTS_BYTES};
use crate::text::Text;

/// Reads the version of a file in a commit.
///
/// # Errors
///
/// A sentence: there is no git, no repository, or no such file in the commit.
pub(crate) fn committed(file: &Path, revision: &str) -> Result<Robots, String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let object = format!("{revision}:./{name}");
    let bytes = git_file(file.parent().unwrap_or(file), &object, ROBOTS_BYTES);
    bytes.map(|bytes| Robots::parse(&bytes)).map_err(|cause| {
        format!("could not read this file at {} in git: {cause}", quoted(revision))
    })
}

/// The changes since a version, and a sentence about them.
pub(crate) fn changes(before: &Robots, text: &Text, name: &str) -> (Vec<Value>, String) {
    let after = Robots::parse(&text.content);
    let files = [before, &after];
    let names = compared_names([], &files);
    let crawlers: Vec<Crawler> = names.iter().map(|name| crawler_of(name, &files)).collect();
    let comparison = compare_files(before, &after, &crawlers, &mut Budget::default());
    let (mut found, mut counts) = (Vec::new(), [0_usize; 2]);
    let (mut is_complete, mut records) = (comparison.not_compared == 0, 0);
    for difference in &comparison.differences {
        is_complete &= difference.comparison.incomplete.is_none();
        records += difference.records.len();
        let whom = joined(difference.crawlers.iter().map(|&at| quoted(&names[at])));
        let group = difference.groups_after.first().and_then(|it| it.agents().next());
        let group = group.map_or_else(|| first_line(text), |agent| agent.span());
        for change in &difference.comparison.changes {
            counts[usize::from(change.direction() == Direction::Closed)] += 1;
            if found.len() == CHANGES {
                continue;
            }
            let range = text.range(change.rule_after().map_or(group, |rule| rule.span()));
            let url = quoted(change.witness().shown_target());
            let (before, after) = (change.verdict_before(), change.verdict_after());
            let direction = change.direction().name();
            let message = format!(
                "{direction} since {name} for {whom}: {url} was {before}; now it is {after}"
            );
            found.push(remark(range, DiagnosticSeverity::INFORMATION, &message));
        }
    }
    let changes = match counts {
        [0, 0] if is_complete => "no URL was opened or closed".to_owned(),
        [opened, closed] => format!("changes that open URLs: {opened}, that close: {closed}"),
    };
    records += comparison.records.len();
    let records = if records == 0 { "" } else { "; other records were added or removed" };
    let rest = if is_complete { "" } else { "; the comparison is incomplete" };
    (found, format!("since {name}: {changes}{records}{rest}"))
}
