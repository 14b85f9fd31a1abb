//! An excerpt of the file with the deciding lines marked.

use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::Style;
use verger::dialect::Precedence;
use verger::{Explanation, Position, Span, Standing};

use crate::answer::Answer;
use crate::robots_file::RobotsFile;
use crate::sentence::brief;

/// Draws the deciding line and the user-agent line of its group; `None` if no group applies.
pub(super) fn excerpt(
    answer: &Answer<'_>,
    explanation: &Explanation<'_>,
    has_colour: bool,
) -> Option<String> {
    let verdict = &answer.verdict;
    let group = verdict.group()?;
    let mut marks = Vec::new();
    if let Some(agent) = group.found_by().or_else(|| group.agents().next()) {
        let no_match = if verdict.rule().is_some() { "" } else { ", of which no rule matches" };
        marks.push(Mark::new(
            answer.file,
            agent.span(),
            Whole::Line,
            format!("the group for `{agent}`{no_match}"),
        ));
    }
    if let Some(rule) = verdict.rule() {
        let label = decides(answer, explanation);
        marks.push(Mark::new(answer.file, rule.span(), Whole::Value, label));
    }
    let place = marks.last()?.position;
    let level = if verdict.is_allowed() { Level::NOTE } else { Level::ERROR };
    let style = if has_colour { DEFAULT_LINE_NUM_STYLE } else { Style::new() };
    let width = digits(place.line);
    let parts = Part::all(marks, answer.file.robots().text()).into_iter().enumerate();
    let parts = parts.map(|(at, part)| {
        let indent = " ".repeat(width.saturating_sub(digits(part.last)));
        let drawn = part.draw(&level, has_colour);
        // Each part begins with an empty line; between two parts there is another line.
        let lines = drawn.lines().skip(usize::from(at > 0));
        lines.map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
    });
    let drawn = parts.collect::<Vec<_>>().join(&format!("\n{style}...{style:#}\n"));
    // The position is in bytes of the file, not of the escaped text.
    let indent = " ".repeat(width);
    let Position { line, column } = place;
    Some(format!("{indent}{style}-->{style:#} {}:{line}:{column}\n{drawn}", answer.file.name()))
}

/// The marked part of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Line,
    Value,
}

/// A line of the file, escaped, with its marked part.
struct Mark {
    position: Position,
    /// Offset of the line in the file.
    start: usize,
    line: String,
    /// Marked bytes of the escaped line.
    span: Range<usize>,
    label: String,
}

impl Mark {
    fn new(file: &RobotsFile, value: Span, whole: Whole, label: String) -> Self {
        let text = file.robots().text();
        let position = file.position(value.start);
        let start = value.start - (position.column - 1);
        let line = &text[start..end_of_line(text, value.end)];
        let shown = brief(line).to_string();
        // An offset in the escaped line is the escaped length of the text before it.
        let place = |offset: usize| {
            let before = brief(&line[..offset - start]).to_string();
            floor(&shown, before.len())
        };
        let span = match whole {
            Whole::Line => 0..place(value.end),
            Whole::Value => place(value.start)..place(value.end),
        };
        Self { position, start, line: shown, span, label }
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
    fn all(marks: Vec<Mark>, text: &[u8]) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        let last = marks.len() - 1;
        for (at, mark) in marks.into_iter().enumerate() {
            let kind = if at == last { AnnotationKind::Primary } else { AnnotationKind::Context };
            let line = mark.position.line;
            match parts.last_mut() {
                Some(part) if line == part.last + 1 => part.text.push('\n'),
                Some(part) if line == part.last + 2 => {
                    let between = brief(line_before(text, mark.start)).to_string();
                    part.text.extend(["\n", &between, "\n"]);
                }
                _ => parts.push(Self {
                    text: String::new(),
                    first: line,
                    last: line,
                    notes: Vec::new(),
                }),
            }
            if let Some(part) = parts.last_mut() {
                part.push(mark, kind);
            }
        }
        parts
    }

    fn push(&mut self, mark: Mark, kind: AnnotationKind) {
        let from = self.text.len();
        self.text.push_str(&mark.line);
        self.last = mark.position.line;
        let span = from + mark.span.start..from + mark.span.end;
        self.notes.push(Note { kind, span, label: mark.label });
    }

    fn draw(self, level: &Level<'static>, has_colour: bool) -> String {
        let mut snippet = Snippet::source(self.text).line_start(self.first);
        for Note { kind, span, label } in self.notes {
            snippet = snippet.annotation(kind.span(span).label(label));
        }
        let renderer = if has_colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[Group::with_level(level.clone()).element(snippet)])
    }
}

