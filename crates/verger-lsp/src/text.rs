//! The text of a file as the editor has it: changes, and positions in its encoding.

use lsp_types::{Position, Range, TextEdit};
use verger::Span;

/// A text, with the ends of its lines.
///
/// Lines end with LF, CRLF or CR, as the protocol and robots.txt say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) content: String,
    /// The offset after each line end.
    ends: Vec<usize>,
    /// Whether columns are bytes, and not UTF-16 code units, the default of the protocol.
    is_utf8: bool,
}

impl Text {
    pub(crate) fn new(text: String, is_utf8: bool) -> Self {
        Self { ends: line_ends(&text).collect(), content: text, is_utf8 }
    }

    /// Replaces the text in a range.
    pub(crate) fn replace(&mut self, range: Range, new: &str) {
        let start = self.offset(range.start);
        let end = self.offset(range.end).max(start);
        self.content.replace_range(start..end, new);
        // The lines from the one above: a new LF continues its CR.
        let first = self.line_of(start.saturating_sub(1));
        let from = self.start_of(first);
        self.ends.truncate(first);
        self.ends.extend(line_ends(&self.content[from..]).map(|at| from + at));
    }

    /// The offset of a position: beyond the end of a line its end, inside a character its start.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let (start, content) = (self.start_of(line), self.line(line));
        let mut column = 0;
        let before = content.chars().take_while(|c| {
            column += self.width(*c);
            column <= position.character as usize
        });
        start + before.map(char::len_utf8).sum::<usize>()
    }

    /// The position of an offset: beyond the text its end, inside a character its start.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.content.len());
        while !self.content.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        // Between CR and LF is the end of the line.
        let before = &self.content[self.start_of(line)..offset];
        let before = before.trim_end_matches(['\r', '\n']);
        let column: usize = before.chars().map(|c| self.width(c)).sum();
        Position::new(number(line), number(column))
    }

    /// The range of a part.
    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// An edit of a part.
    pub(crate) fn edit(&self, span: Span, new: impl AsRef<[u8]>) -> TextEdit {
        TextEdit::new(self.range(span), String::from_utf8_lossy(new.as_ref()).into_owned())
    }

    /// The index of the line with an offset.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.ends.partition_point(|&it| it <= offset)
    }

    /// The offset of the start of a line; the length of the text after the last line.
    pub(crate) fn start_of(&self, line: usize) -> usize {
        let Some(before) = line.checked_sub(1) else { return 0 };
        self.ends.get(before).copied().unwrap_or(self.content.len())
    }

    /// A line without its end.
    pub(crate) fn line(&self, line: usize) -> &str {
        let whole = &self.content[self.start_of(line)..self.start_of(line.saturating_add(1))];
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
        number(self.ends.len())
    }
}

/// The offsets after the line ends of a text.
fn line_ends(text: &str) -> impl Iterator<Item = usize> {
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
