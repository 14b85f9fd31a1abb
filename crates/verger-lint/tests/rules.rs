//! Literate tests: each file of `tests/rules` describes one rule with examples.
//!
//! A block `robots` is a file; the block `findings` after it has the expected findings of the rule
//! that the file is named after, one a line: `line:column severity message`, then indented lines
//! for labels, URL, help and fix. An empty block: there are none. A block `fixed` after it is the
//! text with the fixes applied. In a block `robots`, `␠`, `⇥`, `␀`, `␍` and `␤` are a blank, tab,
//! NUL, CR and LF.
//!
//! `VERGER_BLESS=1` writes the found results into the files.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};
use verger::LineIndex;
use verger_lint::fix::Safety;
use verger_lint::{RULES, Report, Settings, lint};

/// Stand-ins for characters that a page cannot show.
const SHOWN: [(char, char); 5] = [('␠', ' '), ('⇥', '\t'), ('␀', '\0'), ('␍', '\r'), ('␤', '\n')];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let test = |code: &'static str| {
        let path = folder.join(format!("{code}.md"));
        Trial::test(code, move || page(&path, code).map_err(Failed::from))
    };
    let tests = RULES.iter().map(|rule| test(rule.code)).collect();
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

/// Checks the blocks of a page.
fn page(path: &Path, code: &str) -> Result<(), String> {
    let name = path.display();
    let page = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let (mut out, mut report) = (String::new(), None);
    let (mut with_findings, mut without) = (0, 0);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.extend([line, "\n"]);
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let mut block = String::new();
        for line in lines.by_ref().take_while(|line| *line != "```") {
            block.extend([line, "\n"]);
        }
        let block = match (info.split(' ').next(), &report) {
            (Some("robots"), _) => {
                report = Some(run(&block, info, code)?);
                block
            }
            (Some("findings"), Some(report)) => {
                let count = if report.findings.is_empty() { &mut without } else { &mut with_findings };
                *count += 1;
                text(report)
            }
            (Some("fixed"), Some(report)) => hidden(&report.fixed(Safety::Unsafe).0),
            _ => return Err(format!("{name}: unexpected block {info}")),
        };
        out.extend([&block, "```\n"]);
    }
    if with_findings == 0 || without == 0 {
        return Err(format!("{name}: expected examples with and without findings"));
    }
    if out == page {
        return Ok(());
    }
    if env::var_os("VERGER_BLESS").is_some() {
        return fs::write(path, out).map_err(|error| format!("{name}: {error}"));
    }
    Err(format!("{name} differs from\n{out}"))
}

/// Lints a block with one rule. The info string can name dialects: `robots portable=bing,yandex`.
fn run(block: &str, info: &str, code: &str) -> Result<Report, String> {
    let mut text = block.to_owned();
    for (shown, meant) in SHOWN {
        text = text.replace(shown, &meant.to_string());
    }
    let mut settings = Settings::default();
    settings.select = vec![code.to_owned()];
    for dialect in info.split("portable=").skip(1).flat_map(|list| list.split(',')) {
        settings.portable.push(dialect.parse().map_err(|_| format!("no dialect {dialect}"))?);
    }
    Ok(lint(text.as_bytes(), &settings))
}

fn text(report: &Report) -> String {
    let lines = LineIndex::new(&report.text);
    let place = |at: usize| {
        let position = lines.position(at);
        format!("{}:{}", position.line, position.column)
    };
    let mut out = String::new();
    for finding in &report.findings {
        let place_of = place(finding.span.start);
        let _ = writeln!(out, "{place_of} {} {}", finding.severity, finding.message);
        for label in &finding.labels {
            let _ = writeln!(out, "    {} {}", place(label.span.start), label.text);
        }
        for (name, detail) in [("url", &finding.url), ("help", &finding.help)] {
            if let Some(detail) = detail {
                let _ = writeln!(out, "    {name}: {detail}");
            }
        }
        if let Some(fix) = &finding.fix {
            let _ = writeln!(out, "    fix ({}): {}", fix.safety.name(), fix.title);
        }
    }
    out
}

/// A text with the stand-ins, except for ordinary blanks and line ends.
fn hidden(text: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(text).into_owned();
    for (shown, meant) in &SHOWN[1..4] {
        text = text.replace(*meant, &shown.to_string());
    }
    text
}
