//! Events: one for each line of a text.

use core::fmt;

use crate::{Span, Untrusted, limits};

/// One line of a robots.txt.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'t> {
    /// A `User-agent` line.
    UserAgent(Field<'t>),
    /// An `Allow` or `Disallow` line.
    Rule(RuleKind, Field<'t>),
    /// A rule longer than the dialect's [`rule_limit`](crate::Dialect::rule_limit): it affects no
    /// URL, and ends the list of agents as any rule does.
    OversizedRule(Field<'t>),
    /// A `Sitemap` line.
    Sitemap(Field<'t>),
    /// A record with any other key (REP-SYNTAX-20).
    Other(Field<'t>),
    /// An empty line, or a line of white space only.
    Blank(Piece<'t>),
    /// A line that is only a comment.
    Comment(Piece<'t>),
    /// A line that is not a record: without a separator, or with an empty key.
    Junk(Piece<'t>),
}

impl<'t> Event<'t> {
    /// The whole line without its end.
    pub const fn line(&self) -> Piece<'t> {
        match self {
            Self::UserAgent(field)
            | Self::Rule(_, field)
            | Self::OversizedRule(field)
            | Self::Sitemap(field)
            | Self::Other(field) => field.line,
            Self::Blank(line) | Self::Comment(line) | Self::Junk(line) => *line,
        }
    }
}

/// `Allow` or `Disallow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has two kinds of rule")]
pub enum RuleKind {
    /// `Allow`.
    Allow,
    /// `Disallow`.
    Disallow,
}

impl RuleKind {
    /// `allow` or `disallow`, for JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Disallow => "disallow",
        }
    }

    /// `Allow` or `Disallow`, as in a robots.txt.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Allow => "Allow",
            Self::Disallow => "Disallow",
        }
    }

    /// Writes the rule in its usual spelling, with its pattern escaped.
    pub(crate) fn write_rule(self, pattern: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if pattern.is_empty() { "" } else { " " };
        let pattern = Untrusted::new(pattern).limited_to(limits::QUOTED_CHARS);
        write!(f, "{}:{space}{pattern}", self.key())
    }
}

/// The spelling of a record's key, apart from its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spelling {
    /// Correct.
    Exact,
    /// A frequent misspelling that the dialect accepts (REP-SYNTAX-19).
    Typo,
    /// A longer key that begins with an accepted spelling (dialect `google`).
    Prefix,
}

/// A key and a value, with their positions.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field<'t> {
    /// The key as written, trimmed.
    pub key: Piece<'t>,
    /// The value as written, without comment, trimmed. It may be empty.
    pub value: Piece<'t>,
    /// The whole line without its end.
    pub line: Piece<'t>,
    /// The number of the line, from 1.
    pub(crate) line_number: usize,
    /// The spelling of the key.
    pub spelling: Spelling,
    /// Whether the separator is white space instead of a colon (REP-SYNTAX-14).
    pub colon_missing: bool,
}

/// A part of the text with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece<'t> {
    /// The bytes.
    pub bytes: &'t [u8],
    /// The offset of the first byte.
    pub start: usize,
}

impl Piece<'_> {
    /// The position as a span.
    pub const fn span(self) -> Span {
        Span { start: self.start, end: self.start + self.bytes.len() }
    }

    #[inline]
    pub(crate) fn slice(self, from: usize, to: usize) -> Self {
        Self { bytes: &self.bytes[from..to], start: self.start + from }
    }

    /// The piece without white space at both ends: SP, HTAB, VT, FF (REP-SYNTAX-11, REP-AMB-42).
    #[inline]
    pub(crate) fn trim(self) -> Self {
        self.trim_start().trim_end()
    }

    /// As [`trim_start`](Self::trim_start), but faster for deeply indented lines.
    #[inline]
    pub(crate) fn trim_indent(self) -> Self {
        let Self { mut bytes, mut start } = self;
        while let Some((b"        ", rest)) = bytes.split_first_chunk() {
            bytes = rest;
            start += 8;
        }
        Self { bytes, start }.trim_start()
    }

    #[inline]
    pub(crate) fn trim_start(self) -> Self {
        let Self { mut bytes, mut start } = self;
        while let [first, rest @ ..] = bytes
            && is_space(*first)
        {
            bytes = rest;
            start += 1;
        }
        Self { bytes, start }
    }

    #[inline]
    pub(crate) fn trim_end(self) -> Self {
        self.without_last(is_space)
    }

    /// As [`trim_end`](Self::trim_end), at the end of a line: also removes NULs there (REP-AMB-21).
    #[inline]
    pub(crate) fn trim_line_end(self) -> Self {
        self.without_last(|octet| is_space(octet) || octet == 0)
    }

    #[inline]
    fn without_last(self, is_dropped: impl Fn(u8) -> bool) -> Self {
        let Self { mut bytes, start } = self;
        while let [rest @ .., last] = bytes
            && is_dropped(*last)
        {
            bytes = rest;
        }
        Self { bytes, start }
    }

    #[inline]
    pub(crate) fn split_at(self, at: usize) -> (Self, Self) {
        (self.slice(0, at), self.slice(at, self.bytes.len()))
    }
}

/// White space inside a line. Other white space of Unicode does not count (REP-SYNTAX-11).
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}
