//! Finds problems in robots.txt files.
//!
//! [`lint`] reads a file as RFC 9309 says, and reports problems as [`Finding`]s: lines without
//! effect, misspelt keys, rules that decide nothing, records that vendors ignore. Many have a
//! [`Fix`].
//!
//! ```
//! use verger_lint::{Settings, lint};
//!
//! let report = lint(b"User-agent: *\nDissalow: /cart\n", &Settings::default());
//! let codes: Vec<_> = report.findings.iter().map(|finding| finding.rule.code).collect();
//! assert_eq!(codes, ["misspelt-key"]);
//! let fixed = report.fixed_until_none(&Settings::default(), verger_lint::Safety::Unsafe);
//! let (fixed, report, _) = fixed.expect("a fix");
//! assert_eq!(fixed, b"User-agent: *\nDisallow: /cart\n");
//! assert!(report.findings.is_empty());
//! ```
//!
//! # Flow
//!
//! `file.rs` reads the file once: the engine's parser gives records and spans, `syntax.rs` the
//! lines. Each rule in `rules/` looks at it and adds findings; `suppress.rs` drops those that a
//! comment suppresses. `proof.rs` proves that safe fixes change no answer, and `careful_fixes.rs`
//! finds those that a person should see nevertheless. `gathering.rs` makes one finding of those about
//! superfluous lines.
//!
//! # Features
//!
//! - `render`: reports as text ([`render`]). For JSON and SARIF, see the crate `verger-json`.
//! - `schema`: the JSON schema of `verger.toml` (`schema`).

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `syntax.rs`: the lossless line tree, built on events: every byte belongs to a line
// - `pattern.rs`: escapes of patterns
// - `meaning.rs`, `bisection.rs`: comparison of two texts in every published dialect; the largest
//   acceptable part of a list of changes
// - `rule.rs`, `fix.rs`, `finding.rs`: a rule as data; edits and their safety; problems with
//   places, labels, help
// - `settings.rs`, `suppress.rs`: choice of rules; comments that suppress findings
// - `file.rs`: the file as read once for all rules
// - `merged.rs`: lines with several records or patterns, of which one counts; the findings
//   about them
// - `careful_fixes.rs`: safe fixes that lose something the author may need, which makes them
//   unsafe
// - `policies.rs`: the policy of each crawler that the file names, for rules that ask the
//   analysis; the budget of all questions
// - `observation.rs`: observed responses of a site, for rules of category live
// - `check.rs`: the kinds of checks; the findings, limited for each rule
// - `intended_pattern.rs`, `statement.rs`, `agents.rs`, `similar.rs`: helpers of rules: the pattern
//   that an author meant; entries of `Content-Signal` and `Content-Usage`; names in user-agent
//   lines; similar names of crawlers and rules
// - `lighthouse.rs`: the reading of Lighthouse's audit
// - `rules/`: one file a rule, with the list in `rules/mod.rs` and the names that most rules use in
//   `rules/prelude.rs`. The module documentation is the page for users, so a rule's file has no
//   tests: they are pages in `tests/rules`
// - `profile.rs`: ready choices of settings
// - `render/`: reports as text (feature `render`); excerpts with marked lines (`excerpt.rs`),
//   which `check --explain` uses too
// - `config/`: settings from `verger.toml`, read by serde; the JSON schema of the same fields;
//   excluded files (`exclude.rs`)
// - `git.rs`: versions of files
// - `proof.rs`: the proof of safe fixes, by structure or by analysis: one that could change an
//   answer becomes unsafe
// - `gathering.rs`: one finding for the lines of a group with one problem
// - `fmt.rs`: the formatter
//
// A rule of kind `Diagnostic` has the code of a diagnostic of the engine, and adds a fix or drops
// the finding; one of kind `Reported` leaves it as it is. A rule of kind `File` looks at the whole file, one of kind `Policies` at the policy of
// each crawler, and one of kind `Live` at responses.

mod agents;
mod bisection;
mod careful_fixes;
mod check;
mod config;
mod file;
mod finding;
mod fix;
mod fmt;
mod gathering;
mod git;
mod intended_pattern;
mod lighthouse;
mod limits;
mod meaning;
mod merged;
mod observation;
mod pattern;
mod policies;
mod profile;
mod proof;
#[cfg(feature = "render")]
pub mod render;
mod rule;
mod rules;
mod settings;
mod similar;
mod statement;
mod suppress;
mod syntax;

