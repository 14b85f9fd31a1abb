//! Positions in a robots.txt: byte spans inside the engine, line and column in the API.

use alloc::vec::Vec;
use core::ops::Range;

/// A range of bytes of the parsed text, end exclusive.
///
/// For a file in UTF-16 the text is its UTF-8 form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a span is its two ends")]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset one past the last byte.
    pub end: usize,
}

impl Span {
    /// The number of bytes.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span has no bytes. It still has a position.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The same as a range, for slicing the text.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// Line and column, from 1; the column is in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a position is a line and a column")]
pub struct Position {
    /// Line number, from 1. CR, LF and CRLF each end one line (REP-SYNTAX-4).
    pub line: usize,
    /// Byte column, from 1.
    pub column: usize,
}

/// The starts of all lines of a text, for converting many offsets to positions.
///
/// For a single offset [`Robots::position`](crate::Robots::position) is enough.
///
/// # Examples
///
/// ```
/// let lines = verger::LineIndex::new(b"User-agent: *\r\nDisallow: /x\n");
/// assert_eq!(lines.position(25).line, 2);
/// assert_eq!(lines.position(25).column, 11);
/// ```
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the line starts of a text.
    ///
    /// # Complexity
    ///
    /// One pass; four bytes of memory per line.
    pub fn new(text: &[u8]) -> Self {
        let mut starts = Vec::new();
        starts.push(0);
        starts.extend(line_starts(text).map(narrow));
        Self { starts }
    }

    /// The position of a byte offset; an offset after the end belongs to the last line.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|&start| start as usize <= offset);
        let start = self.starts[line - 1] as usize;
        Position { line, column: offset - start + 1 }
    }

    /// The number of lines, including an empty one after a final line end.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }
}

/// A span in 8 bytes. The parser reads at most [`limits::SOURCE_BYTES`](crate::limits), so offsets
/// fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span32 {
    start: u32,
    end: u32,
}

impl From<Span> for Span32 {
    fn from(span: Span) -> Self {
        Self { start: narrow(span.start), end: narrow(span.end) }
    }
}

impl From<Span32> for Span {
    fn from(span: Span32) -> Self {
        Self { start: span.start as usize, end: span.end as usize }
    }
}

pub(crate) fn narrow(offset: usize) -> u32 {
    debug_assert!(offset <= crate::limits::SOURCE_BYTES, "the parser limits its input");
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// The position of one offset; counts the lines before it.
pub(crate) fn position(text: &[u8], offset: usize) -> Position {
    // Line starts are searched in the whole text: whether a CR before the offset ends its line
    // depends on the octet after it.
    let before = line_starts(text).take_while(|&start| start <= offset);
    let (line, start) = before.fold((1, 0), |(line, _), start| (line + 1, start));
    Position { line, column: offset - start + 1 }
}

fn line_starts(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    text.iter().enumerate().filter_map(|(at, &byte)| match byte {
        b'\n' => Some(at + 1),
        b'\r' if text.get(at + 1) != Some(&b'\n') => Some(at + 1),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], offset: usize, line: usize, column: usize) {
        let expected = Position { line, column };
        assert_eq!(position(text, offset), expected);
        assert_eq!(LineIndex::new(text).position(offset), expected);
    }

    #[test]
    fn cr_lf_and_crlf_each_end_one_line() {
        let text = b"a\rb\nc\r\nd\n\re";
        check(text, 0, 1, 1);
        check(text, 2, 2, 1);
        check(text, 4, 3, 1);
        check(text, 6, 3, 3);
        check(text, 7, 4, 1);
        check(text, 9, 5, 1);
        check(text, 10, 6, 1);
        assert_eq!(LineIndex::new(text).line_count(), 6);
    }

    #[test]
    fn an_offset_at_the_end_belongs_to_the_last_line() {
        check(b"", 0, 1, 1);
        check(b"ab", 2, 1, 3);
        check(b"ab\n", 3, 2, 1);
    }
}
