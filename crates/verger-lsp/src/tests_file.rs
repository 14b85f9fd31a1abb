//! Files of tests (`robots.test.toml`): problems, expectations that do not hold, help for keys.

use std::collections::BTreeSet;

use lsp_types::{CompletionItemKind, DiagnosticSeverity};
use serde_json::Value;
use verger::{Position, Robots, Span, quoted};
use verger_json::site_tests::{Offline, TEST_KEYS, TestFile, TestFileError, UrlProblem};

use crate::completion::{Choice, choice, crawlers, items, keys};
use crate::diagnostics::remark;
use crate::hover::{check, crawler, shown_url, typo};
use crate::limits::{LISTED, ROBOTS_BYTES};
use crate::snapshot::{Snapshot, read_file};
use crate::text::Text;

/// The problem of a file of tests: one, because the rest is not read.
pub(crate) fn problem(text: &Text) -> Option<Value> {
    let error = read(&text.content).err()?;
    let Position { line, column } = error.position();
    let known = error.unknown_key().map(|(_, known)| format!("\nknown keys: {}", known.join(", ")));
    let message = format!("{error}{}", known.unwrap_or_default());
    let start = text.start_of(line.saturating_sub(1)) + column.saturating_sub(1);
    Some(remark_from(text, start, DiagnosticSeverity::ERROR, &message))
}

/// The problem, or the expectations that do not hold for the robots.txt of the tests.
pub(crate) fn results(snapshot: &Snapshot) -> Vec<Value> {
    let text = &snapshot.text;
    let Ok(tests) = read(&text.content) else { return problem(text).into_iter().collect() };
    let robots = match robots_of(&tests, snapshot) {
        Ok(robots) => robots,
        Err(why) => {
            let message = format!("the tests did not run with {why}");
            return vec![remark_from(text, 0, DiagnosticSeverity::WARNING, &message)];
        }
    };
    let report = tests.run(&robots, None, &mut Offline);
    let mut found = Vec::new();
    for test in &report.tests {
        let failures = test.failures.iter().map(|it| (it, DiagnosticSeverity::WARNING));
        let others = test.errors.iter().chain(&test.skipped);
        let others = others.map(|it| (it, DiagnosticSeverity::INFORMATION));
        for (remark, severity) in failures.chain(others) {
            let message = format!("for {}: {}", quoted(&test.crawler), remark.message);
            let start = text.start_of(remark.line.saturating_sub(1));
            found.push(remark_from(text, start, severity, &message));
        }
    }
    for name in tests.crawlers().collect::<BTreeSet<_>>() {
        let first = ['"', '\''].map(|quote| text.content.find(&format!("{quote}{name}{quote}")));
        if let Some((message, start)) = typo(&robots, name).zip(first.into_iter().flatten().min()) {
            found.push(remark_from(text, start, DiagnosticSeverity::INFORMATION, &message));
        }
    }
    found
}

/// The robots.txt of tests: that in the editor, or that in the folder.
fn robots_of(tests: &TestFile, snapshot: &Snapshot) -> Result<Robots, String> {
    let name = tests.robots.as_deref().unwrap_or("robots.txt");
    let folder = snapshot.path.as_deref().and_then(|path| path.parent());
    let folder = folder.filter(|_| !name.contains("://") && !name.starts_with("git:"));
    let shown = quoted(name);
    let none = || format!("{shown}: only a robots.txt in a folder is tested in an editor");
    let path = folder.ok_or_else(none)?.join(name);
    if let Some((_, text)) = snapshot.others.iter().find(|(it, _)| *it == path) {
        return Ok(Robots::parse(&text.content));
    }
    let bytes = read_file(&path, ROBOTS_BYTES);
    bytes.map(|bytes| Robots::parse(&bytes)).map_err(|why| format!("{shown}: {why}"))
}

fn read(text: &str) -> Result<TestFile, TestFileError> {
    TestFile::parse(text, &|url| {
        let shown = shown_url(&String::from_utf8_lossy(url));
        shown.map(|_| ()).map_err(|message| UrlProblem { message, hint: None })
    })
}

/// A remark on the rest of a line from an offset.
fn remark_from(text: &Text, start: usize, severity: DiagnosticSeverity, message: &str) -> Value {
    let line = text.line_of(start);
    let span = Span { start, end: text.start_of(line) + text.line(line).len() };
    remark(text.range(span), severity, message)
}

/// The completions at an offset: keys, crawlers, the beginnings of lines and paths.
pub(crate) fn complete(text: &Text, offset: usize) -> Vec<Value> {
    let before = &text.content[..offset];
    let line = &before[text.start_of(text.line_of(offset))..];
    let (choices, kind, word) = if let Some(word) = open_string(line) {
        (values(key_of(before)), CompletionItemKind::VALUE, word)
    } else {
        let start = |key| if key == "test" { "[[test]]".to_owned() } else { format!("{key} = ") };
        let choices = TEST_KEYS.map(|(key, text)| (start(key), String::new(), text.to_owned()));
        (choices.into(), CompletionItemKind::KEYWORD, line.trim_start())
    };
    if word.contains(['=', ']', '#']) {
        return Vec::new();
    }
    items(choices, kind, text.range(Span { start: offset - word.len(), end: offset }))
}

fn values(key: Option<(&str, &str)>) -> Vec<Choice> {
    match key.map(|(key, _)| key) {
        Some("crawlers") => crawlers(),
        Some("statements") => keys(),
        Some("allow" | "disallow" | "open" | "closed") => vec![choice("/", "all URLs")],
        _ => Vec::new(),
    }
}

/// Explains what is at an offset, in Markdown: a crawler, the answers for a URL, or a key.
pub(crate) fn explain(snapshot: &Snapshot, offset: usize) -> Option<(String, Span)> {
    let (text, line) = (snapshot.text.content.as_str(), snapshot.text.line_of(offset));
    let (start, content) = (snapshot.text.start_of(line), snapshot.text.line(line));
    let end = start + content.len();
    let (key, meaning) = key_of(&text[..end]).filter(|_| !content.is_empty())?;
    let about_value = || {
        let from = offset - open_string(&text[start..offset])?.len();
        let (value, _) = text[from..end].split_once(['"', '\''])?;
        let tests = read(text).ok()?;
        let robots = robots_of(&tests, snapshot).ok()?;
        let about = match key {
            "crawlers" => crawler(&robots, value),
            "allow" | "disallow" => {
                // The crawlers of this test alone.
                let test = text[..from].rfind(TEST)?;
                let next = text[from..].find(TEST).map_or(text.len(), |at| from + at);
                let test = read(&text[test..next]).ok()?;
                let answers = test.crawlers().take(LISTED);
                let answers = answers.filter_map(|name| check(&robots, value, Some(name)).ok());
                answers.collect::<Vec<_>>().join("\n\n")
            }
            _ => return None,
        };
        Some((about, Span { start: from, end: from + value.len() }))
    };
    about_value().or_else(|| Some((format!("**`{key}`**: {meaning}"), Span { start, end })))
}

const TEST: &str = "[[test]]";

/// The part of a string that a line has at its end, if the string has no end there.
fn open_string(line: &str) -> Option<&str> {
    let (before, part) = line.rsplit_once(['"', '\''])?;
    (before.matches(['"', '\'']).count() % 2 == 0).then_some(part)
}

/// The last key in a text, and its meaning.
fn key_of(text: &str) -> Option<(&'static str, &'static str)> {
    text.lines().rev().find_map(|line| {
        let name = line.split('=').next()?.trim().trim_matches(['[', ']']);
        TEST_KEYS.into_iter().find(|(key, _)| *key == name)
    })
}
