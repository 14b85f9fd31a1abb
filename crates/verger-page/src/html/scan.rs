//! Finding elements with the streaming tokenizer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lol_html::html_content::EndTag;
use lol_html::send::{Element, HtmlRewriter, Settings};
use lol_html::{HandlerResult, MemorySettings, OutputSink, element};

use super::attribute;
use super::lines::Lines;
use super::{Html, MetaElement, NoSnippet};
use crate::limits::{HTML_MEMORY_BYTES, NOSNIPPETS, STATEMENTS};
use crate::other::cut;
use crate::page::is_for_us;

/// The tokenizer with its handlers. `None` behind an error, after which it must not be used.
pub(super) struct Scanner {
    rewriter: Option<HtmlRewriter<'static, Nowhere>>,
    found: Shared,
    lines: Lines,
}

/// Nothing is rewritten, so nothing is kept of the output.
struct Nowhere;

impl OutputSink for Nowhere {
    fn handle_chunk(&mut self, _: &[u8]) {}
}

/// What the handlers share.
type Shared = Arc<Mutex<Found>>;

#[derive(Debug, Default)]
struct Found {
    metas: Vec<Meta>,
    nosnippets: Vec<Marked>,
    /// How many `template` elements are open: what is in them is not in the page.
    templates: usize,
    has_more: bool,
}

#[derive(Debug)]
struct Meta {
    name: String,
    content: String,
    offset: usize,
}

#[derive(Debug)]
struct Marked {
    element: &'static str,
    offset: usize,
    end: Option<usize>,
}

impl Scanner {
    pub(super) fn new() -> Self {
        let found = Shared::default();
        let shared = Arc::clone(&found);
        let wanted = "meta, template, div[data-nosnippet], section[data-nosnippet], \
                      span[data-nosnippet]";
        let settings = Settings::new_send()
            .append_element_content_handler(element!(wanted, move |element| {
                handle(element, &shared)
            }))
            .with_memory_settings(
                MemorySettings::new().with_max_allowed_memory_usage(HTML_MEMORY_BYTES),
            )
            // What it refuses in strict mode is a `select` or `frameset` that only a tree could read.
            .with_strict(false);
        let rewriter = Some(HtmlRewriter::new(settings, Nowhere));
        Self { rewriter, found, lines: Lines::new() }
    }

    /// Scans the next piece; whether there was memory for it.
    pub(super) fn scan(&mut self, piece: &[u8]) -> bool {
        self.lines.pass(piece);
        let has_room = self.rewriter.as_mut().is_some_and(|it| it.write(piece).is_ok());
        if !has_room {
            self.rewriter = None;
        }
        has_room
    }

    /// The text has ended.
    pub(super) fn finish(mut self) -> Html {
        if let Some(rewriter) = self.rewriter.take() {
            // All that can fail here is memory for what is no element any more.
            let _ = rewriter.end();
        }
        let found = std::mem::take(&mut *lock(&self.found));
        let place = |offset| self.lines.position(offset);
        let meta =
            |Meta { name, content, offset }| MetaElement { name, content, position: place(offset) };
        let nosnippet = |Marked { element, offset, end }| NoSnippet {
            element,
            position: place(offset),
            end: end.map(place),
        };
        Html {
            metas: found.metas.into_iter().map(meta).collect(),
            nosnippets: found.nosnippets.into_iter().map(nosnippet).collect(),
            has_more: found.has_more,
            ..Html::default()
        }
    }
}

fn lock(found: &Shared) -> MutexGuard<'_, Found> {
    found.lock().unwrap_or_else(PoisonError::into_inner)
}

fn handle(element: &mut Element<'_, '_>, shared: &Shared) -> HandlerResult {
    const HTML: &str = "http://www.w3.org/1999/xhtml";
    if element.namespace_uri() != HTML {
        return Ok(());
    }
    let offset = element.source_location().bytes().start;
    let mut found = lock(shared);
    match element.tag_name().as_str() {
        "template" => {
            found.templates += 1;
            let shared = Arc::clone(shared);
            element.on_end_tag(Box::new(move |_: &mut EndTag<'_>| {
                let mut found = lock(&shared);
                found.templates = found.templates.saturating_sub(1);
                Ok(())
            }))?;
        }
        _ if found.templates > 0 => {}
        "meta" => found.meta(element, offset),
        "div" => found.nosnippet("div", element, offset, shared)?,
        "section" => found.nosnippet("section", element, offset, shared)?,
        _ => found.nosnippet("span", element, offset, shared)?,
    }
    Ok(())
}

impl Found {
    /// REP-PAGE-7: without a content there is nothing said.
    fn meta(&mut self, element: &Element<'_, '_>, offset: usize) {
        let text = |name: &str| element.get_attribute(name).map(|value| attribute::text(&value));
        let (Some(name), Some(mut content)) = (text("name"), text("content")) else { return };
        if !is_for_us(&name, &content) {
            return;
        }
        if self.metas.len() == STATEMENTS {
            self.has_more = true;
            return;
        }
        let kept = cut(&content);
        if kept.len() < content.len() {
            // Between two items, so that none is cut.
            let end = kept.rfind(',').unwrap_or(kept.len());
            content.truncate(end);
            self.has_more = true;
        }
        self.metas.push(Meta { name, content, offset });
    }

    /// REP-PAGE-27.
    fn nosnippet(
        &mut self,
        name: &'static str,
        element: &mut Element<'_, '_>,
        offset: usize,
        shared: &Shared,
    ) -> HandlerResult {
        if self.nosnippets.len() == NOSNIPPETS {
            self.has_more = true;
            return Ok(());
        }
        let index = self.nosnippets.len();
        self.nosnippets.push(Marked { element: name, offset, end: None });
        let shared = Arc::clone(shared);
        element.on_end_tag(Box::new(move |tag: &mut EndTag<'_>| {
            // These two end nothing but themselves: what follows them is still inside.
            let ends_only_itself = matches!(tag.name().as_str(), "body" | "html");
            match lock(&shared).nosnippets.get_mut(index) {
                Some(marked) if !ends_only_itself => {
                    marked.end = Some(tag.source_location().bytes().start);
                }
                _ => {}
            }
            Ok(())
        }))?;
        Ok(())
    }
}
