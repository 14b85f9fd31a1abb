//! A report as headings and items, written as text or Markdown.
//!
//! Foreign text is always a [`Part::Code`]: in Markdown a code span, in which nothing is markup,
//! a link, or a mention.

use std::fmt::Write as _;
use std::io::{self, Write};

use verger_analysis::Direction;

use crate::console::Palette;
use crate::sentence::brief;

/// A report.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    lines: Vec<(Level, Vec<Part>)>,
}

/// The level of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Title,
    Heading,
    Paragraph,
    Item,
    Detail,
}

/// A part of a line.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// The program's words.
    Words(String),
    /// Foreign text, escaped and cut.
    Code(String),
    /// A sentence that quotes foreign text: as such in text, as foreign text in Markdown.
    Quoting(String),
    /// The direction of a change.
    Direction(Direction),
}

/// The program's words.
pub(super) fn words(text: impl Into<String>) -> Part {
    Part::Words(text.into())
}

/// Foreign text.
pub(super) fn code<T: AsRef<[u8]> + ?Sized>(text: &T) -> Part {
    Part::Code(brief(text).to_string())
}

impl Outline {
    pub(super) fn push(&mut self, level: Level, parts: impl IntoIterator<Item = Part>) {
        self.lines.push((level, parts.into_iter().collect()));
    }

    /// Adds the lines of another report.
    pub(super) fn append(&mut self, mut other: Self) {
        self.lines.append(&mut other.lines);
    }

    /// Writes the report as text.
    pub(crate) fn write_text(&self, out: &mut impl Write, palette: Palette) -> io::Result<()> {
        for (at, (level, parts)) in self.lines.iter().enumerate() {
            let indent = match level {
                Level::Heading if at > 0 => "\n",
                Level::Title | Level::Heading | Level::Paragraph => "",
                Level::Item => "  ",
                Level::Detail => "    ",
            };
            let mut line = indent.to_owned();
            for part in parts {
                // Writing to a string does not fail.
                let _ = match part {
                    Part::Words(text) | Part::Quoting(text) => write!(line, "{text}"),
                    Part::Code(text) => write!(line, "`{text}`"),
                    Part::Direction(direction) => {
                        let style = match direction {
                            Direction::Opened => palette.allow,
                            Direction::Closed => palette.disallow,
                        };
                        write!(line, "{style}{}{style:#}", direction.name())
                    }
                };
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    /// Writes the report as Markdown.
    pub(crate) fn write_markdown(&self, out: &mut impl Write) -> io::Result<()> {
        let mut last = None;
        for (level, parts) in &self.lines {
            let is_list = |level: Level| matches!(level, Level::Item | Level::Detail);
            if last.is_some_and(|last| !(is_list(last) && is_list(*level))) {
                writeln!(out)?;
            }
            last = Some(*level);
            let mut line = match level {
                Level::Title => "### ",
                Level::Heading => "#### ",
                Level::Paragraph => "",
                Level::Item => "- ",
                Level::Detail => "  - ",
            }
            .to_owned();
            for part in parts {
                let _ = match part {
                    Part::Words(text) => write!(line, "{text}"),
                    Part::Code(text) | Part::Quoting(text) => write!(line, "{}", code_span(text)),
                    Part::Direction(direction) => write!(line, "**{}**", direction.name()),
                };
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// A code span of Markdown: its fence is longer than each run of backticks in the text. Spaces keep
/// backticks apart from the fence; Markdown removes one at each end.
fn code_span(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default() + 1);
    if text.is_empty() {
        // There is no empty code span.
        return "(empty)".to_owned();
    }
    let needs_space = |c: Option<char>| matches!(c, Some('`' | ' '));
    let space =
        if needs_space(text.chars().next()) || needs_space(text.chars().last()) { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_hold_any_text() {
        for (text, expected) in [
            ("/a", "`/a`"),
            ("<img src=x>[a](b)*@x*", "`<img src=x>[a](b)*@x*`"),
            ("`", "`` ` ``"),
            ("a``b`", "``` a``b` ```"),
            (" a ", "`  a  `"),
            ("", "(empty)"),
        ] {
            assert_eq!(code_span(text), expected);
        }
    }

    #[test]
    fn an_outline_has_two_forms() {
        let mut outline = Outline::default();
        outline.push(Level::Title, [words("From "), code("a\n")]);
        outline.push(Level::Heading, [code("*")]);
        outline.push(Level::Item, [Part::Direction(Direction::Closed), words(": "), code("/x")]);
        outline.push(Level::Detail, [words("now")]);
        outline.push(Level::Heading, [words("End")]);
        let mut out = Vec::new();
        outline.write_text(&mut out, Palette::default()).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "From `a\\n`\n\n`*`\n  closed: `/x`\n    now\n\nEnd\n"
        );
        let mut out = Vec::new();
        outline.write_markdown(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "### From `a\\n`\n\n#### `*`\n\n- **closed**: `/x`\n  - now\n\n#### End\n"
        );
    }
}
