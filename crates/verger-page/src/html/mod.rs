//! A page that arrives in pieces: its meta elements, and what must not be quoted of it.
//!
//! # Flow
//!
//! Bytes wait until the encoding is known (`encoding.rs`, `prescan.rs`) and are decoded as they come
//! (`reading.rs`). When the page has ended, its tags are found (`tags.rs`), with the elements they are in
//! (`nesting.rs`), and what they say is kept (`scan.rs`): places (`place.rs`), and attributes as text
//! (`attribute.rs`, `reference.rs`).
//!
//! # Scope
//!
//! Elements are found as a browser with scripts finds them: not in comments, scripts, styles, titles,
//! text areas, templates, `noscript`. There is no tree, so where tags are nested wrongly in one of
//! these ways, a tree may differ: meta elements in a `frameset`; a `select` in the older reading of HTML,
//! which passed over other elements; SVG or MathML that is not closed before the end tag of an element
//! around it (`<span><p><svg></span>`, `<svg><desc><p></desc>`), or that begins in a table cell outside of a
//! table.
//!
//! Not supported: encodings that an XML declaration tells, or that only statistics could tell.

mod attribute;
mod encoding;
mod nesting;
mod place;
mod prescan;
mod reading;
mod reference;
mod scan;
mod tags;

use std::fmt;

use verger::Position;

use crate::limits::PRESCAN_BYTES;
use crate::page::Page;
use reading::Reading;

/// Reads a page that arrives in pieces of any size.
///
/// # Complexity
///
/// Linear in the bytes. At most [`limits::HTML_BYTES`] are kept, in UTF-8, and scanned at the end; the
/// rest is ignored. The scan takes at most about 100 bytes for each of [`limits::HTML_DEPTH`] open
/// elements.
///
/// [`limits::HTML_BYTES`]: crate::limits::HTML_BYTES
/// [`limits::HTML_DEPTH`]: crate::limits::HTML_DEPTH
///
/// # Examples
///
/// ```
/// use verger::Crawler;
/// use verger_page::{Combine, HtmlReader, Page};
///
/// let mut reader = HtmlReader::new(Some("text/html; charset=utf-8"));
/// for piece in ["<title>Shop</title>\n<meta name=rob", "ots content='noindex, no&#102;ollow'>"] {
///     reader.feed(piece);
/// }
/// let mut page = Page::new();
/// page.read_html(&reader.finish());
/// let found = page.directives(&Crawler::new("ExampleBot"), &Combine::GOOGLE);
/// assert_eq!(found.to_string(), "noindex, nofollow");
/// assert_eq!(
///     page.statements()[0].to_string(),
///     "`noindex` in the meta element at 2:1",
/// );
/// ```
pub struct HtmlReader {
    state: State,
}

enum State {
    /// The encoding is not known yet; these bytes wait for it.
    Waiting(Vec<u8>),
    Reading(Box<Reading>),
}

impl HtmlReader {
    /// A reader of a page that was sent with this `Content-Type`, if any: it may say the encoding.
    ///
    /// A byte order mark comes first, then the `Content-Type`, then what a meta element in the first
    /// [`limits::PRESCAN_BYTES`] says, then windows-1252, as browsers do.
    ///
    /// [`limits::PRESCAN_BYTES`]: crate::limits::PRESCAN_BYTES
    pub fn new<T: AsRef<[u8]> + ?Sized>(content_type: Option<&T>) -> Self {
        let declared = content_type.and_then(|value| encoding::of_content_type(value.as_ref()));
        let state = match declared {
            Some(encoding) => State::Reading(Box::new(Reading::new(encoding))),
            None => State::Waiting(Vec::new()),
        };
        Self { state }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: impl AsRef<[u8]>) {
        let mut bytes = bytes.as_ref();
        if let State::Waiting(waiting) = &mut self.state {
            let (now, rest) = bytes.split_at(bytes.len().min(PRESCAN_BYTES - waiting.len()));
            waiting.extend_from_slice(now);
            if waiting.len() < PRESCAN_BYTES {
                return;
            }
            self.start();
            bytes = rest;
        }
        if let State::Reading(reading) = &mut self.state {
            reading.decode(bytes, false);
        }
    }

