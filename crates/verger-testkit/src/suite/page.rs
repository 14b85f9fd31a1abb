//! The library's answers to questions about pages.

use std::collections::BTreeMap;

use verger::{Crawler, Position};
use verger_page::{Combine, Directive, HtmlReader, Limit, Page, PageDirectives};

use super::format::{PageQuestion, Setting};

/// The effective directives of the page, by name.
pub(super) fn told(question: &PageQuestion) -> Result<BTreeMap<String, Setting>, String> {
    let name = question.combine.as_deref().unwrap_or(Combine::GOOGLE.name);
    let combine = Combine::named(name)
        .ok_or_else(|| format!("expected a way to combine, but found `{name}`"))?;
    let crawler = Crawler::chain(question.tokens().map(str::to_owned));
    Ok(settings(&read(question).directives(&crawler, &combine)))
}

/// The page of a question.
fn read(question: &PageQuestion) -> Page {
    let mut page = Page::new();
    for value in &question.headers {
        page.read_header("X-Robots-Tag", value);
    }
    for (line, meta) in (1..).zip(&question.meta) {
        page.read_meta(&meta.name, &meta.content, Position { line, column: 1 });
    }
    if let Some(html) = &question.html {
        let mut reader = HtmlReader::new(Some("text/html; charset=utf-8"));
        reader.feed(html);
        page.read_html(&reader.finish());
    }
    page
}

/// The effective directives for a crawler, by name, in the format of the suite.
pub fn settings(directives: &PageDirectives<'_>) -> BTreeMap<String, Setting> {
    let setting = |directive| match directive {
        Directive::MaxSnippet(Limit::AtMost(number))
        | Directive::MaxVideoPreview(Limit::AtMost(number)) => Setting::Number(number),
        Directive::MaxImagePreview(preview) => Setting::Text(preview.name().to_owned()),
        Directive::UnavailableAfter(time) => Setting::Text(time.to_string()),
        _ => Setting::Holds(true),
    };
    let all = directives.iter().map(verger_page::Effective::directive);
    all.map(|directive| (directive.name().to_owned(), setting(directive))).collect()
}
