//! Finds problems in robots.txt files.
//!
//! [`lint`] reads a file as RFC 9309 says, and reports problems as [`Finding`]s: lines without
//! effect, misspelt keys, rules that decide nothing, records that vendors ignore. Many have a
//! [`Fix`](fix::Fix).
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
//! comment suppresses.

mod file;
mod finding;
pub mod fix;
mod fmt;
mod meaning;
mod rule;
mod rules;
mod settings;
mod suppress;
pub mod syntax;

use verger::diagnostic::{Diagnostic, Severity};

use file::File;
pub use finding::{Finding, Label};
use fix::{Fix, Safety};
use rule::{Check, Findings};
pub use fmt::{MAX_PROOFS, format};
pub use meaning::is_same_meaning;
pub use rule::{Category, Rule};
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

    /// The text with the fixes up to this safety applied, and their number.
    pub fn fixed(&self, safety: Safety) -> (Vec<u8>, usize) {
        let fixes = self.findings.iter().filter_map(|finding| finding.fix.as_ref());
        fix::apply(&self.text, fixes.filter(|fix: &&Fix| fix.safety <= safety))
    }
}

/// Lints a file.
pub fn lint(bytes: &[u8], settings: &Settings) -> Report {
    let file = File::new(bytes, settings);
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| settings.runs(rule)) {
        if let Check::File(check) = rule.check {
            check(&file, &mut Findings { rule, list: &mut findings });
        }
    }
    file.robots.diagnose(&mut |found: Diagnostic| {
        let Some(rule) = rule(found.code()).filter(|rule| settings.runs(rule)) else { return };
        if let Check::Diagnostic(detail) = rule.check {
            let finding = Finding::new(rule, found.span, found.to_string());
            findings.extend(detail(&file, found, finding));
        }
    });
    let suppressions = Suppressions::of(&file.tree, file.text());
    findings.retain(|finding| !suppressions.covers(finding));
    for finding in &mut findings {
        finding.severity = settings.severity_of(finding.rule);
        if !file.is_editable() {
            finding.fix = None;
        }
    }
    findings.sort_by_key(|finding| (finding.span.start, finding.span.end, finding.rule.code));
    Report { text: file.text().to_vec(), findings }
}

/// The rule with a code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code)
}
