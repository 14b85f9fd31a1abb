//! Groups and rules in answers: their names and lines.

use std::ops::RangeInclusive;

use verger::{Group, Rule, quoted};

use crate::limits::LISTED;
use crate::text::Text;

/// The names of a group.
pub(crate) fn listed(group: Group<'_>) -> String {
    joined(group.agents().map(|agent| quoted(agent.name())))
}

/// The first names of a list.
pub(crate) fn joined(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let shown = names.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// A rule with its line: `` `Disallow: /cart` on line 2 ``.
pub(crate) fn rule_and_line(rule: Rule<'_>) -> String {
    let text = [rule.kind().key().as_bytes(), b": ", rule.pattern()].concat();
    format!("{} on line {}", quoted(&text), rule.position().line)
}

/// The indices of the lines of a group, from its first name to its last rule.
pub(crate) fn lines_of(group: Group<'_>, text: &Text) -> RangeInclusive<usize> {
    let spans = group.agents().map(|agent| agent.span());
    let lines = spans.chain(group.rules().map(|rule| rule.span()));
    let lines: Vec<usize> = lines.map(|span| text.line_of(span.start)).collect();
    lines.iter().min().copied().unwrap_or(1)..=lines.iter().max().copied().unwrap_or(0)
}
