//! Completion: keys, names of crawlers, values of statements, names of rules in suppressions.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent,
    MarkupKind, TextEdit,
};
use verger::extension::{Category, RecordKind};
use verger::{Origin, RuleKind};
use verger_lint::RULES;
use verger_registry::Registry;

use crate::compare::span_of;
use crate::hover::meaning;
use crate::text::Text;

/// The statements that a file may need today, in the order of the list.
const STATEMENTS: [RecordKind; 5] = [
    RecordKind::Sitemap,
    RecordKind::CrawlDelay,
    RecordKind::ContentSignal,
    RecordKind::ContentUsage,
    RecordKind::License,
];

/// The completions at an offset.
pub(crate) fn complete(text: &Text, offset: usize, origin: Option<&Origin>) -> Vec<CompletionItem> {
    let start = text.start_of(text.line_of(offset));
    let Some(before) = text.as_str().get(start..offset) else { return Vec::new() };
    let before = before.trim_start_matches('\u{feff}');
    let choices = match (before.split_once('#'), before.split_once(':')) {
        (Some((_, comment)), _) => {
            let ignored = comment.trim_start().strip_prefix("verger-lint:");
            if ignored.is_some_and(|rest| rest.trim_start().starts_with("ignore")) {
                rules()
            } else {
                vec![Choice::new("verger-lint: ignore ", CompletionItemKind::KEYWORD)]
            }
        }
        (None, None) => keys(),
        (None, Some((key, _))) => values(key.trim(), origin),
    };
    let is_key = !before.contains([':', '#']);
    let is_end = |c: char| c.is_ascii_whitespace() || (!is_key && matches!(c, ',' | ':' | '#'));
    // A URL contains colons.
    let word = match before.rfind(is_end) {
        _ if is_url_value(before) => before.split_once(':').map_or("", |(_, it)| it.trim_start()),
        Some(at) => &before[at + 1..],
        None => before,
    };
    let range = text.range(span_of(offset - word.len(), word.len()));
    let item = |(number, choice): (usize, Choice)| CompletionItem {
        text_edit: Some(CompletionTextEdit::Edit(TextEdit {
            range,
            new_text: choice.text.clone(),
        })),
        label: choice.text.trim_end_matches([' ', ':']).to_owned(),
        kind: Some(choice.kind),
        detail: Some(choice.detail).filter(|detail| !detail.is_empty()),
        documentation: Some(choice.documentation).filter(|it| !it.is_empty()).map(|value| {
            Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
        }),
        filter_text: Some(choice.text),
        sort_text: Some(format!("{number:04}")),
        ..CompletionItem::default()
    };
    choices.into_iter().enumerate().map(item).collect()
}

/// A possible text.
struct Choice {
    text: String,
    kind: CompletionItemKind,
    detail: String,
    documentation: String,
}

impl Choice {
    fn new(text: impl Into<String>, kind: CompletionItemKind) -> Self {
        Self { text: text.into(), kind, detail: String::new(), documentation: String::new() }
    }

    fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    fn documentation(mut self, text: impl Into<String>) -> Self {
        self.documentation = text.into();
        self
    }
}

fn is_url_value(before: &str) -> bool {
    let key = before.split_once(':').map(|(key, _)| key.trim());
    key.is_some_and(|key| ["Sitemap", "License"].iter().any(|it| it.eq_ignore_ascii_case(key)))
}

fn keys() -> Vec<Choice> {
    let of_rules = [
        ("User-agent: ", "Begins a group: the crawlers to which the rules below apply."),
        (RuleKind::Disallow.key(), "URLs that the crawlers of the group may not fetch."),
        (RuleKind::Allow.key(), "URLs that they may fetch although a shorter rule disallows them."),
    ];
    let key = |key: &str| format!("{}: ", key.trim_end_matches(": "));
    let of_rules = of_rules.into_iter().map(|(name, text)| (key(name), text));
    let others = STATEMENTS.into_iter().map(|kind| (key(kind.key()), meaning(kind)));
    let choice = |(key, text): (String, &str)| {
        Choice::new(key, CompletionItemKind::KEYWORD).documentation(text)
    };
    of_rules.chain(others).map(choice).collect()
}

fn values(key: &str, origin: Option<&Origin>) -> Vec<Choice> {
    let value = |text: String| Choice::new(text, CompletionItemKind::VALUE);
    if key.eq_ignore_ascii_case("User-agent") {
        return crawlers();
    }
    if [RuleKind::Allow, RuleKind::Disallow].iter().any(|it| it.key().eq_ignore_ascii_case(key)) {
        return vec![value("/".to_owned()).detail("all URLs")];
    }
    match RecordKind::of_key(key.as_bytes()) {
        RecordKind::Sitemap => {
            let site = origin.map_or("https://shop.example".to_owned(), ToString::to_string);
            vec![value(format!("{site}/sitemap.xml"))]
        }
        RecordKind::ContentSignal => {
            let signals = [
                ("search", "an index with links and short excerpts"),
                ("ai-input", "input of a model that answers questions"),
                ("ai-train", "training of a model"),
            ];
            let each = |(name, detail): (&str, &'static str)| {
                ["yes", "no"].map(|word| value(format!("{name}={word}")).detail(detail))
            };
            signals.into_iter().flat_map(each).collect()
        }
        RecordKind::ContentUsage => {
            let each = |it: &'static Category| {
                ["y", "n"].map(|word| value(format!("{}={word}", it.key)).detail(it.covers))
            };
            Category::ALL.iter().flat_map(each).collect()
        }
        RecordKind::CrawlDelay => {
            ["1", "5", "10"].map(|it| value(it.to_owned()).detail("seconds")).into()
        }
        _ => Vec::new(),
    }
}

/// The known crawlers, with operator and purpose.
fn crawlers() -> Vec<Choice> {
    let all = Choice::new("*", CompletionItemKind::CLASS).detail("all other crawlers");
    let known = Registry::bundled().crawlers().iter().filter(|it| it.retired().is_none());
    let known = known.map(|it| {
        let operator = it.operator().map(|operator| format!(", {operator}")).unwrap_or_default();
        let notes: Vec<String> = [it.caveat(), it.fallback()]
            .into_iter()
            .flatten()
            .map(|it| format!("- {it}\n"))
            .collect();
        Choice::new(it.token(), CompletionItemKind::CLASS)
            .detail(format!("{}{operator}", it.purpose().name()))
            .documentation(notes.concat())
    });
    [all].into_iter().chain(known).collect()
}

fn rules() -> Vec<Choice> {
    let rule = |rule: &verger_lint::Rule| {
        Choice::new(rule.code, CompletionItemKind::ENUM_MEMBER).documentation(rule.summary())
    };
    RULES.iter().map(rule).collect()
}
