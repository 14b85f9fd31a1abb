//! Excerpts of a text with marked places.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::Style;
use verger::diagnostic::Severity;
use verger::limits::QUOTED_CHARS;
use verger::{LineIndex, Position, Span, Untrusted};

use super::Colour;
use crate::limits::CHARS_BEFORE_MARK;

/// Lines of a text with marked places.
///
/// Lines are escaped and cut. Distant lines are separated by `...`.
///
/// # Examples
///
/// ```
/// use verger::diagnostic::Severity;
/// use verger::{LineIndex, Span};
/// use verger_lint::render::{Colour, Excerpt, Mark};
///
/// let text = b"User-agent: *\nDisallow: /cart\n";
/// let lines = LineIndex::new(text);
/// let mark = Mark::of(Span { start: 24, end: 29 }).label("decides");
/// let excerpt = Excerpt::new(text, &lines, mark);
/// assert_eq!(
///     excerpt.draw(b"robots.txt", Severity::Note, Colour::None),
///     "\
/// \x20--> robots.txt:2:11
/// \x20 |
/// 2 | Disallow: /cart
/// \x20 |           ^^^^^ decides",
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Excerpt<'a> {
    text: &'a [u8],
    index: &'a LineIndex,
    place: Position,
    lines: BTreeMap<usize, Line>,
}

/// A place of the text that is marked. Of several lines, only the first is marked.
#[derive(Clone, Debug)]
pub struct Mark {
    span: Span,
    is_whole: bool,
    label: String,
}

impl Mark {
    /// Marks these bytes.
    pub const fn of(span: Span) -> Self {
        Self { span, is_whole: false, label: String::new() }
    }

    /// A remark beside the mark, which is escaped already.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }

    /// Begins the mark at the start of the line.
    #[must_use]
    pub fn from_line_start(self) -> Self {
        Self { is_whole: true, ..self }
    }
}

/// A line with marks.
#[derive(Clone, Debug)]
struct Line {
    /// Offsets in the text, without the line end.
    span: Span,
    /// The start of the part that is shown.
    from: usize,
    marks: Vec<(AnnotationKind, Mark)>,
}

impl<'a> Excerpt<'a> {
    /// An excerpt around one place, which is also the position in the first line of the drawing.
    pub fn new(text: &'a [u8], lines: &'a LineIndex, mark: Mark) -> Self {
        let place = lines.position(mark.span.start);
        let excerpt = Self { text, index: lines, place, lines: BTreeMap::new() };
        excerpt.add(AnnotationKind::Primary, mark)
    }

    /// Adds another place.
    #[must_use]
    pub fn with(self, mark: Mark) -> Self {
        self.add(AnnotationKind::Context, mark)
    }

    fn add(mut self, kind: AnnotationKind, mark: Mark) -> Self {
        let Position { line, column } = self.index.position(mark.span.start);
        let start = mark.span.start - (column - 1);
        let text = self.text;
        let line = self.lines.entry(line).or_insert_with(|| {
            let span = Span { start, end: end_of_line(text, mark.span.start) };
            let from = if mark.is_whole { start } else { start_of_part(text, span, mark.span) };
            Line { span, from, marks: Vec::new() }
        });
        line.marks.push((kind, mark));
        self
    }

    /// The number of digits of the highest line number.
    pub(super) fn width(&self) -> usize {
        self.lines.keys().next_back().map_or(1, |line| digits(*line))
    }

    /// Draws the excerpt, without a line end after the last line.
    pub fn draw(&self, name: &[u8], severity: Severity, colour: Colour) -> String {
        let style = match colour {
            Colour::Ansi => DEFAULT_LINE_NUM_STYLE,
            Colour::None => Style::new(),
        };
        let width = self.width();
        let parts = self.parts().into_iter().enumerate().map(|(at, part)| {
            let indent = " ".repeat(width.saturating_sub(digits(part.last)));
            let drawn = part.draw(severity, colour);
            // Each part begins with an empty line; between two parts there is another line.
            let lines = drawn.lines().skip(usize::from(at > 0));
            lines.map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
        });
        let drawn = parts.collect::<Vec<_>>().join(&format!("\n{style}...{style:#}\n"));
        // The position is in bytes of the file, not of the escaped text.
        let (indent, name) = (" ".repeat(width), Untrusted::new(name));
        let Position { line, column } = self.place;
        format!("{indent}{style}-->{style:#} {name}:{line}:{column}\n{drawn}")
    }

    fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (&number, line) in &self.lines {
            match parts.last_mut() {
                Some(part) if number == part.last + 1 => part.text.push('\n'),
                Some(part) if number == part.last + 2 => {
                    let between = brief(line_before(self.text, line.span.start)).to_string();
                    part.text.extend(["\n", &between, "\n"]);
                }
                _ => {
                    parts.push(Part { text: String::new(), first: number, last: 0, notes: vec![] });
                }
            }
            if let Some(part) = parts.last_mut() {
                part.push(number, line, self.text);
            }
        }
        parts
    }
}

/// Marked lines with at most one line between them. Distant lines are drawn separately, because the
/// renderer needs much memory for each line, even for lines that it omits.
struct Part {
    text: String,
    first: usize,
    last: usize,
    notes: Vec<Note>,
}

