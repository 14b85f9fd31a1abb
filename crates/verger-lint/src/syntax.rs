//! The lossless line tree: every byte of the text belongs to one line.
//!
//! # Flow
//!
//! The engine has one event for each line. The tree adds the parts that the engine does
//! not need: comments and line ends. Fixes and the formatter edit these parts.

use std::ops::Range;

use verger::diagnostic::is_foreign_space;
use verger::extension::RecordKind;
use verger::parse::{Event, Field};
use verger::{Robots, RuleKind, Span};

/// The lines of a text, in order. With the byte order mark they are the whole text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The offset of the first line.
    start: usize,
    lines: Vec<Line>,
}

/// A line with its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The number, from 1.
    pub(crate) number: usize,
    /// The kind.
    pub(crate) kind: LineKind,
    /// The line without its end.
    pub(crate) span: Span,
    /// CR, LF, CRLF, or nothing at the end of the text.
    pub(crate) end: Span,
    /// Key and value of a record.
    pub(crate) record: Option<RecordParts>,
    /// The comment with its `#`, to the end of the line.
    pub(crate) comment: Option<Span>,
}

/// The parts of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordParts {
    /// The key as written.
    pub(crate) key: Span,
    /// The value as written, without comment. It may be empty.
    pub(crate) value: Span,
    /// Whether the separator is white space instead of a colon.
    pub(crate) colon_missing: bool,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LineKind {
    /// Empty, or white space only.
    Blank,
    /// A comment only.
    Comment,
    /// A `User-agent` line.
    UserAgent,
    /// An `Allow` or `Disallow` line.
    Rule(RuleKind),
    /// A `Sitemap` line.
    Sitemap,
    /// A record with any other key.
    Other,
    /// Not a record.
    Junk,
}

impl Tree {
    /// Reads a text.
    ///
    /// # Complexity
    ///
    /// One pass; memory for the lines.
    pub(crate) fn new(robots: &Robots) -> Self {
        let text = robots.text();
        let mut lines: Vec<Line> = robots.events().map(|event| line_of(event, text)).collect();
        let starts = lines.iter().skip(1).map(|line| line.span.start);
        let ends: Vec<usize> = starts.chain([text.len()]).collect();
        for (at, (line, end)) in lines.iter_mut().zip(ends).enumerate() {
            line.number = at + 1;
            line.end = Span { start: line.span.end, end };
        }
        // Without lines, a byte order mark is the whole text.
        Self { start: lines.first().map_or(text.len(), |line| line.span.start), lines }
    }

    /// The lines, in order.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The byte order mark before the first line; empty without one.
    pub(crate) fn byte_order_mark(&self) -> Span {
        Span { start: 0, end: self.start }
    }

    /// The line end of most lines of the text that are not blank: LF or CRLF, LF if both have as
    /// many; CR only without any LF, because some readers do not know it.
    pub(crate) fn line_end(&self, text: &[u8]) -> &'static [u8] {
        let lines = || self.lines.iter().filter(|line| line.kind != LineKind::Blank);
        let count = |end: &[u8]| lines().filter(|it| text[it.end.range()] == *end).count();
        if !text.contains(&b'\n') {
            return if count(b"\r") > 0 { b"\r" } else { b"\n" };
        }
        // The lines of `\r\r\n` end with CR, and blank ones with CRLF follow them.
        let crlf = count(b"\r\n") + count(b"\r");
        if crlf > count(b"\n") { b"\r\n" } else { b"\n" }
    }

    /// The line that contains a byte offset.
    pub(crate) fn line_at(&self, offset: usize) -> Option<&Line> {
        let after = self.lines.partition_point(|line| line.span.start <= offset);
        self.lines.get(after.checked_sub(1)?)
    }
}

impl Line {
    /// The line with its end, for edits that remove it.
    pub(crate) fn whole(&self) -> Span {
        Span { start: self.span.start, end: self.end.end }
    }
}

/// A line whose number and end are still missing.
fn line_of(event: Event<'_>, text: &[u8]) -> Line {
    let (kind, field) = match event {
        Event::UserAgent(field) => (LineKind::UserAgent, Some(field)),
        Event::Rule(kind, field) => (LineKind::Rule(kind), Some(field)),
        Event::Sitemap(field) => (LineKind::Sitemap, Some(field)),
        Event::OversizedRule(field) | Event::Other(field) => (LineKind::Other, Some(field)),
        Event::Blank(_) => (LineKind::Blank, None),
        Event::Comment(_) => (LineKind::Comment, None),
        _ => (LineKind::Junk, None),
    };
    let record = field.map(|Field { key, value, colon_missing, .. }| RecordParts {
        key: key.span(),
        value: value.span(),
        colon_missing,
    });
    let span = event.line().span();
    // REP-SYNTAX-10: the first `#` starts a comment, at any position.
    let hash = text[span.range()].iter().position(|&byte| byte == b'#');
    let comment = hash.map(|at| Span { start: span.start + at, end: span.end });
    let end = Span { start: span.end, end: span.end };
    Line { number: 0, kind, span, end, record, comment }
}

/// Whether a key is that of a user-agent line, a rule or a known record, in any case.
pub(crate) fn is_known_key(key: &[u8]) -> bool {
    let usual = ["User-agent", "Allow", "Disallow", "Sitemap"];
    usual.iter().any(|usual| key.eq_ignore_ascii_case(usual.as_bytes()))
        || RecordKind::of_key(key) != RecordKind::Unknown
}

/// The place of the first character that looks like a colon or is used as one: `：`, `;`, `=`, or a
/// space of another script.
pub(crate) fn similar_colon(text: &str) -> Option<Range<usize>> {
    let is_similar = |c: char| {
        matches!(c, ';' | '=' | '\u{2d0}' | '\u{589}' | '\u{5c3}' | '\u{2236}' | '\u{a789}')
            || matches!(c, '\u{fe13}' | '\u{fe55}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1d}')
            || is_foreign_space(c)
    };
    let (start, found) = text.char_indices().find(|(at, c)| *at > 0 && is_similar(*c))?;
    Some(start..start + found.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_byte_order_mark_are_the_whole_text() {
        let texts: [&[u8]; 6] = [
            b"",
            b"\n",
            b"\xEF\xBB\xBFUser-agent: *\r\rDisallow: /a # b\r\n\n  x",
            b"a\rb\nc\r\nd",
            b"Disallow /x\n# c",
            b"#\n\n",
        ];
        for text in texts {
            let tree = Tree::new(&Robots::parse(text));
            let mut end = tree.byte_order_mark().end;
            for line in tree.lines() {
                assert_eq!((line.span.start, line.span.end), (end, line.end.start));
                assert!(text[line.end.range()].iter().all(|byte| b"\r\n".contains(byte)));
                end = line.end.end;
            }
            assert_eq!(end, text.len());
        }
    }
}
