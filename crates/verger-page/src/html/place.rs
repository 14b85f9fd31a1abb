//! Lines and columns of places that are asked for in order.

use verger::Position;

/// Finds positions in a text that is walked once.
///
/// Lines end as in a robots.txt: CR, LF and CRLF each end one (REP-SYNTAX-4).
#[derive(Debug)]
pub(super) struct Places<'t> {
    text: &'t [u8],
    at: usize,
    line: usize,
    line_start: usize,
}

impl<'t> Places<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text: text.as_bytes(), at: 0, line: 1, line_start: 0 }
    }

    /// Returns the position of an offset that is not before the one asked for last.
    pub(super) fn position(&mut self, offset: usize) -> Position {
        while self.at < offset {
            let is_end = match self.text.get(self.at) {
                Some(b'\n') => true,
                Some(b'\r') => self.text.get(self.at + 1) != Some(&b'\n'),
                _ => false,
            };
            self.at += 1;
            if is_end {
                self.line += 1;
                self.line_start = self.at;
            }
        }
        Position { line: self.line, column: offset.saturating_sub(self.line_start) + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_engine() {
        let text = "a\nb\r\n\rc\r\n\n\r\rde";
        let expected = verger::LineIndex::new(text.as_bytes());
        let mut places = Places::new(text);
        for offset in 0..text.len() {
            // The line feed of a CRLF is the start of no tag.
            if !text[..offset].ends_with('\r') || !text[offset..].starts_with('\n') {
                assert_eq!(places.position(offset), expected.position(offset), "{offset}");
            }
        }
    }
}
