//! Lines of a text that passes by.

use verger::Position;

/// The starts of the lines of a text that is seen once, in pieces.
///
/// Lines end as in a robots.txt: CR, LF and CRLF each end one (REP-SYNTAX-4).
#[derive(Debug)]
pub(super) struct Lines {
    starts: Vec<u32>,
    length: usize,
    ends_with_cr: bool,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self { starts: vec![0], length: 0, ends_with_cr: false }
    }

    pub(super) fn pass(&mut self, piece: &[u8]) {
        for (at, &octet) in piece.iter().enumerate() {
            // No more is scanned than fits.
            let next = u32::try_from(self.length + at + 1).unwrap_or(u32::MAX);
            match octet {
                b'\n' if self.ends_with_cr => {
                    if let Some(start) = self.starts.last_mut() {
                        *start = next;
                    }
                }
                b'\n' | b'\r' => self.starts.push(next),
                _ => {}
            }
            self.ends_with_cr = octet == b'\r';
        }
        self.length += piece.len();
    }

    /// Line and column of an offset that has passed.
    pub(super) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|&start| start as usize <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default() as usize;
        Position { line, column: offset.saturating_sub(start) + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_engine_in_any_pieces() {
        let text = b"a\nb\r\n\rc\r\n\n\r\rde";
        let expected = verger::LineIndex::new(text);
        for size in 1..=text.len() {
            let mut lines = Lines::new();
            text.chunks(size).for_each(|piece| lines.pass(piece));
            for offset in 0..text.len() {
                assert_eq!(lines.position(offset), expected.position(offset), "{size} {offset}");
            }
        }
    }
}
