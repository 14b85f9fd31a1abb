//! What a page says, item by item, with the place of each.

use std::fmt;

use verger::{Crawler, Position, Untrusted};

use crate::directive::{Directive, ParsedDirective};

/// One item of a header line or of a meta element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Statement {
    subject: Subject,
    text: Box<[u8]>,
    parsed: ParsedDirective,
    place: Place,
}

impl Statement {
    pub(crate) fn new(
        subject: Subject,
        text: &[u8],
        parsed: ParsedDirective,
        place: Place,
    ) -> Self {
        Self { subject, text: text.into(), parsed, place }
    }

    /// Whom it is for.
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The item as written, character references decoded; cut to [`limits::ITEM_BYTES`].
    ///
    /// It comes from a stranger: show it through [`verger::Untrusted`].
    ///
    /// [`limits::ITEM_BYTES`]: crate::limits::ITEM_BYTES
    pub const fn text(&self) -> &[u8] {
        &self.text
    }

    /// What it is.
    pub const fn parsed(&self) -> ParsedDirective {
        self.parsed
    }

    /// The directive; `None` where it is none.
    pub const fn directive(&self) -> Option<Directive> {
        match self.parsed {
            ParsedDirective::Directive(directive) => Some(directive),
            _ => None,
        }
    }

    /// Where it stands.
    pub const fn place(&self) -> Place {
        self.place
    }
}

impl fmt::Display for Statement {
    /// The item in backticks, and where it stands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", Untrusted::new(&*self.text), self.place)
    }
}

/// Whom a statement is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// Every crawler.
    Everybody,
    /// The crawlers of this name, as written.
    Agent(Box<[u8]>),
}

impl Subject {
    /// Whether it names this crawler: everybody, and whoever has one of the names of the crawler's
    /// chain, in any case (REP-PAGE-24, REP-PAGE-26).
    pub fn names(&self, crawler: &Crawler) -> bool {
        match self {
            Self::Everybody => true,
            Self::Agent(name) => crawler
                .tokens()
                .iter()
                .any(|token| token.as_str().as_bytes().eq_ignore_ascii_case(name)),
        }
    }
}

impl fmt::Display for Subject {
    /// The name, escaped, or `everybody`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everybody => f.write_str("everybody"),
            Self::Agent(name) => write!(f, "`{}`", Untrusted::new(&**name)),
        }
    }
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Place {
    /// A header line.
    Header {
        /// Its number, from 1: the line of the text for [`Page::read_headers`], else how many fields
        /// were read before it, plus one.
        ///
        /// [`Page::read_headers`]: crate::Page::read_headers
        line: usize,
    },
    /// A meta element.
    Meta {
        /// Where its tag begins in the page. A page that is not in UTF-8 is counted in its UTF-8 form.
        position: Position,
    },
}

impl Place {
    /// Whether it is a header line.
    pub const fn is_header(self) -> bool {
        matches!(self, Self::Header { .. })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { line } => write!(f, "in header line {line}"),
            Self::Meta { position: Position { line, column } } => {
                write!(f, "in the meta element at {line}:{column}")
            }
        }
    }
}
