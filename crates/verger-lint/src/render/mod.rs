//! Reports as text: for people ([`full`], [`concise`]) and as workflow commands of GitHub
//! ([`github`]).
//!
//! Foreign text is escaped and cut, so that it cannot move a cursor or begin a line. JSON and SARIF
//! are in the crate `verger-json`, feature `lint`.

mod excerpt;

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use verger::diagnostic::Severity;
use verger::{Position, Untrusted};

pub use self::excerpt::{Excerpt, Mark};
use crate::Report;
use crate::finding::Finding;
use crate::fix::Safety;
use crate::limits::{LABELS, MESSAGE_CHARS};
use crate::rule::Category;

/// Whether the output has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a choice of two")]
pub enum Colour {
    /// Colours as ANSI escape sequences.
    Ansi,
    /// Plain text.
    None,
}

/// Writes each finding with the marked lines of the file, its help and its fix, and an empty line
/// after it.
///
/// # Examples
///
/// ```
/// use verger_lint::render::{Colour, full};
/// use verger_lint::{Settings, lint};
///
/// let report = lint(b"User-agent: *\nDissalow: /cart\n", &Settings::default());
/// assert_eq!(
///     full(&report, Colour::None),
///     "\
/// warning[misspelt-key]: the key is misspelt; it is read as `Disallow`, but not by every reader
///  --> robots.txt:2:1
///   |
/// 2 | Dissalow: /cart
///   | ^^^^^^^^
///   = unsafe fix: write `Disallow`
///
/// ",
/// );
/// ```
pub fn full(report: &Report, colour: Colour) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let Finding { severity, message, .. } = finding;
        let (style, bold) = (severity_style(*severity, colour), bold(colour));
        let _ = writeln!(
            out,
            "{style}{severity}[{}]{style:#}{bold}: {}{bold:#}",
            finding.rule.code,
            shown(message)
        );
        let indent = match finding.rule.category {
            // The problem is not in the text.
            Category::Live => 1,
            _ => draw(report, finding, colour, &mut out),
        };
        let indent = " ".repeat(indent);
        let more = finding.labels.len().saturating_sub(LABELS);
        let more = (more > 0).then(|| ("note", format!("further places, not shown: {more}")));
        for (name, text) in more.into_iter().chain(details(finding)) {
            let _ = writeln!(out, "{indent} = {bold}{name}{bold:#}: {}", shown(&text));
        }
        out.push('\n');
    }
    for (severity, code, text) in omitted(report) {
        let (style, bold) = (severity_style(severity, colour), bold(colour));
        let _ = writeln!(out, "{style}{severity}[{code}]{style:#}{bold}: {text}{bold:#}\n");
    }
    out
}

/// Draws the lines of a finding, and returns the number of digits of the highest line number.
fn draw(report: &Report, finding: &Finding, colour: Colour, out: &mut String) -> usize {
    let mut excerpt = Excerpt::new(&report.text, &report.lines, Mark::of(finding.span));
    for label in finding.labels.iter().take(LABELS) {
        excerpt = excerpt.with(Mark::of(label.span).label(shown(&label.text).to_string()));
    }
    out.push_str(&excerpt.draw(&report.name, finding.severity, colour));
    out.push('\n');
    excerpt.width()
}

/// For each rule with too many findings: its severity and code, and the number of the others.
fn omitted(report: &Report) -> impl Iterator<Item = (Severity, &'static str, String)> {
    report.omitted.iter().map(|(rule, count)| {
        let found = report.findings.iter().find(|finding| finding.rule.code == rule.code);
        let severity = found.map_or(rule.severity, |finding| finding.severity);
        (severity, rule.code, format!("further findings of this rule, not shown: {count}"))
    })
}

