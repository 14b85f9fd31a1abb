//! The outline of a file: groups with their rules, and records of the file.

use lsp_types::{DocumentSymbol, SymbolKind};
use verger::{Robots, Span};

use crate::actions::lines_of;
use crate::compare::{listed, quoted};
use crate::text::Text;

/// The symbols of a text, in its order.
pub(crate) fn symbols(robots: &Robots, text: &Text) -> Vec<DocumentSymbol> {
    let mut found = Vec::new();
    for group in robots.groups() {
        let agents: Vec<String> =
            group.agents().map(|it| String::from_utf8_lossy(it.name()).into_owned()).collect();
        let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
        let lines = lines_of(group, text);
        let start = text.start_of(*lines.start());
        let end = text.start_of(*lines.end()) + text.line(*lines.end()).len();
        let name = group.agents().next().map(|agent| agent.span()).unwrap_or_default();
        let rules = group.rules().map(|rule| {
            let pattern = quoted(rule.pattern());
            let line = line_of(text, rule.span());
            symbol(
                format!("{} {pattern}", rule.kind().key()),
                SymbolKind::KEY,
                line,
                rule.span(),
                text,
            )
        });
        let mut group =
            symbol(listed(&agents), SymbolKind::NAMESPACE, Span { start, end }, name, text);
        group.children = Some(rules.collect());
        found.push(group);
    }
    for record in robots.records().filter(|record| record.kind().is_for_file()) {
        let name = format!("{} {}", record.kind().key(), quoted(record.value()));
        let line = line_of(text, record.span());
        found.push(symbol(name, SymbolKind::PROPERTY, line, record.span(), text));
    }
    found.sort_by_key(|symbol| symbol.range.start);
    found
}

/// The line of a part of the text.
fn line_of(text: &Text, part: Span) -> Span {
    let line = text.line_of(part.start);
    let start = text.start_of(line);
    Span { start, end: start + text.line(line).len() }
}

#[expect(deprecated, reason = "a field of the protocol that all must set")]
fn symbol(name: String, kind: SymbolKind, whole: Span, part: Span, text: &Text) -> DocumentSymbol {
    let (range, selection_range) = (text.range(whole), text.range(part));
    DocumentSymbol {
        name,
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: None,
    }
}