use std::cell::LazyCell;

use verger::diagnostic::{Diagnostic, DiagnosticKind};
use verger::parse::Encoding;
use verger::{Crawler, Dialect, LineIndex, Position, Robots, Span};
use verger_analysis::unnamed_crawler;

use check::{Check, Collector};
#[cfg(feature = "schema")]
pub use config::schema;
pub use config::{Config, ConfigError};
use file::{DIALECT, EXAMPLE, File, WHOLE};
pub use finding::{Finding, Label};
pub use fix::{Edit, Fix, Safety};
pub use fmt::{Formatted, Skip};
pub use git::{git, git_file};
pub use meaning::is_same_meaning;
pub use observation::{CrawlerResponse, Observation, PageResponse};
use policies::{Crawlers, Policies};
pub use profile::Profile;
pub use rule::{Category, Rule};
use rules::CHECKS;
pub use rules::RULES;
pub use settings::Settings;
use suppress::Suppressions;
use syntax::LineKind;

/// The findings of a file: the input of all renderers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The name of the file, which is `robots.txt` unless you set it: a path, a URL, or `<stdin>`.
    /// Any bytes are allowed; renderers escape them.
    pub name: Vec<u8>,
    /// The text that spans refer to: the file, or its UTF-8 form if it is in UTF-16.
    pub text: Vec<u8>,
    /// The findings, in the order of the text: of each rule at most 1,000.
    pub findings: Vec<Finding>,
    /// Rules with more findings, each with the number of those that are left out.
    pub omitted: Vec<(&'static Rule, usize)>,
    lines: LineIndex,
}

impl Report {
    fn new(text: &[u8], (findings, omitted): check::Found) -> Self {
        let (name, lines) = (b"robots.txt".to_vec(), LineIndex::new(text));
        Self { name, text: text.to_vec(), findings, omitted, lines }
    }

    /// The text with the fixes up to this safety applied in one pass, and their number. Without any,
    /// leave the file as it is: [`text`](Self::text) may be decoded or cut.
    ///
    /// A pass leaves fixes of a place that another one changes.
    /// [`fixed_until_none`](Self::fixed_until_none) applies these, too.
    pub fn fixed_once(&self, safety: Safety) -> (Vec<u8>, usize) {
        let fixes = self.findings.iter().filter_map(|finding| {
            let fix = finding.fix.as_ref().filter(|fix| fix.safety <= safety)?;
            // Safe fixes are proved together.
            let labels = finding.labels.iter().filter(|_| safety == Safety::Unsafe);
            Some((fix, labels.map(|label| label.span).collect()))
        });
        fix::apply(&self.text, fixes)
    }

    /// The text with the fixes up to this safety applied until none is left, its report, and their
    /// number. `None` without fixes.
    ///
    /// ```
    /// use verger_lint::{Safety, Settings, lint};
    ///
    /// let settings = Settings::default();
    /// let report = lint(b"User-agent: *\nDisallow: /a\nDisallow: /a\n", &settings);
    /// let (text, report, fixes) = report.fixed_until_none(&settings, Safety::Safe).expect("a fix");
    /// assert_eq!(text, b"User-agent: *\nDisallow: /a\n");
    /// assert_eq!((report.findings.len(), fixes), (0, 1));
    /// ```
    pub fn fixed_until_none(
        &self,
        settings: &Settings,
        safety: Safety,
    ) -> Option<(Vec<u8>, Self, usize)> {
        self.fixed_while(settings, safety, &|| true)
    }

    /// The result of [`fixed_until_none`](Self::fixed_until_none), worked out while a function returns
    /// true, which is called as in [`lint_while`]. `None` also if it ended the work.
    pub fn fixed_while(
        &self,
        settings: &Settings,
        safety: Safety,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<(Vec<u8>, Self, usize)> {
        let (mut text, mut fixes) = self.fixed_once(safety);
        if fixes == 0 {
            return None;
        }
        let mut report = lint_while(&text, settings, goes_on)?;
        for _ in 1..limits::FIX_PASSES {
            let (next, applied) = report.fixed_once(safety);
            if applied == 0 {
                break;
            }
            report = lint_while(&next, settings, goes_on)?;
            (text, fixes) = (next, fixes + applied);
        }
        Some((text, report, fixes))
    }

    /// Line and column of an offset in the text, from 1; the column is in bytes.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(offset)
    }

