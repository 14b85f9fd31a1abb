//! What the parser says: one event per line.

use core::fmt;

use crate::{Span, Untrusted, limits};

/// Receives the events of [`parse`](super::parse), in file order. Every method does nothing unless
/// it is implemented.
pub trait Receiver<'t> {
    /// Whether groups and their rules are all that matters to it.
    ///
    /// If so, the parser passes over every line that has no say in them as soon as it is seen to be one:
    /// [`sitemap`](Self::sitemap), [`comment`](Self::comment) and [`junk`](Self::junk) may not be called, and
    /// [`other`](Self::other) only for records that close a list of agents in some dialect (REP-AMB-4,
    /// REP-AMB-5). Much of what is served as robots.txt is a web page.
    const GROUPS_ONLY: bool = false;

    /// A `User-agent` line.
    fn user_agent(&mut self, field: Field<'t>) {
        let _ = field;
    }

    /// An `Allow` or `Disallow` line.
    fn rule(&mut self, kind: RuleKind, field: Field<'t>) {
        let _ = (kind, field);
    }

    /// Whether rules may be passed over for now, without a word, since none would change what it does. It is asked for
    /// each rule whose key has its usual spelling; others are told all the same.
    fn passes_rules(&self) -> bool {
        false
    }

    /// A rule longer than the dialect's [`rule_limit`](crate::Dialect::rule_limit): it says nothing of any
    /// URL, and ends the list of agents as any rule does.
    fn oversized_rule(&mut self, field: Field<'t>) {
        let _ = field;
    }

    /// A `Sitemap` line.
    fn sitemap(&mut self, field: Field<'t>) {
        let _ = field;
    }

    /// A record with any other key (REP-SYNTAX-20).
    fn other(&mut self, field: Field<'t>) {
        let _ = field;
    }

    /// A line of white space only, or of nothing.
    fn blank(&mut self, line: Piece<'t>) {
        let _ = line;
    }

    /// A line that is only a comment.
    fn comment(&mut self, line: Piece<'t>) {
        let _ = line;
    }

    /// A line that is no record: without a separator, or with an empty key.
    fn junk(&mut self, line: Piece<'t>) {
        let _ = line;
    }
}

/// One line as a value, for those inside the engine who would rather pull than be pushed.
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

/// Keeps the event of one line.
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
    /// `allow` or `disallow`, as JSON output spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Disallow => "disallow",
        }
    }

    /// `Allow` or `Disallow`, as a robots.txt spells it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Allow => "Allow",
            Self::Disallow => "Disallow",
        }
    }

    /// A rule in one spelling, its pattern escaped.
    pub(crate) fn write_rule(self, pattern: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if pattern.is_empty() { "" } else { " " };
        let pattern = Untrusted::new(pattern).limited_to(limits::QUOTED_CHARS);
        write!(f, "{}:{space}{pattern}", self.key())
    }
}

/// How the key of a record is spelt, beside its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spelling {
    /// Right.
    Exact,
    /// A frequent misspelling that the dialect accepts (REP-SYNTAX-19).
    Typo,
    /// A longer key that begins with an accepted spelling (dialect `google`).
    Prefix,
}

/// A key and a value, with their places.
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
    /// How the key is spelt.
    pub spelling: Spelling,
    /// Whether white space stands where the colon should be (REP-SYNTAX-14).
    pub colon_missing: bool,
}

/// A part of the text with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece<'t> {
    /// The bytes.
    pub bytes: &'t [u8],
    /// The offset of the first one.
    pub start: usize,
}

impl Piece<'_> {
    /// The place as a span.
    pub const fn span(self) -> Span {
        Span { start: self.start, end: self.start + self.bytes.len() }
    }

    #[inline]
    pub(crate) fn slice(self, from: usize, to: usize) -> Self {
        Self { bytes: &self.bytes[from..to], start: self.start + from }
    }

    /// Without white space at both ends: SP, HTAB, VT, FF (REP-SYNTAX-11, REP-AMB-42).
    #[inline]
    pub(crate) fn trim(self) -> Self {
        self.trim_start().trim_end()
    }

    /// As [`trim_start`](Self::trim_start), for lines that may be deeply indented.
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

    /// As [`trim_end`](Self::trim_end), at the end of a line: NULs there are dropped as well (REP-AMB-21).
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

/// White space inside a line. Unicode's other spaces are not (REP-SYNTAX-11).
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}
