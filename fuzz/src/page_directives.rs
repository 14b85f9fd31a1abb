//! Target `page_directives`: header lines and a page.
//!
//! If an input begins with `pieces `, its first line has a number, the size of the pieces in which
//! the page is read. Then follow the response head, up to a blank line, and the page. Any other
//! input is only a page, read in one piece.
//!
//! All piece sizes give the same result. The directives for a crawler come from its statements,
//! named as documented, and another source removes nothing if the most restrictive directive wins.
//! Header lines joined into one keep all directives. All values are within their limits, and
//! displayed text is inert.

use std::collections::BTreeMap;

use verger::Crawler;
use verger_page::{
    Combine, Directive, Effective, Html, HtmlReader, MetaElement, Page, Place, Statement, Subject,
    limits,
};
use verger_testkit::suite::{Meta, PageQuestion};

use crate::inert::assert_inert;

/// Checks pages.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let Input { size, head, html: source } = Input::read(bytes);
    let html = scan(source, source.len());
    for size in [1, size] {
        assert_eq!(scan(source, size), html, "in pieces of {size}");
    }
    let name = |meta: &MetaElement| (meta.name.clone(), meta.ignored);
    assert_are_few(html.metas.iter().map(name));
    assert!(html.nosnippets.len() <= 1_000);
    for found in &html.nosnippets {
        assert!(found.end.is_none_or(|end| end > found.position));
    }

    let mut headers = Page::new();
    headers.read_headers(head);
    let mut page = headers.clone();
    page.read_html(&html);
    let kind =
        |it: &Statement| (it.subject == Subject::Everybody, it.parsed.ok().map(Directive::name));
    assert_are_few(page.statements().iter().filter(|it| it.ignored.is_none()).map(kind));
    for statement in page.statements() {
        assert!(!statement.text.is_empty() && statement.text.len() <= 256);
        assert_inert(&format!("{statement} {}", statement.subject));
    }
    assert_are_few(page.others().iter().map(|it| it.name));
    for statement in page.others() {
        assert!(statement.text.len() <= 256, "{statement:?}");
    }
    for crawler in [Crawler::new("a"), Crawler::chain(["googlebot-news", "googlebot"])] {
        for combine in Combine::PUBLISHED {
            holds(&page, &crawler, &combine);
        }
        adds_up(&headers, &page, &crawler);
        joined_lines_lose_nothing(&headers, &crawler);
    }
}

/// No kind has more than the limit.
fn assert_are_few<K: Ord>(kinds: impl Iterator<Item = K>) {
    let mut counts = BTreeMap::new();
    for kind in kinds {
        let count = counts.entry(kind).or_insert(0);
        *count += 1;
        assert!(*count <= limits::STATEMENTS);
    }
}

/// The directives come from the statements.
fn holds(page: &Page, crawler: &Crawler, combine: &Combine) {
    let found = page.directives(crawler, combine);
    for statement in &found.statements {
        assert!(statement.subject.names(crawler));
    }
    for effective in &found.effective {
        assert!(!effective.statements.is_empty());
        for statement in &effective.statements {
            assert!(statement.parsed.is_ok() && statement.ignored.is_none());
        }
    }
    let states = |directive| {
        let is_it = |it: &&Statement| it.parsed == Ok(directive) && it.ignored.is_none();
        found.statements.iter().any(is_it)
    };
    let is_restrictive = *combine != Combine::YANDEX;
    if is_restrictive {
        let forbids = states(Directive::NoIndex) || states(Directive::None);
        assert_eq!(found.noindex(), forbids);
        let forbids = states(Directive::NoFollow) || states(Directive::None);
        assert_eq!(found.nofollow(), forbids);
    }
    let is_snippet = |it: &Effective<'_>| matches!(it.directive, Directive::MaxSnippet(_));
    assert!(!found.has(Directive::NoSnippet) || !found.effective.iter().any(is_snippet));
    assert!(!found.has(Directive::IndexIfEmbedded) || found.noindex());
    assert_inert(&found.to_string());
    // The displayed text is a list with the same directives.
    let mut again = Page::new();
    again.read_meta("robots", &found.to_string(), verger::Position { line: 1, column: 1 });
    assert_eq!(again.directives(crawler, combine).to_string(), found.to_string());
}

