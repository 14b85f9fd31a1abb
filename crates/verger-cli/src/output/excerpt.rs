//! The lines of the file that decided, marked.

use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::Style;
use verger::dialect::Precedence;
use verger::{Explanation, Position, Span, Standing};

use crate::quote::brief;
use crate::reply::Reply;
use crate::robots_file::RobotsFile;

/// Draws the deciding line and the user-agent line of its group; `None` when no group has a say.
pub(super) fn excerpt(
    reply: &Reply<'_>,
    explanation: &Explanation<'_>,
    has_colour: bool,
) -> Option<String> {
    let verdict = &reply.verdict;
    let group = verdict.group()?;
    let mut marks = Vec::new();
    if let Some(agent) = group.found_by().or_else(|| group.agents().next()) {
        let what = if verdict.rule().is_some() { "" } else { ", of which no rule matches" };
        marks.push(Mark::new(
            reply.file,
            agent.span(),
            Whole::Line,
            format!("the group for `{agent}`{what}"),
        ));
    }
    if let Some(rule) = verdict.rule() {
        let label = decides(reply, explanation);
        marks.push(Mark::new(reply.file, rule.span(), Whole::Value, label));
    }
    let place = marks.last()?.position;
    let level = if verdict.is_allowed() { Level::NOTE } else { Level::ERROR };
    let style = if has_colour { DEFAULT_LINE_NUM_STYLE } else { Style::new() };
    let width = digits(place.line);
    let parts = Part::all(marks, reply.file.robots().text()).into_iter().enumerate();
    let parts = parts.map(|(at, part)| {
        let indent = " ".repeat(width.saturating_sub(digits(part.last)));
        let drawn = part.draw(&level, has_colour);
        // Each begins with an empty line, and between two of them stands another one.
        let lines = drawn.lines().skip(usize::from(at > 0));
        lines.map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
    });
    let drawn = parts.collect::<Vec<_>>().join(&format!("\n{style}...{style:#}\n"));
    // The place is counted in the bytes of the file, not in the escaped text below it.
    let indent = " ".repeat(width);
    let Position { line, column } = place;
    Some(format!("{indent}{style}-->{style:#} {}:{line}:{column}\n{drawn}", reply.file.name()))
}

/// How much of its line is marked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Line,
    Value,
}

/// A line of the file, fit to be shown, and what is marked on it.
struct Mark {
    position: Position,
    /// Where the line begins in the file.
    start: usize,
    line: String,
    /// Bytes of the shown line.
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
        // A place in the shown line is the length of what is shown before it.
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

/// Marked lines with at most one line between them. The renderer keeps much for each line that it is
/// given and leaves out, so lines far apart are drawn apart.
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

fn decides(reply: &Reply<'_>, explanation: &Explanation<'_>) -> String {
    let decider = explanation.contenders.iter().find(|it| it.standing == Standing::Decides);
    match (decider, reply.file.robots().dialect().precedence) {
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

/// The line above the one that begins at this offset.
fn line_before(text: &[u8], start: usize) -> &[u8] {
    let above = text.get(..start).unwrap_or_default();
    let above = above.strip_suffix(b"\n").unwrap_or(above);
    let above = above.strip_suffix(b"\r").unwrap_or(above);
    let end = above.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    &above[end.map_or(0, |end| end + 1)..]
}

/// The last place in a text, up to this one, where a character begins.
fn floor(text: &str, place: usize) -> usize {
    let place = place.min(text.len());
    (0..=place).rev().find(|&place| text.is_char_boundary(place)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asker::Asker;
    use verger::Dialect;
    use verger::limits::QUOTED_CHARS;

    #[track_caller]
    fn check(robots: impl AsRef<[u8]>, url: &str, expected: &str) {
        let file = RobotsFile::parse("r.txt".into(), robots.as_ref(), &Dialect::RFC9309);
        let asker = Asker::chain(vec!["GPTBot".into()]);
        let reply = Reply::ask(url.as_bytes(), &asker, &file, true);
        let found = excerpt(&reply, reply.explanation.as_ref().unwrap(), false);
        // The expected text begins on a line of its own, because its first line is indented.
        assert_eq!(found.unwrap_or_default(), expected.trim_start_matches('\n'));
    }

    #[test]
    fn lines_far_apart_are_folded_and_one_between_is_shown() {
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
    fn any_number_of_lines_is_left_out() {
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
    fn marks_stand_right_under_escaped_text() {
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
    fn a_place_is_moved_to_where_a_character_begins() {
        assert_eq!([0, 1, 2, 3, 9].map(|place| floor("aéb", place)), [0, 1, 1, 3, 4]);
    }
}
