//! Diagnostics and positions.

use verger::diagnostic::{Diagnostic, DiagnosticKind, Diagnostics};
use verger::{LineIndex, Position, Robots, limits};

use super::events::{Seen, lines};

/// Compares diagnostics with the text, and the functions that return them with each other.
pub(super) fn check(robots: &Robots, seen: &Seen) {
    let dialect = robots.dialect();
    let Diagnostics { list, total, .. } = robots.diagnostics();
    assert_eq!(list.len(), total.min(limits::DIAGNOSTICS), "{dialect}");
    let mut all: Vec<Diagnostic> = Vec::new();
    robots.diagnose(|found| all.push(found));
    assert_eq!(all.len(), total, "{dialect}");
    assert!(all.starts_with(&list), "{dialect}");

    let places = Places::new(robots);
    let mut line = 0;
    for found in &all {
        let span = found.span;
        assert!(span.start <= span.end && span.end <= robots.text().len(), "{found:?}");
        assert!(!found.code().is_empty() && !found.severity().name().is_empty());
        if is_about_the_file(found.kind) {
            assert_eq!(line, 0, "{dialect}: {found:?} comes late");
            continue;
        }
        let here = places.index(span.start).line;
        assert!(line <= here, "{dialect}: {found:?} is out of order");
        line = here;
    }
    for span in seen.lines.iter().chain(&seen.agents) {
        places.index(span.start);
        places.index(span.end);
    }
    let found = list.iter().take(4).map(|found| found.span.start);
    for offset in found.chain([0, super::start(robots), robots.text().len()]) {
        places.check(robots, offset);
    }
}

fn is_about_the_file(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::Truncated
            | DiagnosticKind::CountsAsNone
            | DiagnosticKind::Utf16
            | DiagnosticKind::Utf32
            | DiagnosticKind::ManyNuls
            | DiagnosticKind::LooksLikeHtml
    )
}

/// Three conversions of an offset to a line and a column.
struct Places {
    index: LineIndex,
    /// Starts of lines, including an empty one after a final line end.
    starts: Vec<usize>,
}

impl Places {
    fn new(robots: &Robots) -> Self {
        let text = robots.text();
        let index = LineIndex::new(text);
        let mut starts: Vec<usize> = lines(text, 0).iter().map(|line| line.start).collect();
        if matches!(text.last(), None | Some(b'\n' | b'\r')) {
            starts.push(text.len());
        }
        assert_eq!(index.line_count(), starts.len());
        Self { index, starts }
    }

    /// By counting, and by the index.
    fn check(&self, robots: &Robots, offset: usize) -> Position {
        let position = self.index(offset);
        assert_eq!(robots.position(offset), position, "offset {offset}");
        position
    }

    /// By the index, and back.
    fn index(&self, offset: usize) -> Position {
        let position = self.index.position(offset);
        let Position { line, column } = position;
        assert_eq!(self.starts[line - 1] + column - 1, offset, "{position:?}");
        assert!(self.starts.get(line).is_none_or(|&next| offset < next), "{position:?}");
        position
    }
}