/// Writes each finding on one line: `FILE:LINE:COLUMN: SEVERITY: MESSAGE [RULE]`, and in
/// parentheses a URL that shows the problem, and the fix.
/// Columns are in bytes.
pub fn concise(report: &Report, colour: Colour) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let Position { line, column } = report.position(finding.span.start);
        let (name, severity) = (Untrusted::new(&report.name), finding.severity);
        let style = severity_style(severity, colour);
        let _ = write!(
            out,
            "{name}:{line}:{column}: {style}{severity}{style:#}: {} [{}]",
            shown(&finding.message),
            finding.rule.code
        );
        let details: Vec<String> = (example(finding).into_iter().chain(fix(finding)))
            .map(|(name, text)| format!("{name}: {}", shown(&text)))
            .collect();
        if !details.is_empty() {
            let _ = write!(out, " ({})", details.join("; "));
        }
        out.push('\n');
    }
    for (severity, code, text) in omitted(report) {
        let (name, style) = (Untrusted::new(&report.name), severity_style(severity, colour));
        let _ = writeln!(out, "{name}:1:1: {style}{severity}{style:#}: {text} [{code}]");
    }
    out
}

/// Writes each finding as a workflow command of GitHub, which shows it in the changed files of a
/// pull request. One line each; columns are in UTF-16 code units.
pub fn github(report: &Report) -> String {
    let mut out = String::new();
    let name = Untrusted::new(&report.name).to_string();
    for finding in &report.findings {
        let start = report.utf16_position(finding.span.start);
        let end = report.utf16_position(finding.span.end);
        let properties = [
            ("file", &*name),
            ("line", &*start.line.to_string()),
            ("endLine", &*end.line.to_string()),
            ("col", &*start.column.to_string()),
            ("endColumn", &*end.column.to_string()),
            ("title", &*format!("verger ({})", finding.rule.code)),
        ];
        let mut text = shown(&finding.message).to_string();
        for (name, detail) in details(finding) {
            let _ = write!(text, "\n{name}: {}", shown(&detail));
        }
        out.push_str(&annotation(finding.severity, &properties, &text));
    }
    for (severity, code, text) in omitted(report) {
        let title = format!("verger ({code})");
        out.push_str(&annotation(severity, &[("file", &name), ("title", &title)], &text));
    }
    out
}

/// A workflow command of GitHub, on one line: an annotation with a text and properties such as
/// `file`, `line` and `title`.
///
/// # Examples
///
/// ```
/// use verger::diagnostic::Severity;
/// use verger_lint::render::annotation;
///
/// let command = annotation(Severity::Error, &[("file", "a,b.txt"), ("line", "2")], "no\nrule");
/// assert_eq!(command, "::error file=a%2Cb.txt,line=2::no%0Arule\n");
/// ```
pub fn annotation(severity: Severity, properties: &[(&str, &str)], text: &str) -> String {
    let command = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let properties = properties.iter().map(|(name, value)| format!("{name}={}", property(value)));
    let properties: Vec<String> = properties.collect();
    format!("::{command} {}::{}\n", properties.join(","), data(text))
}

/// Names and texts of the details below a finding.
fn details(finding: &Finding) -> impl Iterator<Item = (&'static str, String)> {
    let help = finding.help.clone().map(|help| ("help", help));
    help.into_iter().chain(example(finding)).chain(fix(finding))
}

fn example(finding: &Finding) -> Option<(&'static str, String)> {
    finding.url.clone().map(|url| ("example URL", url))
}

fn fix(finding: &Finding) -> Option<(&'static str, String)> {
    let fix = finding.fix.as_ref()?;
    let name = if fix.safety == Safety::Safe { "fix" } else { "unsafe fix" };
    Some((name, fix.title.clone()))
}

/// A text of a finding. Rules escape foreign text already, but this must not depend on them.
fn shown(text: &str) -> Untrusted<'_> {
    Untrusted::new(text).limited_to(MESSAGE_CHARS)
}

/// The message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The style for the name of a severity.
fn severity_style(severity: Severity, colour: Colour) -> Style {
    if colour == Colour::None {
        return Style::new();
    }
    let colour = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Note => AnsiColor::Blue,
    };
    colour.on_default().bold()
}

