//! A page in pieces: its meta elements, and the elements that must not be quoted.
//!
//! # Flow
//!
//! At the end of the page its encoding is found (`encoding.rs`), and its bytes are decoded.
//! html5gum finds its tags (`tags.rs`), with their open elements (`open_elements.rs`), and the
//! elements with directives are collected (`scan.rs`): positions and attributes.
//!
//! # Scope
//!
//! Elements are found as in a browser with scripts: not in comments, scripts, styles, titles, text
//! areas, templates. Meta and link elements in `noscript` are found, and state nothing. There is no
//! tree, so it may differ for incorrect nesting of these kinds: meta elements in a `frameset`; a
//! `select` by the older rules of HTML, which ignored other elements in it; SVG or MathML that is
//! not closed before the end tag of an element around it (`<span><p><svg></span>`,
//! `<svg><desc><p></desc>`), or that begins in a table cell outside of a table.
//!
//! Not supported: encodings in an XML declaration, or found by statistics.

mod encoding;
mod open_elements;
mod scan;
mod tags;

use std::fmt;

use encoding_rs::Encoding;
use verger::Position;

use self::scan::scan;
use crate::Page;
use crate::limits::{HTML_BYTES, PRESCAN_BYTES};

/// Reads a page that arrives in pieces of any size.
///
/// # Complexity
///
/// Linear in the bytes. At most [`limits::HTML_BYTES`] are stored, and as many in UTF-8 are scanned
/// at the end; the rest is ignored. The scan takes at most about 150 bytes for each of 50,000 open
/// elements, and a copy of one tag.
///
/// [`limits::HTML_BYTES`]: crate::limits::HTML_BYTES
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
    /// The encoding in the `Content-Type`.
    declared: Option<&'static Encoding>,
    bytes: Vec<u8>,
    has_stopped: bool,
}

/// Room for the decoded character that exceeds the limit of the text.
const ROOM: usize = 64;

impl HtmlReader {
    /// A reader of a page with this `Content-Type`, if any, which may declare the encoding.
    ///
    /// The order is that of browsers: a byte order mark, the `Content-Type`, a meta element in the
    /// first 1,024 bytes, windows-1252.
    pub fn new<T: AsRef<[u8]> + ?Sized>(content_type: Option<&T>) -> Self {
        let declared = content_type.and_then(|value| encoding::of_content_type(value.as_ref()));
        Self { declared, bytes: Vec::new(), has_stopped: false }
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let room = HTML_BYTES - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.has_stopped |= bytes.len() > room;
    }

    /// Whether further bytes are ignored, because the page exceeds the limit of the scan.
    pub const fn has_stopped(&self) -> bool {
        self.has_stopped
    }

    /// Ends the page and returns the result.
    pub fn finish(self) -> Html {
        let Self { declared, bytes, has_stopped } = self;
        let first = &bytes[..bytes.len().min(PRESCAN_BYTES)];
        let encoding = declared.or_else(|| encoding::prescan(first)).unwrap_or(encoding::FALLBACK);
        // A byte order mark overrides this encoding.
        let mut decoder = encoding.new_decoder();
        let most = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(usize::MAX);
        let mut text = String::with_capacity(most.min(HTML_BYTES + ROOM));
        // It fills the capacity at most.
        let _ = decoder.decode_to_string(&bytes, &mut text, !has_stopped);
        let is_cut = has_stopped || text.len() > HTML_BYTES;
        let end = (0..=HTML_BYTES.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or_default());
        let mut found = scan(&text);
        found.encoding = decoder.encoding().name();
        found.stop = found.stop.or(is_cut.then_some(Stop::Bytes));
        found
    }
}

impl fmt::Debug for HtmlReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HtmlReader")
    }
}

/// The result of scanning a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Html {
    /// The meta elements that may be for crawlers, in order.
    pub metas: Vec<MetaElement>,
    /// The licences that the page names, in order (REP-EXT-40).
    pub licenses: Vec<LicenseLink>,
    /// The address in the first `base` element with one, as written.
    pub base: Option<String>,
    /// The elements that must not be quoted, in order (REP-PAGE-27).
    pub nosnippets: Vec<NoSnippet>,
    /// Whether there were more elements than the limit.
    pub has_more: bool,
    /// The encoding of the page, by its name in the Encoding Standard.
    pub encoding: &'static str,
    /// The reason why the scan ended before the page; `None` if it did not.
    pub stop: Option<Stop>,
}

/// A meta element with a name and a content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MetaElement {
    /// The name, character references decoded.
    pub name: String,
    /// The content, character references decoded.
    pub content: String,
    /// Position of its tag. A page that is not in UTF-8 is counted in its UTF-8 form, and a byte
    /// order mark does not count.
    pub position: Position,
    /// The reason why crawlers ignore it; `None` if they read it.
    pub ignored: Option<&'static str>,
}

/// A `link` element with relation `license`, or a `script` element with a licence in RSL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LicenseLink {
    /// The address, character references decoded. Empty for a licence in the page itself.
    pub href: String,
    /// Position of its tag.
    pub position: Position,
    /// The reason why crawlers ignore it; `None` if they read it.
    pub ignored: Option<&'static str>,
}

/// An element whose text is not for snippets: `span`, `div` or `section` with `data-nosnippet`,
/// with any value (REP-PAGE-27).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoSnippet {
    /// `span`, `div` or `section`.
    pub element: &'static str,
    /// Position of its tag.
    pub position: Position,
    /// Position of the tag that ends it: its own end tag, or that of an element around it. `None`
    /// for an unclosed element, which extends to the end of the page, also after `</body>`.
    pub end: Option<Position>,
}

/// The reason why a scan ended before its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// The page is longer than [`limits::HTML_BYTES`].
    ///
    /// [`limits::HTML_BYTES`]: crate::limits::HTML_BYTES
    Bytes,
    /// More than 50,000 elements are nested.
    Depth,
}

impl Stop {
    /// The reason as a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Depth => "depth",
        }
    }
}

impl Page {
    /// Reads the meta elements of a page, like [`read_meta`](Self::read_meta), and its licences.
    pub fn read_html(&mut self, html: &Html) {
        self.base.clone_from(&html.base);
        for LicenseLink { href, position, ignored } in &html.licenses {
            self.add_license(href, *position, *ignored);
        }
        for meta in &html.metas {
            self.read_element(&meta.name, &meta.content, meta.position, meta.ignored);
        }
    }
}