/// REP-PAGE-15: the page removes nothing that its header lines forbid.
fn adds_up(headers: &Page, page: &Page, crawler: &Crawler) {
    let before = headers.directives(crawler, &Combine::GOOGLE);
    let after = page.directives(crawler, &Combine::GOOGLE);
    let is_as_strict = |after: Directive, before: Directive| match (after, before) {
        (Directive::NoSnippet, Directive::MaxSnippet(_)) => true,
        (Directive::MaxSnippet(after), Directive::MaxSnippet(before))
        | (Directive::MaxVideoPreview(after), Directive::MaxVideoPreview(before)) => {
            after <= before
        }
        (Directive::MaxImagePreview(after), Directive::MaxImagePreview(before)) => after <= before,
        (Directive::UnavailableAfter(after), Directive::UnavailableAfter(before)) => {
            after <= before
        }
        (after, before) => after == before,
    };
    for Effective { directive, .. } in &before.effective {
        let holds = after.effective.iter().any(|it| is_as_strict(it.directive, *directive));
        assert!(holds, "{before} and then {after}");
    }
}

/// REP-PAGE-14: the directives for one crawler do not change when their lines are joined.
fn joined_lines_lose_nothing(headers: &Page, crawler: &Crawler) {
    let mut joined = Vec::new();
    for statement in headers.statements() {
        let Place::Header { .. } = statement.place else { continue };
        let Ok(directive) = statement.parsed else { continue };
        if statement.subject.names(crawler) {
            if !joined.is_empty() {
                joined.extend_from_slice(b", ");
            }
            joined.extend_from_slice(directive.to_string().as_bytes());
        }
    }
    if joined.len() <= 64 * 1_024 {
        let mut page = Page::new();
        page.read_header("x-robots-tag", &joined);
        let found = page.directives(crawler, &Combine::GOOGLE).to_string();
        assert_eq!(found, headers.directives(crawler, &Combine::GOOGLE).to_string());
    }
}

fn scan(source: &[u8], size: usize) -> Html {
    let mut reader = HtmlReader::new(None::<&str>);
    source.chunks(size.max(1)).for_each(|piece| reader.feed(piece));
    reader.finish()
}

/// The parts of an input.
struct Input<'b> {
    size: usize,
    head: &'b [u8],
    html: &'b [u8],
}

impl<'b> Input<'b> {
    fn read(bytes: &'b [u8]) -> Self {
        Self::marked(bytes).unwrap_or(Self { size: 7, head: bytes, html: bytes })
    }

    fn marked(bytes: &'b [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(b"pieces ")?;
        let end = rest.iter().position(|&octet| octet == b'\n')?;
        let size = str::from_utf8(&rest[..end]).ok()?.parse::<u16>().ok()?;
        let rest = &rest[end + 1..];
        let blank = rest.windows(2).position(|pair| pair == b"\n\n");
        let (head, html) = blank.map_or((rest, &b""[..]), |at| (&rest[..=at], &rest[at + 2..]));
        Some(Self { size: size.into(), head, html })
    }
}

/// The seed for a page of the suite.
pub(crate) fn seed(question: &PageQuestion) -> Vec<u8> {
    let headers = question.headers.iter().map(|it| [b"X-Robots-Tag: ", &it.0[..], b"\n"].concat());
    let meta = |it: &Meta| format!("<meta name=\"{}\" content=\"{}\">", it.name, it.content);
    let mut seed = b"pieces 3\n".to_vec();
    seed.extend(headers.flatten());
    seed.push(b'\n');
    seed.extend(question.meta.iter().flat_map(|it| meta(it).into_bytes()));
    seed.extend(question.html.iter().flat_map(|html| &html.0));
    seed
}
