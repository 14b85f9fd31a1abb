//! A page: headings, sentences, tables and charts; as Markdown for a file, or as text for a terminal.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::table::Table;
use crate::Result;

/// An element of a page.
#[derive(Clone, Debug)]
enum Part {
    Heading(String),
    Text(String),
    Table(Table),
    Chart(Chart),
}

/// A picture in a separate file.
#[derive(Clone, Debug)]
struct Chart {
    /// File name without folder.
    file: String,
    /// Alternative text.
    alternative: String,
    svg: String,
}

/// Elements in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    parts: Vec<Part>,
}

impl Page {
    pub(crate) fn heading(&mut self, text: &str) {
        self.parts.push(Part::Heading(text.to_owned()));
    }

    /// A paragraph, wrapped at the width of a line.
    pub(crate) fn text(&mut self, text: impl AsRef<str>) {
        self.parts.push(Part::Text(wrapped(text.as_ref())));
    }

    /// A list, unless it is empty.
    pub(crate) fn list(&mut self, items: &[String]) {
        if !items.is_empty() {
            let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
            self.parts.push(Part::Text(items.join("\n")));
        }
    }

    pub(crate) fn table(&mut self, table: Table) {
        self.parts.push(Part::Table(table));
    }

    pub(crate) fn chart(&mut self, file: &str, alternative: impl Into<String>, svg: String) {
        self.parts.push(Part::Chart(Chart {
            file: file.to_owned(),
            alternative: alternative.into(),
            svg,
        }));
    }

    /// The text for a terminal: without pictures.
    fn as_text(&self) -> String {
        self.write(|_| None)
    }

    /// Prints it on standard output, or writes it and its pictures to `docs/`.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written.
    pub(crate) fn publish(&self, command: &str, to_docs: bool) -> Result {
        if !to_docs {
            print!("{}", self.as_text());
            return Ok(());
        }
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let message = |error: std::io::Error| format!("{}: {error}", docs.display());
        let show =
            |chart: &Chart| Some(format!("![{}](performance/{})", chart.alternative, chart.file));
        let text = format!("<!-- Written by `{command}`. Do not edit. -->\n\n{}", self.write(show));
        fs::write(docs.join("performance.md"), text).map_err(message)?;
        for part in &self.parts {
            if let Part::Chart(chart) = part {
                let charts = docs.join("performance");
                fs::create_dir_all(&charts).map_err(message)?;
                fs::write(charts.join(&chart.file), &chart.svg).map_err(message)?;
            }
        }
        eprintln!("written: docs/performance.md");
        Ok(())
    }

    fn write(&self, show: impl Fn(&Chart) -> Option<String>) -> String {
        let mut out = String::new();
        for (number, part) in self.parts.iter().enumerate() {
            let text = match part {
                Part::Heading(text) => {
                    let level = if number == 0 { "#" } else { "##" };
                    format!("{level} {text}")
                }
                Part::Text(text) => text.clone(),
                Part::Table(table) => table.to_string().trim_end().to_owned(),
                Part::Chart(chart) => match show(chart) {
                    Some(text) => text,
                    None => continue,
                },
            };
            let gap = if number == 0 { "" } else { "\n" };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{gap}{text}");
        }
        out
    }
}

/// Maximum length of a line of text.
const COLUMNS: usize = 100;

fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > COLUMNS {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        let text = wrapped(&"word ".repeat(100));
        assert!(text.lines().all(
            |line| line.len() <= COLUMNS && line.len() > COLUMNS - 6 || line.ends_with("word")
        ));
        assert_eq!(text.split_whitespace().count(), 100);
    }

    #[test]
    fn a_terminal_gets_no_pictures() {
        let mut page = Page::default();
        page.heading("One");
        page.chart("a.svg", "a chart", "<svg/>".to_owned());
        page.heading("Two");
        page.list(&["x".to_owned()]);
        assert_eq!(page.as_text(), "# One\n\n## Two\n\n- x\n");
        let shown = page.write(|chart| Some(chart.alternative.clone()));
        assert_eq!(shown, "# One\n\na chart\n\n## Two\n\n- x\n");
    }
}
