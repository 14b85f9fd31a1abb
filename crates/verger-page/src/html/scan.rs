//! Search for the elements of a page that concern crawlers.

use std::cell::Cell;

use verger::LineIndex;

use super::open_elements::{OpenElements, TooDeep};
use super::tags::{Tag, tags, text_state};
use super::{Html, MetaElement, NoSnippet, Stop};
use crate::limits::{NOSNIPPETS, STATEMENTS};
use crate::other::cut;
use crate::page::is_used;

/// Scans the text of a page.
///
/// # Complexity
///
/// Linear in the text.
pub(super) fn scan(text: &str) -> Html {
    let mut scan = Scan { found: Html::default(), lines: LineIndex::new(text.as_bytes()) };
    if scan.walk(text) == Err(TooDeep) {
        scan.found.stop = Some(Stop::Depth);
    }
    scan.found
}

struct Scan {
    found: Html,
    lines: LineIndex,
}

impl Scan {
    fn walk(&mut self, text: &str) -> Result<(), TooDeep> {
        let is_foreign = Cell::new(false);
        let mut tags = tags(text, &is_foreign);
        let mut open_elements = OpenElements::default();
        while let Some(Ok(tag)) = tags.next() {
            if tag.is_end {
                open_elements.close(&tag, |mark| {
                    self.found.nosnippets[mark].end = Some(self.lines.position(tag.start));
                });
            } else if !open_elements.enter_foreign(&tag)? {
                let mark = if open_elements.is_in_template() { None } else { self.element(&tag) };
                open_elements.enter(&tag, mark)?;
                if let Some(state) = text_state(&tag.name) {
                    tags.set_state(state);
                }
            }
            is_foreign.set(open_elements.is_foreign());
        }
        Ok(())
    }

    /// Collects an element. Returns its index among those that must not be quoted.
    fn element(&mut self, tag: &Tag) -> Option<usize> {
        let element = match &*tag.name {
            b"meta" => {
                self.meta(tag);
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

    /// REP-PAGE-7: without content it states nothing.
    fn meta(&mut self, tag: &Tag) {
        let (Some(name), Some(content)) = (tag.attribute("name"), tag.attribute("content")) else {
            return;
        };
        if !is_used(name, content) {
            return;
        }
        let (name, mut content) = (name.to_owned(), content.to_owned());
        if self.found.metas.len() == STATEMENTS {
            self.found.has_more = true;
            return;
        }
        let allowed = cut(&content);
        if allowed.len() < content.len() {
            // Cut between two items.
            let end = allowed.rfind(',').unwrap_or(allowed.len());
            content.truncate(end);
            self.found.has_more = true;
        }
        let position = self.lines.position(tag.start);
        self.found.metas.push(MetaElement { name, content, position });
    }
}