fn digits(number: usize) -> usize {
    number.to_string().len()
}

fn decides(answer: &Answer<'_>, explanation: &Explanation<'_>) -> String {
    let decider = explanation.contenders.iter().find(|it| it.standing == Standing::Decides);
    match (decider, answer.file.robots().dialect().precedence) {
        (Some(decider), Precedence::LongestPattern) => {
            let by_directory = if decider.by_directory { " by its directory" } else { "" };
            format!("decides{by_directory} (length {})", decider.length)
        }
        _ => "decides".to_owned(),
    }
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
    use verger::Dialect;
    use verger::limits::QUOTED_CHARS;
    use verger_json::NamedCrawler;

    #[track_caller]
    fn check(robots: impl AsRef<[u8]>, url: &str, expected: &str) {
        let file = RobotsFile::parse("r.txt".into(), robots.as_ref(), &Dialect::RFC9309);
        let crawler = NamedCrawler::chain(vec!["GPTBot".into()]);
        let answer = Answer::of_file(url.as_bytes(), &crawler, &file, true);
        let found = excerpt(&answer, answer.explanation.as_ref().unwrap(), false);
        // The expected text begins on a separate line, because its first line is indented.
        assert_eq!(found.unwrap_or_default(), expected.trim_start_matches('\n'));
    }

    #[test]
    fn distant_lines_are_folded_and_a_single_line_between_is_shown() {
        check(
            "User-agent: a\nUser-agent: *\r\n# a comment\rDisallow: /x # y\n",
            "/x",
            "
 --> r.txt:4:11
  |
2 | User-agent: *
  | ------------- the group for `*`
3 | # a comment
4 | Disallow: /x # y
  |           ^^ decides (length 2)",
        );
        check(
            "User-agent: *\nDisallow: /a\nDisallow: /b\n\nDisallow: /c",
            "/c",
            "
 --> r.txt:5:11
  |
1 | User-agent: *
  | ------------- the group for `*`
...
5 | Disallow: /c
  |           ^^ decides (length 2)",
        );
    }

    #[test]
    fn any_number_of_lines_is_omitted() {
        check(
            format!("User-agent: *\n{}Disallow: /c", "\n".repeat(100_000)),
            "/c",
            "
      --> r.txt:100002:11
       |
     1 | User-agent: *
       | ------------- the group for `*`
...
100002 | Disallow: /c
       |           ^^ decides (length 2)",
        );
    }

    #[test]
    fn a_group_without_a_matching_rule_is_shown_alone() {
        check(
            "User-agent: *\nDisallow: /a\n",
            "/x",
            "
 --> r.txt:1:13
  |
1 | User-agent: *
  | ^^^^^^^^^^^^^ the group for `*`, of which no rule matches",
        );
        check("", "/x", "");
    }

    #[test]
    fn marks_are_aligned_with_escaped_text() {
        check(
            b"User-agent: *\n\x1b]0;\xff\tDisallow: /\n\tDisallow:\t\t/\xe9\x1b[2J # \x07\n",
            "/%E9%1B[2J",
            r"
 --> r.txt:3:13
  |
1 | User-agent: *
  | ------------- the group for `*`
2 | \x1b]0;\xff\tDisallow: /
3 | \tDisallow:\t\t/\xe9\x1b[2J # \x07
  |                ^^^^^^^^^^^^ decides (length 10)",
        );
    }

    #[test]
    fn a_long_line_is_cut() {
        let robots = format!("User-agent: *\nDisallow: /{}\n", "é".repeat(1000));
        let file = RobotsFile::parse("r.txt".into(), robots.as_bytes(), &Dialect::RFC9309);
        let rule = file.robots().groups().next().unwrap().rules().next().unwrap();
        let mark = Mark::new(&file, rule.span(), Whole::Value, String::new());
        assert_eq!(mark.line.chars().count(), QUOTED_CHARS + 1);
        assert_eq!(mark.span, 10..mark.line.len());
        let comment = format!("User-agent: *\nDisallow:{}/x\n", " ".repeat(1000));
        let file = RobotsFile::parse("r.txt".into(), comment.as_bytes(), &Dialect::RFC9309);
        let rule = file.robots().groups().next().unwrap().rules().next().unwrap();
        let mark = Mark::new(&file, rule.span(), Whole::Value, String::new());
        assert!(mark.span.is_empty() && mark.line.is_char_boundary(mark.span.start));
    }

    #[test]
    fn an_offset_is_moved_to_a_boundary_between_characters() {
        assert_eq!([0, 1, 2, 3, 9].map(|place| floor("aéb", place)), [0, 1, 1, 3, 4]);
    }
}
