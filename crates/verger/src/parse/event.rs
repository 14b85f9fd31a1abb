//! The events of the parser: one for each line.

use core::fmt;

use crate::{Span, Untrusted, limits};

/// Receives the events of [`parse`](super::parse), in file order. The default methods do nothing.
#[expect(unused_variables, reason = "the default methods do nothing")]
pub trait Receiver<'t> {
    /// Whether only groups and their rules matter to this receiver.
    ///
    /// If so, the parser skips lines that do not affect them as early as possible: it may not call
    /// [`sitemap`](Self::sitemap), [`comment`](Self::comment) and [`junk`](Self::junk), and calls
    /// [`other`](Self::other) only for records that close a list of agents in some dialect
    /// (REP-AMB-4, REP-AMB-5). Many files served as robots.txt are web pages.
    const GROUPS_ONLY: bool = false;

    /// A `User-agent` line.
    fn user_agent(&mut self, field: Field<'t>) {}

    /// An `Allow` or `Disallow` line.
    fn rule(&mut self, kind: RuleKind, field: Field<'t>) {}

    /// Whether the parser may skip rules without an event for now, because none would change the
    /// result. The parser asks this for each rule whose key has its usual spelling; it sends all
    /// other rules.
    fn passes_rules(&self) -> bool {
        false
    }

    /// A rule longer than the dialect's [`rule_limit`](crate::Dialect::rule_limit): it affects no
    /// URL, and ends the list of agents as any rule does.
    fn oversized_rule(&mut self, field: Field<'t>) {}

    /// A `Sitemap` line.
    fn sitemap(&mut self, field: Field<'t>) {}

    /// A record with any other key (REP-SYNTAX-20).
    fn other(&mut self, field: Field<'t>) {}

    /// An empty line, or a line of white space only.
    fn blank(&mut self, line: Piece<'t>) {}

    /// A line that is only a comment.
    fn comment(&mut self, line: Piece<'t>) {}

    /// A line that is not a record: without a separator, or with an empty key.
    fn junk(&mut self, line: Piece<'t>) {}
}

/// One line as a value, for readers inside the engine that iterate over events.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'t> {
    UserAgent(Field<'t>),
    Rule(RuleKind, Field<'t>),
    OversizedRule(Field<'t>),
    Sitemap(Field<'t>),
    Other(Field<'t>),
    Blank(Piece<'t>),
    Comment(Piece<'t>),
    Junk(Piece<'t>),
}

impl<'t> Event<'t> {
    /// The whole line without its end.
    pub(crate) const fn line(&self) -> Piece<'t> {
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

/// Stores the event of one line.
impl<'t> Receiver<'t> for Option<Event<'t>> {
    fn user_agent(&mut self, field: Field<'t>) {
        *self = Some(Event::UserAgent(field));
    }

    fn rule(&mut self, kind: RuleKind, field: Field<'t>) {
        *self = Some(Event::Rule(kind, field));
    }

    fn oversized_rule(&mut self, field: Field<'t>) {
        *self = Some(Event::OversizedRule(field));
    }

    fn sitemap(&mut self, field: Field<'t>) {
        *self = Some(Event::Sitemap(field));
    }

    fn other(&mut self, field: Field<'t>) {
        *self = Some(Event::Other(field));
    }

    fn blank(&mut self, line: Piece<'t>) {
        *self = Some(Event::Blank(line));
    }

    fn comment(&mut self, line: Piece<'t>) {
        *self = Some(Event::Comment(line));
    }

    fn junk(&mut self, line: Piece<'t>) {
        *self = Some(Event::Junk(line));
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
    pub line_number: usize,
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
