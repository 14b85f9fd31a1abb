//! Finding the elements of a page that say something to crawlers.

use super::attribute;
use super::nesting::{Nesting, TooDeep};
use super::place::Places;
use super::tags::{Tag, Tags};
use super::{Html, MetaElement, NoSnippet, Stop};
use crate::limits::{NOSNIPPETS, STATEMENTS};
use crate::other::cut;
use crate::page::is_for_us;

/// Scans the text of a page.
///
/// # Complexity
///
/// Linear in the text.
pub(super) fn scan(text: &str) -> Html {
    let mut scan = Scan { found: Html::default(), places: Places::new(text) };
    if scan.walk(text) == Err(TooDeep) {
        scan.found.stop = Some(Stop::Depth);
    }
    scan.found
}

struct Scan<'t> {
    found: Html,
    places: Places<'t>,
}

impl<'t> Scan<'t> {
    fn walk(&mut self, text: &'t str) -> Result<(), TooDeep> {
        let mut tags = Tags::new(text);
        let mut nesting = Nesting::default();
        while let Some(tag) = tags.next(nesting.is_foreign()) {
            if tag.is_end {
                nesting.close(&tag, |mark| {
                    self.found.nosnippets[mark].end = Some(self.places.position(tag.start));
                });
            } else if !nesting.enter_foreign(&tag)? {
                let mark = if nesting.is_in_template() { None } else { self.element(&tag) };
                nesting.enter(&tag, mark)?;
                tags.skip_text(&tag);
            }
        }
        Ok(())
    }

    /// Takes what an element says. Returns its index among those that must not be quoted.
    fn element(&mut self, tag: &Tag<'t>) -> Option<usize> {
        if tag.is("meta") {
            self.meta(tag);
            return None;
        }
        let element = ["div", "section", "span"].into_iter().find(|name| tag.is(name))?;
        // REP-PAGE-27: whatever the value.
        tag.attribute("data-nosnippet")?;
        let index = self.found.nosnippets.len();
        if index == NOSNIPPETS {
            self.found.has_more = true;
            return None;
        }
        let position = self.places.position(tag.start);
        self.found.nosnippets.push(NoSnippet { element, position, end: None });
        Some(index)
    }

    /// REP-PAGE-7: without a content there is nothing said.
    fn meta(&mut self, tag: &Tag<'t>) {
        let text = |name: &str| tag.attribute(name).map(attribute::text);
        let (Some(name), Some(mut content)) = (text("name"), text("content")) else { return };
        if !is_for_us(&name, &content) {
            return;
        }
        if self.found.metas.len() == STATEMENTS {
            self.found.has_more = true;
            return;
        }
        let kept = cut(&content);
        if kept.len() < content.len() {
            // Between two items, so that none is cut.
            let end = kept.rfind(',').unwrap_or(kept.len());
            content.truncate(end);
            self.found.has_more = true;
        }
        let position = self.places.position(tag.start);
        self.found.metas.push(MetaElement { name, content, position });
    }
}
