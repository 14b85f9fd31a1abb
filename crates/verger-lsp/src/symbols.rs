//! The outline of a file: groups with their rules, and records of the file.

use lsp_types::SymbolKind;
use serde_json::{Value, json};
use verger::{Robots, Span, quoted};

use crate::groups::{lines_of, listed};
use crate::limits::SYMBOLS;
use crate::text::Text;

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
