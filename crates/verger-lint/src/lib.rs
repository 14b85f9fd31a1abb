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
//! let (fixed, _) = report.fixed(verger_lint::fix::Safety::Unsafe);
//! assert_eq!(fixed, b"User-agent: *\nDisallow: /cart\n");
//! ```
//!
//! # Flow
//!
//! `file.rs` reads the file once: the engine's parser gives records and spans, `syntax.rs` the
//! lines. Each rule in `rules/` looks at it and adds findings; `suppress.rs` drops those that a
//! comment suppresses. `proof.rs` proves that safe fixes change no answer.

mod check;
mod file;
mod finding;
pub mod fix;
mod fmt;
mod halving;
pub mod limits;
mod meaning;
mod pattern;
mod proof;
mod rule;
mod rules;
mod settings;
mod statement;
mod suppress;
pub mod syntax;

use verger::Dialect;
use verger::diagnostic::{Diagnostic, DiagnosticKind, Severity};
use verger::parse::Encoding;

use check::{Check, Findings};
use file::File;
pub use finding::{Finding, Label};
use fix::{Fix, Safety};
pub use fmt::format;
pub use meaning::is_same_meaning;
pub use rule::{Category, Rule};
use rules::CHECKS;
pub use rules::RULES;
pub use settings::Settings;
use suppress::Suppressions;

/// The findings of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The text that spans refer to: the file, or its UTF-8 form if it is in UTF-16.
    pub text: Vec<u8>,
    /// The findings, in the order of the text.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The highest severity of the findings.
    pub fn severity(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }

    /// The text with the fixes up to this safety applied, and their number. Without any, leave the
    /// file as it is: [`text`](Self::text) may be decoded or cut.
    pub fn fixed(&self, safety: Safety) -> (Vec<u8>, usize) {
        let fixes = self.findings.iter().filter_map(|finding| finding.fix.as_ref());
        fix::apply(&self.text, fixes.filter(|fix: &&Fix| fix.safety <= safety))
    }
}

/// Lints a file.
///
/// # Complexity
///
/// A few passes over the file; with safe fixes about twenty more, because they are proved. The cost
/// of fixes that turn out to be unsafe is limited by a number of proofs.
pub fn lint(bytes: &[u8], settings: &Settings) -> Report {
    let file = File::new(bytes, settings);
    let mut findings = Vec::new();
    for (rule, check) in RULES.iter().zip(CHECKS) {
        if let Check::File(check) = check
            && settings.runs(rule)
        {
            check(&file, &mut Findings { rule, list: &mut findings });
        }
    }
    for &found in &file.diagnostics {
        findings.extend(diagnosed(&file, settings, found));
    }
    for dialect in &settings.portable {
        findings.extend(portability(&file, settings, *dialect));
    }
    let suppressions = Suppressions::of(&file.tree, file.text());
    findings.retain(|finding| !suppressions.covers(finding));
    let is_editable = file.is_editable();
    for finding in &mut findings {
        finding.severity = settings.severity_of(finding.rule);
        if !is_editable {
            finding.fix = None;
        }
    }
    findings.sort_by_key(|finding| (finding.span.start, finding.span.end, finding.rule.code));
    proof::prove(file.text(), &mut findings);
    Report { text: file.text().to_vec(), findings }
}

/// The finding for a diagnostic.
fn diagnosed(file: &File<'_>, settings: &Settings, found: Diagnostic) -> Option<Finding> {
    use DiagnosticKind::{LooksLikeHtml, ManyNuls, Utf32};
    let (rule, detail) = diagnostic_rule(settings, found)?;
    let is_noise = rule.category == Category::Syntax
        && file.is_foreign()
        && !matches!(found.kind, LooksLikeHtml | ManyNuls | Utf32);
    if is_noise || rule.category == Category::Portability {
        return None;
    }
    detail(file, found, Finding::new(rule, found.span, found.to_string()))
}

/// The findings of category portability for a dialect.
fn portability(file: &File<'_>, settings: &Settings, dialect: Dialect) -> Vec<Finding> {
    let mut findings = Vec::new();
    // A dialect that does not decode UTF-16 has another text, and so has one with a higher limit.
    let is_same_text = file.robots.encoding() == Encoding::Utf8;
    let length = if is_same_text { file.text().len() } else { 0 };
    dialect.parse(file.bytes).diagnose(&mut |found: Diagnostic| {
        let Some((rule, detail)) = diagnostic_rule(settings, found) else { return };
        if rule.category == Category::Portability && found.span.end <= length {
            let message = format!("in dialect `{dialect}`, {found}");
            findings.extend(detail(file, found, Finding::new(rule, found.span, message)));
        }
    });
    findings
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