    /// Whether more bytes change nothing, because the page is longer than what is scanned.
    pub fn has_stopped(&self) -> bool {
        matches!(&self.state, State::Reading(reading) if reading.has_stopped())
    }

    /// The page has ended: what was found.
    pub fn finish(mut self) -> Html {
        match self.start() {
            Some(reading) => reading.finish(),
            None => Html::default(),
        }
    }

    /// Decides on the encoding, if that is still to be done, and reads what has waited.
    fn start(&mut self) -> Option<&mut Reading> {
        if let State::Waiting(waiting) = &mut self.state {
            let waiting = std::mem::take(waiting);
            let encoding = prescan::prescan(&waiting).unwrap_or(encoding::FALLBACK);
            let mut reading = Box::new(Reading::new(encoding));
            reading.decode(&waiting, false);
            self.state = State::Reading(reading);
        }
        match &mut self.state {
            State::Reading(reading) => Some(reading),
            State::Waiting(_) => None,
        }
    }
}

impl fmt::Debug for HtmlReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HtmlReader")
    }
}

/// What was found in a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html {
    metas: Vec<MetaElement>,
    nosnippets: Vec<NoSnippet>,
    has_more: bool,
    encoding: &'static str,
    stop: Option<Stop>,
}

impl Html {
    /// The meta elements that may say something to crawlers, in order.
    pub fn metas(&self) -> &[MetaElement] {
        &self.metas
    }

    /// The elements that must not be quoted, in order (REP-PAGE-27).
    pub fn nosnippets(&self) -> &[NoSnippet] {
        &self.nosnippets
    }

    /// The encoding in which the page was read, by its name in the Encoding Standard.
    pub const fn encoding(&self) -> &'static str {
        self.encoding
    }

    /// Why the scan ended before the page did; `None` when it did not.
    pub const fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Whether there were more elements than are kept.
    pub const fn has_more(&self) -> bool {
        self.has_more
    }
}

/// A meta element with a name and a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaElement {
    name: String,
    content: String,
    position: Position,
}

impl MetaElement {
    /// The name, character references decoded.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The content, character references decoded.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Where its tag begins. A page that is not in UTF-8 is counted in its UTF-8 form, and a byte order
    /// mark does not count.
    pub const fn position(&self) -> Position {
        self.position
    }
}

/// An element whose text is not for snippets: `span`, `div` or `section` with `data-nosnippet`,
/// whatever its value (REP-PAGE-27).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSnippet {
    element: &'static str,
    position: Position,
    end: Option<Position>,
}

impl NoSnippet {
    /// `span`, `div` or `section`.
    pub const fn element(&self) -> &'static str {
        self.element
    }

    /// Where its tag begins.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Where the tag begins that ends it: its own, or that of an element around it. `None` for one that
    /// is not closed: it extends to the end of the page, behind `</body>` too.
    pub const fn end(&self) -> Option<Position> {
        self.end
    }
}

/// Why a scan ended before its page did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// The page is longer than [`limits::HTML_BYTES`].
    ///
    /// [`limits::HTML_BYTES`]: crate::limits::HTML_BYTES
    Bytes,
    /// Elements are nested more deeply than [`limits::HTML_DEPTH`].
    ///
    /// [`limits::HTML_DEPTH`]: crate::limits::HTML_DEPTH
    Depth,
}

impl Stop {
    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Depth => "depth",
        }
    }
}

impl Page {
    /// Reads the meta elements of a page, as [`read_meta`](Self::read_meta) does.
    pub fn read_html(&mut self, html: &Html) {
        for meta in &html.metas {
            self.read_meta(&meta.name, &meta.content, meta.position);
        }
    }
}
