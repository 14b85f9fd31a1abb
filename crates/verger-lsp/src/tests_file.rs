//! Files of tests (`robots.test.toml`): their problems, and expectations that do not hold.

use std::path::Path;

use lsp_types::{Diagnostic, DiagnosticSeverity};
use verger::{Dialect, Robots, Span};
use verger_json::site_tests::{Offline, TestFile, TestFileError, UrlProblem};

use crate::compare::quoted;
use crate::config::read_file;
use crate::diagnostics::remark;
use crate::limits::ROBOTS_BYTES;
use crate::text::Text;

/// Whether a file has tests, and is no robots.txt.
pub(crate) fn has_tests(uri: &str) -> bool {
    uri.ends_with("robots.test.toml")
}

/// The problem of a file of tests: one, because the rest is not read.
pub(crate) fn problem(text: &Text) -> Option<Diagnostic> {
    let error = read(text).err()?;
    let line = error.position().line;
    let known = error.unknown_key().map(|(_, known)| format!("\nknown keys: {}", known.join(", ")));
    let message = format!("{error}{}", known.unwrap_or_default());
    Some(remark_on(text, line, DiagnosticSeverity::ERROR, message))
}

/// The problem, or the expectations that do not hold for the robots.txt of the tests. `open` gives the
/// text of a file in the editor; others are read.
pub(crate) fn results(
    text: &Text,
    file: Option<&Path>,
    open: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> Vec<Diagnostic> {
    let Ok(tests) = read(text) else { return problem(text).into_iter().collect() };
    let name = tests.robots.as_deref().unwrap_or("robots.txt");
    let path = file.and_then(Path::parent).map(|folder| folder.join(name));
    let path = path.filter(|_| !name.contains("://") && !name.starts_with("git:"));
    let none = || "only a robots.txt in a folder is tested in an editor".to_owned();
    let bytes = path.ok_or_else(none);
    let bytes =
        bytes.and_then(|path| open(&path).map_or_else(|| read_file(&path, ROBOTS_BYTES), Ok));
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(why) => {
            let message = format!("the tests did not run with {}: {why}", quoted(name));
            return vec![remark_on(text, 1, DiagnosticSeverity::WARNING, message)];
        }
    };
    let report = tests.run(&Robots::parse(&bytes), None, &mut Offline);
    let mut found = Vec::new();
    for test in &report.tests {
        for (remarks, severity) in [
            (&test.failures, DiagnosticSeverity::WARNING),
            (&test.errors, DiagnosticSeverity::INFORMATION),
            (&test.skipped, DiagnosticSeverity::INFORMATION),
        ] {
            found.extend(remarks.iter().map(|it| {
                let message = format!("for {}: {}", quoted(&test.crawler), it.message);
                remark_on(text, it.line, severity, message)
            }));
        }
    }
    found
}

fn read(text: &Text) -> Result<TestFile, TestFileError> {
    TestFile::parse(text.as_str(), &|url| {
        let why = "expected a URL with scheme and host, or a path that begins with `/`";
        let problem =
            || UrlProblem { message: format!("bad URL {}: {why}", quoted(url)), hint: None };
        Dialect::RFC9309.reads_url(url).then_some(()).ok_or_else(problem)
    })
}

/// A remark on a line, from 1.
fn remark_on(
    text: &Text,
    line: usize,
    severity: DiagnosticSeverity,
    message: String,
) -> Diagnostic {
    let line = line.saturating_sub(1);
    let start = text.start_of(line);
    let span = Span { start, end: start + text.line(line).len() };
    remark(text.range(span), severity, message)
}