fn bold(colour: Colour) -> Style {
    if colour == Colour::None { Style::new() } else { Style::new().bold() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::FINDINGS_PER_RULE;
    use crate::{Observation, Settings, lint};

    fn named(name: &str, text: impl AsRef<[u8]>) -> Report {
        Report { name: name.into(), ..lint(text.as_ref(), &Settings::default()) }
    }

    #[test]
    fn properties_and_messages_of_commands_are_escaped() {
        let commands = github(&named("a:b,c%\n::x", "User-agent: *\nDisallow: /%zz\nfoo%\n"));
        assert!(commands.contains(r"file=a%3Ab%2Cc%25\n%3A%3Ax,line=2"), "{commands}");
        assert!(
            commands.contains("::a `%25` without") && commands.contains("`%2525`"),
            "{commands}"
        );
        assert!(commands.lines().all(|line| line.starts_with("::")), "{commands}");
    }

    #[test]
    fn colours_change_nothing_else() {
        let report = named("robots.txt", "Disallow: /\nUser-agent: *\nDissalow: /x\nfoo\n");
        for render in [full, concise] {
            let coloured = render(&report, Colour::Ansi);
            assert!(coloured.contains('\x1b'));
            let mut plain = String::new();
            for (at, part) in coloured.split('\x1b').enumerate() {
                plain.push_str(if at == 0 { part } else { part.split_once('m').unwrap().1 });
            }
            assert_eq!(plain, render(&report, Colour::None));
        }
    }

    #[test]
    fn a_url_that_shows_the_problem_is_in_each_format() {
        let text = "User-agent: *\nDisallow: /cart\nDisallow: /cart/old\n";
        let report = named("robots.txt", text);
        let url = "example URL: /cart/old";
        let concise = concise(&report, Colour::None);
        assert!(concise.ends_with(&format!("({url}; fix: remove the line)\n")), "{concise}");
        assert!(full(&report, Colour::None).contains(&format!("\n  = {url}\n")));
        assert!(github(&report).contains(&format!("%0A{url}%0A")));
    }

    #[test]
    fn a_gathered_finding_names_its_lines_in_each_format() {
        let text = "User-agent: *\nDisallow: /a\nDisallow: /a/b\nDisallow: /a/c\n";
        let report = named("robots.txt", text);
        for out in [full(&report, Colour::None), concise(&report, Colour::None), github(&report)] {
            assert!(out.contains("says the same; likewise one more line"), "{out}");
            assert_eq!(out.matches("remove the lines").count(), 1, "{out}");
        }
    }

    #[test]
    fn findings_that_are_left_out_are_counted() {
        let text = format!("User-agent: *\n{}", "foo\n".repeat(2 * FINDINGS_PER_RULE));
        let report = named("robots.txt", text);
        assert_eq!(report.omitted.len(), 1);
        for out in [full(&report, Colour::None), concise(&report, Colour::None), github(&report)] {
            let more = format!("not shown: {FINDINGS_PER_RULE}");
            assert!(out.contains(&more) && out.contains("no-record"), "{out}");
        }
    }

    #[test]
    fn a_finding_about_a_response_has_no_lines() {
        let observation = Observation::new("https://shop.example/robots.txt", 503);
        let report = crate::lint_responses(&observation, &Settings::default());
        let full = full(&report, Colour::None);
        assert!(full.starts_with("error[unavailable]: the status is 503"), "{full}");
        assert!(!full.contains("-->"), "{full}");
    }

    #[test]
    fn a_huge_line_is_shortened() {
        let text =
            format!("User-agent: *\n{}Dissalow: /{}\n", " ".repeat(9_000), "x".repeat(90_000));
        let report = named("robots.txt", text);
        for out in [full(&report, Colour::None), concise(&report, Colour::None), github(&report)] {
            assert!(out.lines().all(|line| line.chars().count() < 1_000), "{out}");
        }
        assert!(full(&report, Colour::None).contains("Dissalow"), "the marked part is shown");
    }
}
