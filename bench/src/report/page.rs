//! A page in Markdown: headings, sentences, tables and charts; for a terminal without charts.

use std::fs;
use std::path::Path;

use textwrap::{Options, WordSplitter};

use super::table::Table;
use crate::Result;

/// Maximum length of a line of text.
const COLUMNS: usize = 100;

/// The written part of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    text: String,
    has_charts: bool,
    /// File names without folder, and SVG.
    charts: Vec<(String, String)>,
}

impl Page {
    pub(crate) fn new(has_charts: bool) -> Self {
        Self { has_charts, ..Self::default() }
    }

    /// Adds a heading: the first one is the title.
    pub(crate) fn heading(&mut self, text: &str) {
        let level = if self.text.is_empty() { "#" } else { "##" };
        self.push(&format!("{level} {text}"));
    }

    /// Adds a paragraph.
    pub(crate) fn text(&mut self, text: impl AsRef<str>) {
        let options = Options::new(COLUMNS).word_splitter(WordSplitter::NoHyphenation);
        self.push(&textwrap::fill(text.as_ref(), options));
    }

    /// Adds a list, unless it is empty.
    pub(crate) fn list(&mut self, items: &[String]) {
        if !items.is_empty() {
            let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
            self.push(&items.join("\n"));
        }
    }

    pub(crate) fn table(&mut self, table: &Table) {
        self.push(table.to_string().trim_end());
    }

    /// Adds a picture, unless the page is for a terminal.
    pub(crate) fn chart(
        &mut self,
        name: &str,
        alternative: &str,
        draw: impl FnOnce() -> Result<String>,
    ) -> Result {
        if self.has_charts {
            self.push(&format!("![{alternative}](performance/{name}.svg)"));
            self.charts.push((format!("{name}.svg"), draw()?));
        }
        Ok(())
    }

    fn push(&mut self, block: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(block);
        self.text.push('\n');
    }

    pub(crate) fn print(&self) {
        print!("{}", self.text);
    }

    /// Writes it and its charts to `docs/`.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written.
    pub(crate) fn write(&self, command: &str) -> Result {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let charts = docs.join("performance");
        let message = |error: std::io::Error| format!("{}: {error}", docs.display());
        let text = format!("<!-- Written by `{command}`. Do not edit. -->\n\n{}", self.text);
        fs::write(docs.join("performance.md"), text).map_err(message)?;
        fs::create_dir_all(&charts).map_err(message)?;
        for (name, svg) in &self.charts {
            fs::write(charts.join(name), svg).map_err(message)?;
        }
        eprintln!("written: docs/performance.md");
        Ok(())
    }
}