struct Note {
    kind: AnnotationKind,
    span: Range<usize>,
    label: String,
}

impl Part {
    fn push(&mut self, number: usize, line: &Line, text: &[u8]) {
        let cut = if line.from > line.span.start { "…" } else { "" };
        let part = &text[line.from..line.span.end];
        let shown = format!("{cut}{}", brief(part));
        // An offset in the escaped line is the escaped length of the text before it.
        let place = |offset: usize| {
            let offset = offset.clamp(line.from, line.span.end);
            let before = brief(&part[..offset - line.from]).to_string();
            floor(&shown, cut.len() + before.len())
        };
        let from = self.text.len();
        for (kind, mark) in &line.marks {
            let start = if mark.is_whole { 0 } else { place(mark.span.start) };
            let span = from + start..from + place(mark.span.end).max(start);
            self.notes.push(Note { kind: *kind, span, label: mark.label.clone() });
        }
        self.text.push_str(&shown);
        self.last = number;
    }

    fn draw(self, severity: Severity, colour: Colour) -> String {
        let level = match severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut snippet = Snippet::source(self.text).line_start(self.first);
        for Note { kind, span, label } in self.notes {
            let annotation = kind.span(span);
            let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
            snippet = snippet.annotation(annotation);
        }
        let renderer = if colour == Colour::Ansi { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[Group::with_level(level).element(snippet)])
    }
}

/// Foreign text, escaped and cut.
fn brief(text: &[u8]) -> Untrusted<'_> {
    Untrusted::new(text).limited_to(QUOTED_CHARS)
}

/// The start of the shown part of a line: the line, or a place before a mark far to the right.
fn start_of_part(text: &[u8], line: Span, mark: Span) -> usize {
    let end = mark.end.min(line.end).max(mark.start);
    if end - line.start <= QUOTED_CHARS {
        return line.start;
    }
    let from = mark.start.saturating_sub(CHARS_BEFORE_MARK).max(line.start);
    // Between characters.
    let is_inside = |byte: &&u8| (0x80..0xC0).contains(*byte);
    from + text[from..mark.start].iter().take_while(is_inside).count()
}

fn digits(number: usize) -> usize {
    number.to_string().len()
}

fn end_of_line(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    from + length.unwrap_or(rest.len())
}

/// The line before the line that begins at this offset.
fn line_before(text: &[u8], start: usize) -> &[u8] {
    let above = text.get(..start).unwrap_or_default();
    let above = above.strip_suffix(b"\n").unwrap_or(above);
    let above = above.strip_suffix(b"\r").unwrap_or(above);
    let end = above.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    &above[end.map_or(0, |end| end + 1)..]
}

/// The last boundary between characters at or before this offset.
fn floor(text: &str, place: usize) -> usize {
    let place = place.min(text.len());
    (0..=place).rev().find(|&place| text.is_char_boundary(place)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws an excerpt with the marks of these texts, the last one first.
    fn drawn(text: &[u8], marked: &[&[u8]]) -> String {
        let index = LineIndex::new(text);
        let mut marks = marked.iter().rev().map(|wanted| {
            let start = text.windows(wanted.len()).position(|part| part == *wanted).unwrap();
            Mark::of(Span { start, end: start + wanted.len() })
        });
        let excerpt = Excerpt::new(text, &index, marks.next().unwrap());
        marks.fold(excerpt, Excerpt::with).draw(b"r.txt", Severity::Note, Colour::None)
    }

    #[test]
    fn marks_can_be_below_the_first_one_or_on_the_same_line() {
        let text = b"User-agent: *\nDisallow: /a /b\n# c\nAllow: /d\n";
        assert_eq!(
            drawn(text, &[b"/d", b"/b", b"/a"]),
            [
                " --> r.txt:2:11",
                "  |",
                "2 | Disallow: /a /b",
                "  |           ^^ --",
                "3 | # c",
                "4 | Allow: /d",
                "  |        --",
            ]
            .join("\n")
        );
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let text = format!("Disallow: /{}mark{}\n", "é".repeat(1000), "è".repeat(1000));
        let drawn = drawn(text.as_bytes(), &[b"mark"]);
        let line = drawn.lines().nth(2).unwrap();
        assert!(line.starts_with("1 | …é") && line.ends_with("è..."), "{line}");
        assert!(line.chars().count() < QUOTED_CHARS + 8, "{line}");
        let place = line.chars().position(|c| c == 'm').unwrap();
        assert_eq!(drawn.lines().nth(3).unwrap().find("^^^^"), Some(place));
    }

    #[test]
    fn a_mark_longer_than_the_line_is_cut() {
        let text = format!("Disallow: /{}\n", "é".repeat(1000));
        let marked = text.trim_end().split_at(10).1;
        let drawn = drawn(text.as_bytes(), &[marked.as_bytes()]);
        let last = drawn.lines().next_back().unwrap();
        assert!(last.ends_with('^') && last.chars().count() < QUOTED_CHARS + 8, "{drawn}");
    }

    #[test]
    fn an_offset_is_moved_to_a_boundary_between_characters() {
        assert_eq!([0, 1, 2, 3, 9].map(|place| floor("aéb", place)), [0, 1, 1, 3, 4]);
    }
}
