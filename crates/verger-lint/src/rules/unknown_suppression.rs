//! # unknown-suppression
//!
//! A comment for the linter names no rule, or does not say `ignore`.
//!
//! ## Why is this a problem?
//!
//! The comment suppresses nothing, or less than its author meant.
//!
//! After `# verger-lint:` comes `ignore` or `ignore-file`, and then the codes of rules, separated
//! by commas or blanks. Categories are not permitted; without codes, all rules are suppressed. An
//! explanation belongs into another comment.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Dissalow: /cart # verger-lint: ignore mispelt-key
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Dissalow: /cart # verger-lint: ignore misspelt-key
//! ```
//!
//! ## References
//!
//! [linting.md](linting.md#suppression).

use super::RULES;
use super::prelude::*;
use crate::settings::Settings;
use crate::similar;
use crate::suppress::Suppressions;

pub(super) fn check(found: &Suppressions<'_>, _: &Settings, findings: &mut Findings<'_, '_>) {
    for verb in found.unknown_verbs() {
        let shown = show(verb.text.as_bytes());
        let message = format!("expected `ignore` or `ignore-file`, but found {shown}");
        findings.add(verb.span, message, |finding| finding);
    }
    for word in found.codes().into_iter().filter(|word| crate::rule(word.text).is_none()) {
        let message = format!("there is no rule {}", show(word.text.as_bytes()));
        findings.add(word.span, message, |finding| match similar::rule(word.text, RULES) {
            Some(rule) => finding.help(format!("did you mean `{rule}`?")),
            None => finding.help("`verger lint --list-rules` lists all rules"),
        });
    }
}