    /// Line and column of an offset in the text, from 1; the column is in UTF-16 code units, as
    /// SARIF and editors count. A byte that is not UTF-8 counts as one, a byte order mark as none.
    pub fn utf16_position(&self, offset: usize) -> Position {
        let Position { line, column } = self.position(offset);
        let start = offset - (column - 1);
        let before = self.text.get(start..offset).unwrap_or_default();
        let before = match before.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) if start == 0 => rest,
            _ => before,
        };
        let units = |chunk: std::str::Utf8Chunk<'_>| {
            chunk.valid().encode_utf16().count() + chunk.invalid().len()
        };
        Position { line, column: before.utf8_chunks().map(units).sum::<usize>() + 1 }
    }
}

/// Lints a file.
///
/// # Complexity
///
/// A few passes over the file; with safe fixes about twenty more, because they are proved. The cost
/// of fixes that turn out to be unsafe is limited by a number of proofs, and so is the work for
/// questions about the meaning of the rules: a few seconds for a hostile file.
pub fn lint(bytes: &[u8], settings: &Settings) -> Report {
    lint_while(bytes, settings, &|| true).unwrap_or_else(|| Report::new(b"", Default::default()))
}

/// Lints a file while a function returns true, for editors: a change of the file ends the work.
/// `None` if it was ended.
///
/// The function is called before each rule, each question about the meaning of the rules, and each
/// proof: the longest of them takes about a second in a hostile file.
pub fn lint_while(bytes: &[u8], settings: &Settings, goes_on: &dyn Fn() -> bool) -> Option<Report> {
    let file = File::new(bytes, settings, dialect_of(settings));
    let crawlers = LazyCell::new(|| Crawlers::of(&file));
    let policies = LazyCell::new(|| Policies::new(&file, settings, &crawlers, goes_on));
    let mut collector = Collector::new(Suppressions::of(&file.tree, file.text()));
    for (rule, check) in RULES.iter().zip(CHECKS).filter(|(rule, _)| settings.runs(rule)) {
        match check {
            _ if !goes_on() => return None,
            Check::File(check) => check(&file, &mut collector.of(rule)),
            Check::Policies(check) => check(&policies, &mut collector.of(rule)),
            Check::Diagnostic(_) | Check::Suppressions(_) | Check::Live(_) => {}
        }
    }
    let (mut findings, omitted) = found(&file, settings, collector);
    careful_fixes::keep_rules_of_unclear_groups(&file, &mut findings);
    let careful = careful_fixes::careful(&file, &findings);
    proof::prove(file.text(), &mut findings, &careful, goes_on);
    gathering::gather(&file, &mut findings);
    goes_on().then(|| Report::new(file.text(), (findings, omitted)))
}

/// Lints a file without its analysis, for editors: the findings of [`lint`] that need one pass over
/// the text, in milliseconds.
///
/// Rules about the meaning of all rules together, such as `dead-rule`, are missing, and so are
/// fixes, because their safety is not proved. `None` if the function, which is called before each rule,
/// ended the work.
///
/// # Examples
///
/// ```
/// use verger_lint::{Settings, lint_text};
///
/// let text = b"User-agent: *\nDissalow: /cart\n";
/// assert!(lint_text(text, &Settings::default(), &|| false).is_none());
/// let report = lint_text(text, &Settings::default(), &|| true).expect("not ended");
/// assert_eq!(report.findings[0].rule.code, "misspelt-key");
/// assert_eq!(report.findings[0].fix, None);
/// ```
pub fn lint_text(bytes: &[u8], settings: &Settings, goes_on: &dyn Fn() -> bool) -> Option<Report> {
    let file = File::new(bytes, settings, dialect_of(settings));
    let mut collector = Collector::new(Suppressions::of(&file.tree, file.text()));
    for (rule, check) in RULES.iter().zip(CHECKS).filter(|(rule, _)| settings.runs(rule)) {
        match check {
            _ if !goes_on() => return None,
            Check::File(check) => check(&file, &mut collector.of(rule)),
            _ => {}
        }
    }
    let (mut findings, omitted) = found(&file, settings, collector);
    // It may suppress a finding of the analysis.
    findings.retain(|finding| finding.rule.code != "unused-suppression");
    for finding in &mut findings {
        finding.fix = None;
    }
    gathering::gather(&file, &mut findings);
    Some(Report::new(file.text(), (findings, omitted)))
}

