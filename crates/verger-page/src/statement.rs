//! Statements of a page: single items with their places.

use std::fmt;

use verger::{Crawler, Position, Untrusted};

use crate::directive::ParsedDirective;

/// One item of a header line or of a meta element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Statement {
    /// The crawlers of the statement.
    pub subject: Subject,
    /// The item as written, character references decoded; cut to 256 bytes.
    ///
    /// It is untrusted text: show it through [`verger::Untrusted`].
    pub text: Box<[u8]>,
    /// The directive, or what was expected, if the item states nothing (REP-PAGE-25).
    pub parsed: ParsedDirective,
    /// The reason why crawlers ignore the element; `None` if they read it.
    pub ignored: Option<&'static str>,
    /// The place.
    pub place: Place,
}

impl Statement {
    /// The reason why the item has no effect: it states nothing, crawlers ignore the element, or
    /// its name is a list of names, which names no crawler.
    pub fn error(&self) -> Option<&'static str> {
        let is_meta = matches!(self.place, Place::Meta { .. });
        let name = self.subject.agent().filter(|_| is_meta).unwrap_or_default();
        let is_list = name.iter().any(|octet| b",;|".contains(octet));
        let names = is_list.then_some("expected one name in the attribute `name`");
        self.parsed.err().or(self.ignored).or(names)
    }
}

impl fmt::Display for Statement {
    /// The item in backticks, and its place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Untrusted::new(&*self.text).quoted(), self.place)
    }
}

/// The crawlers of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// Every crawler.
    Everybody,
    /// The crawlers of this name, as written.
    Agent(Box<[u8]>),
}

impl Subject {
    /// The name, as written; `None` for every crawler.
    pub fn agent(&self) -> Option<&[u8]> {
        match self {
            Self::Everybody => None,
            Self::Agent(name) => Some(name),
        }
    }

    /// Whether it includes this crawler: every crawler, or a name in the crawler's chain, in any
    /// case (REP-PAGE-24, REP-PAGE-26).
    pub fn names(&self, crawler: &Crawler) -> bool {
        self.agent().is_none_or(|name| {
            let mut tokens = crawler.tokens().iter();
            tokens.any(|token| token.as_str().as_bytes().eq_ignore_ascii_case(name))
        })
    }
}

impl fmt::Display for Subject {
    /// The name, escaped, or `everybody`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everybody => f.write_str("everybody"),
            Self::Agent(name) => Untrusted::new(&**name).quoted().fmt(f),
        }
    }
}

/// The place of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Place {
    /// A header line.
    Header {
        /// Its number, from 1: the line of the text for [`Page::read_headers`], otherwise the
        /// number of fields read so far.
        ///
        /// [`Page::read_headers`]: crate::Page::read_headers
        line: usize,
    },
    /// A meta element.
    Meta {
        /// Position of its tag in the page. A page that is not in UTF-8 is counted in its UTF-8
        /// form.
        position: Position,
    },
    /// An element with a licence: `link` or `script`.
    Link {
        /// Position of its tag, as for a meta element.
        position: Position,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { line } => write!(f, "in header line {line}"),
            Self::Meta { position: Position { line, column } } => {
                write!(f, "in the meta element at {line}:{column}")
            }
            Self::Link { position: Position { line, column } } => {
                write!(f, "in the element at {line}:{column}")
            }
        }
    }
}
