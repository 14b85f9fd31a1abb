//! The text of a file as the editor has it: changes, and positions in its encoding.

use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};
use verger::Span;

/// The unit in which an editor counts columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units: the default of the protocol.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The best encoding that an editor offers: bytes, because no conversion is needed.
    pub(crate) fn of(offered: Option<&[PositionEncodingKind]>) -> Self {
        let has = |kind: PositionEncodingKind| offered.is_some_and(|them| them.contains(&kind));
        match () {
            () if has(PositionEncodingKind::UTF8) => Self::Utf8,
            () if !has(PositionEncodingKind::UTF16) && has(PositionEncodingKind::UTF32) => {
                Self::Utf32
            }
            () => Self::Utf16,
        }
    }

    pub(crate) const fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    const fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text, with the starts of its lines.
///
/// Lines end with LF, CRLF or CR, as the protocol and robots.txt say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    content: String,
    /// The offset of each line. The first is 0.
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Text {
    pub(crate) fn new(text: String, encoding: Encoding) -> Self {
        let mut starts = vec![0];
        starts.extend(line_starts(&text));
        Self { content: text, starts, encoding }
    }

    /// Another text in the same encoding.
    pub(crate) fn with_text(&self, text: String) -> Self {
        Self::new(text, self.encoding)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.content
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.content.as_bytes()
    }

    /// Applies a change. A change without a range replaces the whole text.
    pub(crate) fn apply(&mut self, change: TextDocumentContentChangeEvent) {
        let Some(range) = change.range else {
            *self = Self::new(change.text, self.encoding);
            return;
        };
        let start = self.offset(range.start);
        let end = self.offset(range.end).max(start);
        let mut text = std::mem::take(&mut self.content);
        text.replace_range(start..end, &change.text);
        *self = Self::new(text, self.encoding);
    }

    /// The offset of a position: beyond the end of a line its end, inside a character its start.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.content.len() };
        let content = self.line(line);
        let mut left = position.character as usize;
        for (at, c) in content.char_indices() {
            match left.checked_sub(self.encoding.width(c)) {
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
        let column: usize = before.chars().map(|c| self.encoding.width(c)).sum();
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

    /// The range of the whole text.
    pub(crate) fn whole(&self) -> Range {
        self.range(Span { start: 0, end: self.content.len() })
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