/// The findings of diagnostics and of rules that look at suppressions, added to those of other rules,
/// with their severities, and sorted.
fn found(file: &File<'_>, settings: &Settings, mut collector: Collector<'_>) -> check::Found {
    for &found in &file.diagnostics {
        diagnosed(file, settings, found, &mut collector);
    }
    for dialect in &settings.portable {
        portability(file, settings, *dialect, &mut collector);
    }
    for (rule, check) in RULES.iter().zip(CHECKS).filter(|(rule, _)| settings.runs(rule)) {
        if let Check::Suppressions(check) = check {
            check(&collector.suppressions(), settings, &mut collector.of(rule));
        }
    }
    let (mut findings, omitted) = collector.finish();
    join_limits(&mut findings);
    merged::settle(file, &mut findings);
    let is_editable = file.is_editable();
    for finding in &mut findings {
        finding.severity = settings.severity_of(finding.rule, finding.severity);
        if !is_editable {
            finding.fix = None;
        }
    }
    findings.sort_by_key(|finding| (finding.span.start, finding.span.end, finding.rule.code));
    (findings, omitted)
}

/// Reports the problems of responses, which only rules of category `live` find. Findings have no
/// place in the text; the [text](Report::text) of the report is empty.
pub fn lint_responses(observation: &Observation, settings: &Settings) -> Report {
    let mut collector = Collector::default();
    for (rule, check) in RULES.iter().zip(CHECKS).filter(|(rule, _)| settings.runs(rule)) {
        if let Check::Live(check) = check {
            check(observation, &mut collector.of(rule));
        }
    }
    let (mut findings, omitted) = collector.finish();
    for finding in &mut findings {
        finding.severity = settings.severity_of(finding.rule, finding.severity);
    }
    Report::new(b"", (findings, omitted))
}

/// The dialect that reads the file: without a size limit if only rules of category audit run.
fn dialect_of(settings: &Settings) -> &'static Dialect {
    if is_audit(settings) { &WHOLE } else { &DIALECT }
}

/// Whether only rules run that read the file as other tools do.
fn is_audit(settings: &Settings) -> bool {
    let mut rules = RULES.iter().filter(|rule| settings.runs(rule)).peekable();
    rules.peek().is_some() && rules.all(|rule| rule.category == Category::Audit)
}

/// Adds the finding for a diagnostic.
fn diagnosed(file: &File<'_>, settings: &Settings, found: Diagnostic, to: &mut Collector<'_>) {
    use DiagnosticKind::{LooksLikeHtml, ManyNuls, Utf32};
    let Some((rule, detail)) = diagnostic_rule(settings, found) else { return };
    let is_noise = rule.category == Category::Syntax
        && file.is_foreign()
        && !matches!(found.kind, LooksLikeHtml | ManyNuls | Utf32);
    if !is_noise && rule.category != Category::Portability {
        to.add(rule, found.span, || {
            detail(file, found, Finding::new(rule, found.span, message(file, found)))
        });
    }
}

/// The message of a diagnostic, with the text that was found. The engine does not have it.
fn message(file: &File<'_>, found: Diagnostic) -> String {
    use DiagnosticKind::{InvalidValue, SitemapNotAbsolute};
    match found.kind {
        InvalidValue(_) | SitemapNotAbsolute if found.span.is_empty() => {
            format!("{found}, but found nothing")
        }
        InvalidValue(_) | SitemapNotAbsolute => {
            format!("{found}, but found {}", file.show(found.span))
        }
        _ => found.to_string(),
    }
}

