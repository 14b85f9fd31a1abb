//! Search for the elements of a page that concern crawlers.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use verger::LineIndex;

use super::open_elements::{OpenElements, TooDeep};
use super::tags::{Tag, tags, text_state};
use super::{Html, LicenseLink, MetaElement, NoSnippet, Stop};
use crate::limits::{NOSNIPPETS, STATEMENTS};
use crate::other::cut_text;
use crate::page::{kind, known};

/// Scans the text of a page.
///
/// # Complexity
///
/// Linear in the text.
pub(super) fn scan(text: &str) -> Html {
    let lines = LineIndex::new(text.as_bytes());
    let mut scan = Scan { found: Html::default(), metas: HashMap::new(), lines };
    if scan.walk(text) == Err(TooDeep) {
        scan.found.stop = Some(Stop::Depth);
    }
    scan.found
}

struct Scan {
    found: Html,
    /// Number of meta elements by kind, without and with a reason to ignore them.
    metas: HashMap<(&'static str, bool), usize>,
    lines: LineIndex,
}

impl Scan {
    fn walk(&mut self, text: &str) -> Result<(), TooDeep> {
        let is_foreign = Cell::new(false);
        let mut tags = tags(text, &is_foreign);
        let mut open_elements = OpenElements::default();
        let mut noscript = None;
        while let Some(Ok(tag)) = tags.next() {
            if let Some(start) = noscript.take() {
                self.noscript(text, start..tag.start);
            }
            if tag.is_end {
                open_elements.close(&tag, |mark| {
                    self.found.nosnippets[mark].end = Some(self.lines.position(tag.start));
                });
            } else if !open_elements.enter_foreign(&tag)? {
                let is_template = open_elements.is_in_template();
                let mark = if is_template { None } else { self.element(&tag) };
                noscript = (tag.name == b"noscript" && !is_template).then_some(tag.start);
                open_elements.enter(&tag, mark)?;
                if let Some(state) = text_state(&tag.name) {
                    tags.set_state(state);
                }
            }
            is_foreign.set(open_elements.is_foreign());
        }
        if let Some(start) = noscript {
            self.noscript(text, start..text.len());
        }
        Ok(())
    }

    /// Collects an element. Returns its index among those that must not be quoted.
    fn element(&mut self, tag: &Tag) -> Option<usize> {
        let element = match &*tag.name {
            b"meta" => {
                self.meta(tag, tag.start, None);
                return None;
            }
            b"base" => {
                if self.found.base.is_none() {
                    self.found.base = tag.attribute("href").map(str::to_owned);
                }
                return None;
            }
            b"link" | b"script" => {
                self.license(tag, tag.start, None);
                return None;
            }
            b"div" => "div",
            b"section" => "section",
            b"span" => "span",
            _ => return None,
        };
        // REP-PAGE-27: with any value.
        tag.attribute("data-nosnippet")?;
        let index = self.found.nosnippets.len();
        if index == NOSNIPPETS {
            self.found.has_more = true;
            return None;
        }
        let position = self.lines.position(tag.start);
        self.found.nosnippets.push(NoSnippet { element, position, end: None });
        Some(index)
    }

    /// Collects a link to a licence, or a licence in the page (REP-EXT-40).
    fn license(&mut self, tag: &Tag, start: usize, ignored: Option<&'static str>) {
        let is_license = if tag.name == b"link" {
            let relations = tag.attribute("rel").unwrap_or_default();
            relations.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case("license"))
        } else {
            let kind = tag.attribute("type").unwrap_or_default();
            let essence = kind.split(';').next().unwrap_or_default();
            essence.trim_ascii().eq_ignore_ascii_case("application/rsl+xml")
        };
        let href = match tag.attribute("href") {
            _ if tag.name != b"link" => "",
            Some(href) => href.trim_ascii(),
            None => return,
        };
        if !is_license {
            return;
        }
        if self.found.licenses.len() == STATEMENTS {
            self.found.has_more = true;
            return;
        }
        let (href, position) = (href.to_owned(), self.lines.position(start));
        self.found.licenses.push(LicenseLink { href, position, ignored });
    }

    /// Collects the elements of a `noscript`, which is text for crawlers that run scripts.
    fn noscript(&mut self, text: &str, place: Range<usize>) {
        let has_cdata = Cell::new(false);
        let inner = tags(&text[place.clone()], &has_cdata).map_while(Result::ok);
        for tag in inner.filter(|tag| !tag.is_end) {
            let start = place.start + tag.start;
            match &*tag.name {
                b"meta" => self.meta(&tag, start, Some(NOSCRIPT)),
                b"link" => self.license(&tag, start, Some(NOSCRIPT)),
                _ => {}
            }
        }
    }

    /// REP-PAGE-7: without content it states nothing.
    fn meta(&mut self, tag: &Tag, start: usize, ignored: Option<&'static str>) {
        let attribute = |name| Some((tag.attribute(name)?, name));
        let other = || attribute("property").or_else(|| attribute("http-equiv"));
        let Some(content) = tag.attribute("content") else { return };
        let Some((name, attribute)) = attribute("name").or_else(other) else { return };
        let (kind, ignored) = match attribute {
            "name" => (kind(name, content), ignored),
            "property" => (known(name), Some(PROPERTY)),
            _ => (known(name), Some(HTTP_EQUIV)),
        };
        let Some(kind) = kind else { return };
        let (name, mut content) = (name.to_owned(), content.to_owned());
        let count = self.metas.entry((kind, ignored.is_some())).or_default();
        if *count == STATEMENTS {
            self.found.has_more = true;
            return;
        }
        *count += 1;
        let allowed = cut_text(&content);
        if allowed.len() < content.len() {
            // Cut between two items.
            let end = allowed.rfind(',').unwrap_or(allowed.len());
            content.truncate(end);
            self.found.has_more = true;
        }
        let position = self.lines.position(start);
        self.found.metas.push(MetaElement { name, content, position, ignored });
    }
}

const NOSCRIPT: &str = "crawlers that run scripts do not read `noscript`";
const PROPERTY: &str = "expected the attribute `name`, but found `property`";
const HTTP_EQUIV: &str = "expected the attribute `name`, but found `http-equiv`";
