//! Cutting a text into lines: CR, LF and CRLF end one, nothing else does (REP-SYNTAX-4).

use super::Piece;
use crate::Dialect;

/// One line: what stands in the file and what of it counts.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// The whole line without its end.
    pub(super) piece: Piece<'t>,
    /// The bytes that count: shorter where the dialect cuts long lines or ends a line at NUL.
    pub(super) content: Piece<'t>,
}

/// The lines of a text from `start` on. A line end at the very end starts no further line.
pub(super) fn lines<'t>(
    text: &'t [u8],
    start: usize,
    dialect: &Dialect,
) -> impl Iterator<Item = Line<'t>> + use<'t> {
    let limit = dialect.line_limit.unwrap_or(usize::MAX);
    let nul_ends_line = dialect.nul_ends_line;
    let mut rest = start;
    core::iter::from_fn(move || {
        if rest >= text.len() {
            return None;
        }
        let length = find_end(&text[rest..]);
        let piece = Piece { bytes: &text[rest..rest + length], start: rest };
        rest += length + end_width(&text[rest + length..]);
        Some(Line { piece, content: cut(piece, limit, nul_ends_line) })
    })
}

/// REP-SYNTAX-7 and REP-SYNTAX-6: an over-long line is used in cut form, then NUL ends what is left.
fn cut(piece: Piece<'_>, limit: usize, nul_ends_line: bool) -> Piece<'_> {
    let mut length = piece.bytes.len().min(limit);
    if nul_ends_line {
        let nul = piece.bytes[..length].iter().position(|&byte| byte == 0);
        length = nul.unwrap_or(length);
    }
    piece.slice(0, length)
}

fn end_width(text: &[u8]) -> usize {
    match text {
        [b'\r', b'\n', ..] => 2,
        [] => 0,
        _ => 1,
    }
}

/// The offset of the first CR or LF, or the length.
#[cfg(feature = "memchr")]
fn find_end(text: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

/// The offset of the first CR or LF, or the length.
#[cfg(not(feature = "memchr"))]
fn find_end(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[track_caller]
    fn check(dialect: Dialect, text: &[u8], expected: &[(usize, &[u8])]) {
        let found: Vec<_> =
            lines(text, 0, &dialect).map(|line| (line.piece.start, line.content.bytes)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn cr_lf_and_crlf_each_end_a_line() {
        check(
            Dialect::RFC9309,
            b"a\rb\nc\r\nd\n\re",
            &[(0, b"a"), (2, b"b"), (4, b"c"), (7, b"d"), (9, b""), (10, b"e")],
        );
    }

    #[test]
    fn unicode_separators_and_controls_end_no_line() {
        let text = "a\u{2028}b\u{85}c\x0bd\x0ce\x1cf".as_bytes();
        check(Dialect::RFC9309, text, &[(0, text)]);
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