/// Adds the findings for diagnostics of category portability in a dialect.
fn portability(file: &File<'_>, settings: &Settings, dialect: Dialect, to: &mut Collector<'_>) {
    let robots = dialect.parse(file.bytes);
    // A dialect that does not decode UTF-16 has another text, and so has one with a higher limit.
    let is_same_text = file.robots.encoding() == Encoding::Utf8;
    let length = if is_same_text { file.text().len() } else { 0 };
    let unnamed = unnamed_crawler(&[&file.robots, &robots]);
    robots.diagnose(|found| {
        let Some((rule, detail)) = diagnostic_rule(settings, found) else { return };
        if rule.category == Category::Portability && found.span.end <= length {
            to.add(rule, found.span, || {
                let message = match found.kind {
                    DiagnosticKind::ForeignKey => {
                        let key = file.show(found.span);
                        format!("dialect `{dialect}` does not know {key}; the line has no effect")
                    }
                    _ => format!("in dialect `{dialect}`, {}", message(file, found)),
                };
                let mut finding = Finding::new(rule, found.span, message);
                finding.url = different_url(file, &robots, &unnamed, found.span);
                detail(file, found, finding)
            });
        }
    });
}

/// A URL that the rule on a line matches, if this dialect gives another answer for it.
fn different_url(
    file: &File<'_>,
    robots: &Robots,
    unnamed: &Crawler,
    line: Span,
) -> Option<String> {
    let pattern = str::from_utf8(file.part(file.line(line)?.record?.value)).ok()?;
    let path = pattern::example(pattern);
    let mut above = file.lines_above(line).filter(|line| line.kind == LineKind::UserAgent);
    let name = above.next().and_then(|line| str::from_utf8(file.part(line.record?.value)).ok());
    let crawler = name.filter(|name| *name != "*").map_or_else(|| unnamed.clone(), Crawler::new);
    let url = format!("{EXAMPLE}{path}");
    let [here, there] = [&file.robots, robots].map(|it| it.check(&crawler, &url).is_allowed());
    (here != there).then(|| file.url(&path))
}

/// Joins the findings that a file is too long: crawlers with different limits have one problem.
fn join_limits(findings: &mut Vec<Finding>) {
    const BY_WEIGHT: [&str; 4] = ["counts-as-none", "truncated", "google-limit", "yandex-limit"];
    let rank = |finding: &Finding| BY_WEIGHT.iter().position(|code| *code == finding.rule.code);
    let Some(main) = (0..findings.len())
        .filter(|&at| rank(&findings[at]).is_some())
        .min_by_key(|&at| rank(&findings[at]))
    else {
        return;
    };
    let main_span = findings[main].span;
    let main_code = findings[main].rule.code;
    let mut notes = Vec::new();
    findings.retain(|finding| {
        let is_other =
            rank(finding).is_some() && (finding.span, finding.rule.code) != (main_span, main_code);
        if is_other {
            notes.push(finding.message.clone());
        }
        !is_other
    });
    if let Some(main) = findings.iter_mut().find(|finding| finding.rule.code == main_code) {
        notes.splice(0..0, main.help.take());
        main.help = (!notes.is_empty()).then(|| notes.join("; "));
    }
}

type Detail = fn(&File<'_>, Diagnostic, Finding) -> Option<Finding>;

/// The selected rule for a diagnostic, and its check.
fn diagnostic_rule(settings: &Settings, found: Diagnostic) -> Option<(&'static Rule, Detail)> {
    let mut rules = RULES.iter().zip(CHECKS);
    let (rule, check) = rules.find(|(rule, _)| rule.code == found.code())?;
    match check {
        Check::Diagnostic(detail) if settings.runs(rule) => Some((rule, *detail)),
        _ => None,
    }
}

/// The rule with a code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code)
}

/// The Rust code of the README, as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_bytes_and_in_utf_16() {
        let text = "\u{feff}a\r\né\u{1f600}x\rb".as_bytes();
        let report = lint(text, &Settings::default());
        let at = |wanted: &str| {
            let offset = str::from_utf8(text).unwrap().find(wanted).unwrap();
            let place = |position: Position| (position.line, position.column);
            (place(report.position(offset)), place(report.utf16_position(offset)))
        };
        assert_eq!(at("a"), ((1, 4), (1, 1)));
        assert_eq!(at("x"), ((2, 7), (2, 4)));
        assert_eq!(at("b"), ((3, 1), (3, 1)));
        let report = lint(b"\xff\xe2\x82x", &Settings::default());
        assert_eq!(report.utf16_position(3).column, 4);
    }
}
