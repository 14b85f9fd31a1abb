//! A report with the name of its file, and positions in its text.

use verger::{LineIndex, Position};

use crate::Report;

/// A report with the name of its file: the input of all renderers.
///
/// # Examples
///
/// ```
/// use verger_lint::{NamedReport, Settings, lint};
///
/// let report = lint(b"User-agent: *\nDissalow: /cart\n", &Settings::default());
/// let report = NamedReport::new("robots.txt", report);
/// let span = report.report().findings[0].span;
/// assert_eq!((report.position(span.start).line, report.position(span.start).column), (2, 1));
/// ```
#[derive(Clone, Debug)]
pub struct NamedReport {
    name: Vec<u8>,
    report: Report,
    lines: LineIndex,
}

impl NamedReport {
    /// A report of the file with this name: a path, a URL, or `<stdin>`. Any bytes are allowed;
    /// renderers escape them.
    pub fn new(name: impl Into<Vec<u8>>, report: Report) -> Self {
        let lines = LineIndex::new(&report.text);
        Self { name: name.into(), report, lines }
    }

    /// The name as given.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The report.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// The starts of the lines of the text.
    pub const fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Line and column of an offset in the text, from 1; the column is in bytes.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(offset)
    }

    /// Line and column of an offset in the text, from 1; the column is in UTF-16 code units, as
    /// SARIF and editors count. A byte that is not UTF-8 counts as one, a byte order mark as none.
    pub fn utf16_position(&self, offset: usize) -> Position {
        let Position { line, column } = self.position(offset);
        let start = offset - (column - 1);
        let before = self.report.text.get(start..offset).unwrap_or_default();
        let before = match before.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) if start == 0 => rest,
            _ => before,
        };
        let units = |chunk: std::str::Utf8Chunk<'_>| {
            chunk.valid().encode_utf16().count() + chunk.invalid().len()
        };
        Position { line, column: before.utf8_chunks().map(units).sum::<usize>() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, lint};

    #[test]
    fn columns_are_counted_in_bytes_and_in_utf_16() {
        let text = "\u{feff}a\r\né\u{1f600}x\rb".as_bytes();
        let report = NamedReport::new("r", lint(text, &Settings::default()));
        let at = |wanted: &str| {
            let offset = str::from_utf8(text).unwrap().find(wanted).unwrap();
            let place = |position: Position| (position.line, position.column);
            (place(report.position(offset)), place(report.utf16_position(offset)))
        };
        assert_eq!(at("a"), ((1, 4), (1, 1)));
        assert_eq!(at("x"), ((2, 7), (2, 4)));
        assert_eq!(at("b"), ((3, 1), (3, 1)));
        let report = NamedReport::new("r", lint(b"\xff\xe2\x82x", &Settings::default()));
        assert_eq!(report.utf16_position(3).column, 4);
    }
}
