//! Completion: keys, names of crawlers, values of statements, names of rules in suppressions.

use lsp_types::{CompletionItemKind, Range, TextEdit};
use serde_json::{Value, json};
use verger::extension::RecordKind;
use verger::{Origin, Robots, Span};
use verger_lint::RULES;
use verger_registry::Registry;

use crate::records::{KEYS, STATEMENTS, meaning, uses};
use crate::text::Text;

/// A possible text, a short remark beside it, and a longer one.
pub(crate) type Choice = (String, String, String);

/// The completions at an offset.
pub(crate) fn complete(text: &Text, offset: usize, origin: Option<&Origin>) -> Vec<Value> {
    let start = text.start_of(text.line_of(offset));
    let before = text.content.get(start..offset).unwrap_or_default();
    let before = before.trim_start_matches('\u{feff}');
    let (choices, kind, word) = if let Some((_, comment)) = before.split_once('#') {
        let comment = comment.trim_start();
        if comment.starts_with("verger-lint: ignore") {
            let word = comment.rsplit([' ', '\t', ',']).next().unwrap_or_default();
            let rules = RULES.iter();
            let rules = rules.map(|rule| (rule.code.to_owned(), String::new(), rule.summary()));
            (rules.collect(), CompletionItemKind::ENUM_MEMBER, word)
        } else {
            let starts = ["verger-lint: ignore ", "verger-lint: ignore-file "];
            (starts.map(|it| choice(it, "")).into(), CompletionItemKind::KEYWORD, comment)
        }
    } else if let Some((key, value)) = before.split_once(':') {
        let kind = RecordKind::of_key(key.trim().as_bytes());
        let is_list = matches!(kind, RecordKind::ContentSignal | RecordKind::ContentUsage);
        let list = value.rsplit([' ', '\t', ',']).next().filter(|_| is_list);
        let word = list.unwrap_or(value.trim_start());
        let site = || origin.cloned().or_else(|| site_of_sitemaps(text, word));
        (values(key.trim(), kind, site), CompletionItemKind::VALUE, word)
    } else {
        (keys(), CompletionItemKind::KEYWORD, before.trim_start())
    };
    items(choices, kind, text.range(Span { start: offset - word.len(), end: offset }))
}

/// The items for choices that replace a range. They have no `filterText`: Neovim 0.7 ignores the
/// start of the range of an item that has one, and replaces from the last `-` or `=` on.
pub(crate) fn items(choices: Vec<Choice>, kind: CompletionItemKind, range: Range) -> Vec<Value> {
    let item = |(number, (new_text, detail, documentation)): (usize, Choice)| {
        json!({
            "label": new_text.trim_end_matches([' ', ':']), "kind": kind, "detail": detail,
            "documentation": documentation, "sortText": format!("{number:04}"),
            "textEdit": TextEdit { range, new_text },
        })
    };
    choices.into_iter().enumerate().map(item).collect()
}

pub(crate) fn choice(text: impl Into<String>, detail: &str) -> Choice {
    (text.into(), detail.to_owned(), String::new())
}

pub(crate) fn keys() -> Vec<Choice> {
    let others = STATEMENTS.into_iter().map(|kind| (kind.key(), meaning(kind)));
    let keys = KEYS.into_iter().chain(others);
    keys.map(|(key, text)| (format!("{key}: "), String::new(), text.to_owned())).collect()
}

fn values(key: &str, kind: RecordKind, site: impl Fn() -> Option<Origin>) -> Vec<Choice> {
    match kind {
        _ if key.eq_ignore_ascii_case("User-agent") => crawlers(),
        _ if KEYS.iter().any(|(it, _)| it.eq_ignore_ascii_case(key)) => {
            vec![choice("/", "all URLs")]
        }
        _ if key.eq_ignore_ascii_case("Sitemap") => {
            site().map(|site| choice(format!("{site}/sitemap.xml"), "")).into_iter().collect()
        }
        RecordKind::ContentSignal => of_each(uses(kind), ["yes", "no"]),
        RecordKind::ContentUsage => of_each(uses(kind), ["y", "n"]),
        RecordKind::CrawlDelay => ["1", "5", "10"].map(|it| choice(it, "seconds")).into(),
        _ => Vec::new(),
    }
}

/// The site of the first absolute sitemap, except for the one that is being written.
fn site_of_sitemaps(text: &Text, written: &str) -> Option<Origin> {
    let robots = Robots::parse(&text.content);
    let mut others = robots.sitemaps().filter(|it| it.raw() != written.as_bytes());
    others.find_map(|it| Origin::of(it.url()?).ok()?)
}

/// Each use with each preference.
fn of_each(uses: Vec<(&str, &str)>, preferences: [&str; 2]) -> Vec<Choice> {
    let each = |(name, detail)| preferences.map(|it| choice(format!("{name}={it}"), detail));
    uses.into_iter().flat_map(each).collect()
}

/// The known crawlers, with operator and purpose.
pub(crate) fn crawlers() -> Vec<Choice> {
    let known = Registry::bundled().crawlers().iter().filter(|it| it.retired().is_none());
    let known = known.map(|it| {
        let operator = it.operator().map(|operator| format!(", {operator}")).unwrap_or_default();
        let notes: Vec<String> = it.caveat().into_iter().chain(it.fallback()).collect();
        (it.token().to_owned(), format!("{}{operator}", it.purpose().name()), notes.join("; "))
    });
    [choice("*", "all other crawlers")].into_iter().chain(known).collect()
}
