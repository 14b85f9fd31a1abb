//! The text of a file as the editor has it: changes, and positions in its encoding.

use lsp_types::{Position, Range};
use verger::Span;

/// A text, with the starts of its lines.
///
/// Lines end with LF, CRLF or CR, as the protocol and robots.txt say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    content: String,
    /// The offset of each line. The first is 0.
    starts: Vec<usize>,
    /// Whether columns are bytes, and not UTF-16 code units, the default of the protocol.
    is_utf8: bool,
}

impl Text {
    pub(crate) fn new(text: String, is_utf8: bool) -> Self {
        let mut starts = vec![0];
        starts.extend(line_starts(&text));
        Self { content: text, starts, is_utf8 }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.content
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.content.as_bytes()
    }

    /// Replaces the text in a range.
    pub(crate) fn replace(&mut self, range: Range, new: &str) {
        let start = self.offset(range.start);
        let end = self.offset(range.end).max(start);
        self.content.replace_range(start..end, new);
        // The lines from the one above: a new LF continues its CR.
        let first = self.line_of(start.saturating_sub(1));
        let from = self.starts[first];
        self.starts.truncate(first + 1);
        self.starts.extend(line_starts(&self.content[from..]).map(|at| from + at));
    }

    /// The offset of a position: beyond the end of a line its end, inside a character its start.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.content.len() };
        let content = self.line(line);
        let mut left = position.character as usize;
        for (at, c) in content.char_indices() {
            match left.checked_sub(self.width(c)) {
                Some(rest) if left > 0 => left = rest,
                _ => return start + at,
            }
        }
        start + content.len()
    }

    /// The position of an offset: beyond the text its end, inside a character its start.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.content.len());
        while !self.content.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        // Between CR and LF is the end of the line.
        let before = &self.content[self.starts[line]..offset];
        let before = before.trim_end_matches(['\r', '\n']);
        let column: usize = before.chars().map(|c| self.width(c)).sum();
        Position::new(number(line), number(column))
    }

    /// The range of a part.
    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// The index of the line with an offset.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&it| it <= offset).saturating_sub(1)
    }

    /// The offset of the start of a line; the length of the text after the last line.
    pub(crate) fn start_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.content.len())
    }

    /// A line without its end.
    pub(crate) fn line(&self, line: usize) -> &str {
        let whole = &self.content[self.start_of(line)..self.start_of(line + 1)];
        let content = whole.strip_suffix('\n').unwrap_or(whole);
        content.strip_suffix('\r').unwrap_or(content)
    }

    /// The end of the first line that has one; LF without any.
    pub(crate) fn line_end(&self) -> &str {
        let first = self.line(0).len();
        let end = &self.content[first..self.start_of(1)];
        if end.is_empty() { "\n" } else { end }
    }

    const fn width(&self, c: char) -> usize {
        if self.is_utf8 { c.len_utf8() } else { c.len_utf16() }
    }

    /// The number of line ends.
    pub(crate) fn line_count(&self) -> u32 {
        number(self.starts.len() - 1)
    }

    /// The lines with their ends.
    pub(crate) fn lines(&self) -> Vec<&str> {
        let line = |at: usize| &self.content[self.start_of(at)..self.start_of(at + 1)];
        (0..self.starts.len()).map(line).collect()
    }
}

/// The offsets after the line ends of a text.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    (0..bytes.len()).filter_map(move |at| match bytes[at] {
        b'\n' => Some(at + 1),
        b'\r' if bytes.get(at + 1) != Some(&b'\n') => Some(at + 1),
        _ => None,
    })
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
