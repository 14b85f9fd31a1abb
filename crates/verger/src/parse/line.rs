//! Cutting a text into lines: only CR, LF and CRLF end a line (REP-SYNTAX-4).

use super::Piece;
use super::line_ends::Stops;
use crate::Dialect;
use crate::search::find_octet;

/// One line, and the part of it that counts.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// The whole line without its end.
    pub(super) piece: Piece<'t>,
    /// Number of bytes that count: those before a comment; fewer if the dialect cuts long lines or
    /// ends a line at NUL.
    length: usize,
    /// Whether a comment ends the content.
    pub(super) has_comment: bool,
}

impl<'t> Line<'t> {
    /// The bytes that count.
    #[inline]
    pub(super) fn content(&self) -> Piece<'t> {
        self.piece.slice(0, self.length)
    }
}

/// The lines of a text. A line end at the very end starts no further line.
pub(super) struct Lines<'t> {
    text: &'t [u8],
    stops: Stops<'t>,
    /// The offset of the next line.
    start: usize,
    /// The number of the last line.
    number: usize,
    limit: usize,
    nul_ends_line: bool,
}

impl<'t> Lines<'t> {
    /// The lines from `start` on.
    pub(super) fn new(text: &'t [u8], start: usize, dialect: &Dialect) -> Self {
        Self {
            text,
            stops: Stops::new(text, start),
            start,
            number: 0,
            limit: dialect.line_limit.unwrap_or(usize::MAX),
            nul_ends_line: dialect.nul_ends_line && find_octet(text, 0).is_some(),
        }
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "the line is then passed in registers, not through memory"
    )]
    fn next(&mut self) -> Option<Line<'t>> {
        let (text, start) = (self.text, self.start);
        if start >= text.len() {
            return None;
        }
        // REP-SYNTAX-10: the first `#` starts a comment, at any position.
        let mut comment = None;
        let is_crlf;
        let end = loop {
            let stop = self.stops.next().unwrap_or(text.len());
            let octet = text.get(stop);
            if octet == Some(&b'#') {
                comment = comment.or(Some(stop));
            } else if stop >= start {
                is_crlf = octet == Some(&b'\r') && text.get(stop + 1) == Some(&b'\n');
                break stop;
            }
            // Else it is the LF of the CRLF before.
        };
        let piece = Piece { bytes: &text[start..end], start };
        // REP-SYNTAX-7 and REP-SYNTAX-6: an over-long line is cut, then NUL ends the remaining
        // line.
        let full = comment.unwrap_or(end) - start;
        let mut length = full.min(self.limit);
        if self.nul_ends_line {
            length = find_octet(&piece.bytes[..length], 0).unwrap_or(length);
        }
        self.start = end + 1 + usize::from(is_crlf);
        self.number += 1;
        let has_comment = comment.is_some() && length == full;
        Some(Line { number: self.number, piece, length, has_comment })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[track_caller]
    fn check(dialect: Dialect, text: &[u8], expected: &[(usize, &[u8])]) {
        let found: Vec<_> = Lines::new(text, 0, &dialect)
            .map(|line| (line.piece.start, line.content().bytes))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_final_line_end_starts_no_line() {
        check(Dialect::RFC9309, b"", &[]);
        check(Dialect::RFC9309, b"\n", &[(0, b"")]);
        check(Dialect::RFC9309, b"a\r\n", &[(0, b"a")]);
    }

    #[test]
    fn google_cuts_long_lines_and_ends_them_at_nul() {
        let mut row = Dialect::GOOGLE;
        row.line_limit = Some(3);
        check(row, b"abcd\nefg\nh\0i\nklm\0", &[(0, b"abc"), (5, b"efg"), (9, b"h"), (13, b"klm")]);
        check(Dialect::RFC9309, b"h\0i", &[(0, b"h\0i")]);
    }
}
