//! Groups and rules in answers: their names, their lines, and the outline of a file.

use std::ops::RangeInclusive;

use lsp_types::SymbolKind;
use serde_json::{Value, json};
use verger::{Group, Robots, Rule, Span, quoted};

use crate::limits::{LISTED, SYMBOLS};
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

/// The symbols of a text, in its order.
pub(crate) fn symbols(robots: &Robots, text: &Text) -> Vec<Value> {
    let symbol = |name: String, kind: SymbolKind, part: Span, last: usize, children: Vec<Value>| {
        let start = text.start_of(text.line_of(part.start));
        let whole = Span { start, end: text.start_of(last) + text.line(last).len() };
        let (range, selected) = (text.range(whole), text.range(part));
        let mut symbol =
            json!({ "name": name, "kind": kind, "range": range, "selectionRange": selected });
        // The macro would copy them.
        symbol["children"] = Value::Array(children);
        symbol
    };
    let (mut found, mut left) = (Vec::new(), SYMBOLS);
    for group in robots.groups() {
        let rules = group.rules().take(left).map(|rule| {
            let name = format!("{} {}", rule.kind().key(), quoted(rule.pattern()));
            symbol(name, SymbolKind::KEY, rule.span(), text.line_of(rule.span().start), Vec::new())
        });
        let rules: Vec<Value> = rules.collect();
        left -= rules.len();
        let Some(first) = group.agents().next().map(|agent| agent.span()) else { continue };
        let (name, last) = (listed(group), *lines_of(group, text).end());
        found.push((first.start, symbol(name, SymbolKind::NAMESPACE, first, last, rules)));
    }
    for record in robots.records().filter(|record| record.kind().is_for_file()) {
        let name = format!("{} {}", record.kind().key(), quoted(record.value()));
        let line = text.line_of(record.span().start);
        let symbol = symbol(name, SymbolKind::PROPERTY, record.span(), line, Vec::new());
        found.push((record.span().start, symbol));
    }
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, symbol)| symbol).collect()
}
