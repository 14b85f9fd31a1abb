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
//! finds those that a person should see nevertheless. `gathering.rs` makes one finding of those
//! about superfluous lines.
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
//   lines; similar codes of rules and names
// - `lighthouse.rs`: the reading of Lighthouse's audit
// - `rules/`: one file a rule, with the list in `rules/mod.rs` and the names that most rules use in
//   `rules/prelude.rs`. The module documentation is the page for users, so a rule's file has no
//   tests: they are pages in `tests/rules`
// - `diagnosed.rs`: the findings for diagnostics of the engine, and for those of other dialects
// - `profile.rs`: ready choices of settings
// - `render/`: reports as text (feature `render`); excerpts with marked lines (`excerpt.rs`),
//   which `check --explain` uses too
// - `toml_error.rs`: problems of files in TOML
// - `config/`: settings from `verger.toml`, read by serde; the JSON schema of the same fields;
//   excluded files (`exclude.rs`)
// - `git.rs`: versions of files
// - `proof.rs`: the proof of safe fixes, by structure or by analysis: one that could change an
//   answer becomes unsafe
// - `gathering.rs`: one finding for the lines of a group with one problem
// - `fmt.rs`: the formatter
//
// A rule of kind `Diagnostic` has the code of a diagnostic of the engine, and adds a fix or drops
// the finding; one of kind `Reported` leaves it as it is. A rule of kind `File` looks at the whole
// file, one of kind `Policies` at the policy of each crawler, and one of kind `Live` at responses.

mod agents;
mod bisection;
mod careful_fixes;
mod check;
mod config;
mod diagnosed;
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
mod toml_error;

use std::cell::LazyCell;
use std::collections::HashSet;
use std::convert::Infallible;

use verger::{Dialect, LineIndex, Position};

use check::{Check, Collector};
pub use config::Config;
#[cfg(feature = "schema")]
pub use config::schema;
use diagnosed::{diagnosed, join_limits, portability};
use file::{DIALECT, File, WHOLE};
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
pub use similar::{did_you_mean, similar_names};
use suppress::Suppressions;
pub use toml_error::TomlError;

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

    /// The text with the fixes up to this safety applied in one pass, and their number. Without
    /// any, leave the file as it is: [`text`](Self::text) may be decoded or cut.
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

    /// The result of [`fixed_until_none`](Self::fixed_until_none), worked out while a function
    /// returns true, which is called as in [`lint_while`]. `None` also if it ended the work.
    pub fn fixed_while(
        &self,
        settings: &Settings,
        safety: Safety,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<(Vec<u8>, Self, usize)> {
        let (mut last, mut fixes) = (None, 0);
        for _ in 0..limits::FIX_PASSES {
            let report = last.as_ref().map_or(self, |(_, report)| report);
            let with_more = report.fixed_with_more(settings, safety, goes_on);
            let (text, applied) = with_more.unwrap_or_else(|| report.fixed_once(safety));
            if applied == 0 {
                break;
            }
            fixes += applied;
            let report = lint_while(&text, settings, goes_on)?;
            last = Some((text, report));
        }
        last.map(|(text, report)| (text, report, fixes))
    }

    /// As [`fixed_once`](Self::fixed_once), also with the fixes of findings that are left out.
    /// `None` if nothing is left out, if no such fix can be proved within the limits, or if the
    /// function ended the work.
    fn fixed_with_more(
        &self,
        settings: &Settings,
        safety: Safety,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<(Vec<u8>, usize)> {
        let has_fix = |it: &&Finding| it.fix.as_ref().is_some_and(|fix| fix.safety <= safety);
        let fixed: HashSet<_> =
            self.findings.iter().filter(has_fix).map(|it| it.rule.code).collect();
        let omitted = self.omitted.iter().map(|(rule, _)| rule.code);
        let unlimited: Vec<_> = omitted.filter(|code| fixed.contains(code)).collect();
        if unlimited.is_empty() {
            return None;
        }
        let file = File::new(&self.text, settings, dialect_of(settings));
        let continues = || goes_on().then_some(()).ok_or(());
        let found = findings_of(&file, settings, Depth::Proofs, &unlimited, &continues).ok()?;
        let (text, applied) = Self::new(file.text(), found).fixed_once(safety);
        (applied > 0).then_some((text, applied))
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
    let Ok(report) = run(bytes, settings, Depth::Proofs, &|| Ok::<_, Infallible>(()));
    report
}

/// Lints a file while a function returns true, for editors: a change of the file ends the work.
/// `None` if it was ended.
///
/// The function is called before each rule, each question about the meaning of the rules, and each
/// proof: the longest of them takes about a second in a hostile file.
pub fn lint_while(bytes: &[u8], settings: &Settings, goes_on: &dyn Fn() -> bool) -> Option<Report> {
    run(bytes, settings, Depth::Proofs, &|| goes_on().then_some(()).ok_or(())).ok()
}

/// Lints a file without its analysis, for editors: the findings of [`lint`] that need one pass over
/// the text, in milliseconds.
///
/// Rules about the meaning of all rules together, such as `dead-rule`, are missing, and so are
/// fixes, because their safety is not proved. `None` if the function, which is called before each
/// rule, ended the work.
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
    run(bytes, settings, Depth::Text, &|| goes_on().then_some(()).ok_or(())).ok()
}

const UNUSED_SUPPRESSION: &str = "unused-suppression";

/// The questions about a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Those that need one pass over the text.
    Text,
    /// Also those about the meaning of the rules, and whether fixes are safe.
    Proofs,
}

