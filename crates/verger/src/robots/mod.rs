//! One parsed robots.txt, for every crawler.
//!
//! # Flow
//!
//! [`Robots::parse`] copies the text and stores the positions of its groups, agents and rules in a
//! few flat tables (`build.rs`). `outline.rs` has the tables and selects the groups for a crawler,
//! `view.rs` gives access to groups, agents and rules with their positions. Rules are stored once,
//! also if many agents share them. `check.rs` compares rules with a URL.

mod build;
mod outline;
mod view;

use alloc::vec::Vec;

pub(crate) use build::outline_for;
pub(crate) use outline::{Outline, RuleEntry, Selected};
pub(crate) use view::write_group;
pub use view::{Agent, Group, Rule};

use crate::dialect::Dialect;
use crate::parse::{Encoding, Event, Input, events};
use crate::span::{Position, position};
use outline::Tables;

/// One parsed robots.txt, for every crawler, with the positions of all items in the text.
///
/// It owns its text and can be shared between threads. Two are equal if they have the same text and
/// dialect, and were cut at the same place or not at all. Equal files give equal answers; files
/// that differ only in comments also give equal answers, but are not equal.
///
/// # Examples
///
/// ```
/// use verger::{Dialect, Robots};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /private\nAllow: /private/press\n");
/// assert!(!robots.check("ExampleBot", "https://shop.example/private/x").is_allowed());
/// assert!(robots.check("ExampleBot", "https://shop.example/private/press/1").is_allowed());
///
/// // The same file in the dialect of the book of 2002: the first rule that matches decides.
/// let robots = Dialect::BOOK.parse("User-agent: *\nDisallow: /private\nAllow: /private/press\n");
/// assert!(!robots.check("ExampleBot", "https://shop.example/private/press/1").is_allowed());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Robots {
    text: Vec<u8>,
    /// The offset of the first line.
    start: u32,
    dialect: Dialect,
    encoding: Encoding,
    truncated: bool,
    /// Whether a file of this size allows everything in the dialect.
    pub(crate) allows_all: bool,
    tables: Tables,
}

impl Dialect {
    /// Parses a robots.txt in this dialect. Never fails (REP-SYNTAX-1).
    ///
    /// Pass the bytes of the response, not a string that was decoded with replacement characters:
    /// UTF-16 and Latin-1 lose their rules that way. At most the dialect's byte limit is copied and
    /// read (see [`Robots::is_truncated`]).
    ///
    /// # Complexity
    ///
    /// Linear in the bytes up to the limit, plus sorting the agents of a file with many.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Dialect;
    ///
    /// let robots = Dialect::GOOGLE.parse("User-agent: *\nDisallow: /cart\n");
    /// assert!(!robots.is_allowed("ExampleBot", "https://shop.example/cart"));
    /// assert_eq!(robots.dialect(), Dialect::GOOGLE);
    /// ```
    pub fn parse<T: AsRef<[u8]> + ?Sized>(&self, bytes: &T) -> Robots {
        self.parse_input(Input::read(bytes.as_ref(), self))
    }

    /// Parses bytes that were already cut at a size limit. An unfinished last line is dropped: half
    /// a rule would match more (REP-AMB-22).
    ///
    /// # Complexity
    ///
    /// As [`parse`](Self::parse).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Dialect;
    ///
    /// // The whole file continues: `Allow: /public/`.
    /// let robots = Dialect::RFC9309.parse_cut("User-agent: *\nDisallow: /\nAllow: /");
    /// assert!(!robots.check("ExampleBot", "/private").is_allowed());
    /// assert!(robots.is_truncated());
    /// ```
    pub fn parse_cut<T: AsRef<[u8]> + ?Sized>(&self, bytes: &T) -> Robots {
        self.parse_input(Input::read_part(bytes.as_ref(), self, true))
    }

    fn parse_input(&self, input: Input<'_>) -> Robots {
        let tables = build::build(&input, self);
        Robots {
            start: crate::span::narrow(input.start()),
            dialect: *self,
            encoding: input.encoding(),
            truncated: input.is_truncated(),
            allows_all: input.allows_all(),
            text: input.into_text(),
            tables,
        }
    }
}

impl Robots {
    /// Parses a robots.txt in the default dialect, [`Dialect::RFC9309`]. Never fails.
    pub fn parse<T: AsRef<[u8]> + ?Sized>(bytes: &T) -> Self {
        Dialect::RFC9309.parse(bytes)
    }

    /// The parsed text: the bytes, or for UTF-16 their UTF-8 form, up to the limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    /// use verger::parse::Encoding;
    ///
    /// let robots = Robots::parse(b"\xff\xfe#\0 \0c\0a\0f\0\xe9\0");
    /// assert_eq!(robots.encoding(), Encoding::Utf16Le);
    /// assert_eq!(robots.text(), "# café".as_bytes());
    /// ```
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The dialect in which it was parsed.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The encoding declared by its byte order mark.
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether the byte limit cut the file; the rest has no effect (REP-SYNTAX-8).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let long = [&b"User-agent: *\nDisallow: /cart\n"[..], &vec![b'#'; 600_000]].concat();
    /// let robots = Robots::parse(&long);
    /// assert!(robots.is_truncated());
    /// assert!(!robots.is_allowed("ExampleBot", "https://shop.example/cart"));
    /// ```
    pub const fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The events of the text, one for each line, for custom readers.
    ///
    /// # Complexity
    ///
    /// Linear in the text.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::parse::Event;
    /// use verger::{Robots, RuleKind};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /a # why\nDisalow /b");
    /// let disallowed = robots.events().filter_map(|event| match event {
    ///     Event::Rule(RuleKind::Disallow, field) => Some(field.value.bytes),
    ///     _ => None,
    /// });
    /// assert!(disallowed.eq([b"/a", b"/b"]));
    /// ```
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> + use<'_> {
        events(&self.text, self.start as usize, &self.dialect)
    }

    /// Line and column of a byte offset.
    ///
    /// # Complexity
    ///
    /// Linear in the text; for many offsets use a [`LineIndex`](crate::LineIndex).
    pub fn position(&self, offset: usize) -> Position {
        position(&self.text, offset)
    }

    /// The text with the positions of its items.
    #[inline]
    pub(crate) fn outline(&self) -> Outline<'_> {
        Outline { text: &self.text, tables: &self.tables, dialect: &self.dialect }
    }

    /// The offset of the first line, after a byte order mark.
    pub(crate) fn start(&self) -> usize {
        self.start as usize
    }
}

impl core::fmt::Debug for Robots {
    /// Only counts: the text may be large, and it is foreign.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Robots")
            .field("dialect", &self.dialect)
            .field("bytes", &self.text.len())
            .field("groups", &self.tables.groups.len())
            .field("rules", &self.tables.rules.len())
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}