/// Lints a file. An error of the function ends the work.
fn run<E>(
    bytes: &[u8],
    settings: &Settings,
    depth: Depth,
    continues: &dyn Fn() -> Result<(), E>,
) -> Result<Report, E> {
    let file = File::new(bytes, settings, dialect_of(settings));
    let (mut findings, omitted) = findings_of(&file, settings, depth, &[], continues)?;
    gathering::gather(&file, &mut findings);
    continues()?;
    Ok(Report::new(file.text(), (findings, omitted)))
}

/// The findings of a file before they are gathered: all of the rules with the codes `unlimited`,
/// and of the others the first ones.
fn findings_of<E>(
    file: &File<'_>,
    settings: &Settings,
    depth: Depth,
    unlimited: &[&'static str],
    continues: &dyn Fn() -> Result<(), E>,
) -> Result<check::Found, E> {
    let goes_on = || continues().is_ok();
    let crawlers = LazyCell::new(|| Crawlers::of(file));
    let policies = LazyCell::new(|| Policies::new(file, settings, &crawlers, &goes_on));
    let mut collector = Collector::new(Suppressions::of(&file.tree, file.text()), unlimited);
    for (rule, check) in RULES.iter().zip(CHECKS).filter(|(rule, _)| settings.runs(rule)) {
        continues()?;
        match check {
            Check::File(check) => check(file, &mut collector.of(rule)),
            Check::Policies(check) if depth == Depth::Proofs => {
                check(&policies, &mut collector.of(rule));
            }
            Check::Policies(_) | Check::Diagnostic(_) | Check::Suppressions(_) | Check::Live(_) => {
            }
        }
    }
    let (mut findings, omitted) = found(file, settings, collector);
    match depth {
        Depth::Text => {
            // It may suppress a finding of the analysis.
            findings.retain(|finding| finding.rule.code != UNUSED_SUPPRESSION);
            for finding in &mut findings {
                finding.fix = None;
            }
        }
        Depth::Proofs => {
            careful_fixes::keep_rules_of_unclear_groups(file, &mut findings);
            let careful = careful_fixes::careful(file, &findings);
            proof::prove(file.text(), &mut findings, &careful, &goes_on);
        }
    }
    Ok((findings, omitted))
}

/// The findings of diagnostics and of rules that look at suppressions, added to those of other
/// rules, with their severities, and sorted.
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
    fn rules_with_a_special_treatment_exist() {
        let single = [
            gathering::WITHOUT_FIX,
            careful_fixes::UNCLEAR_WITHOUT_FIX,
            merged::JOINED_RECORDS,
            merged::PATTERN_LIST,
            UNUSED_SUPPRESSION,
        ];
        let lists: [&[&str]; 6] = [
            &gathering::GATHERED,
            &gathering::ONCE,
            &careful_fixes::BY_ANSWERS,
            &careful_fixes::UNCLEAR,
            &diagnosed::BY_WEIGHT,
            &single,
        ];
        for code in lists.concat() {
            assert!(rule(code).is_some(), "no rule has the code {code}");
        }
    }

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
