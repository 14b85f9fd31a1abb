//! # unused-suppression
//!
//! A comment suppresses a rule that has no finding there.
//!
//! ## Why is this a problem?
//!
//! It is not an error. But the comment may hide a later problem that nobody knows yet, and readers
//! believe that there is one now.
//!
//! Only rules that run are considered, so not those of category portability without the setting
//! `portable`. Comments without codes are not reported.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart # verger-lint: ignore misspelt-key
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! [linting.md](linting.md#suppression).

use super::prelude::*;
use crate::rule::{Category, Rule};
use crate::settings::Settings;
use crate::suppress::{Suppressions, Word};

pub(super) fn check(
    found: &Suppressions<'_>,
    settings: &Settings,
    findings: &mut Findings<'_, '_>,
) {
    let own = findings.rule;
    let could_find = |rule: &Rule| {
        // The suppression of this rule concerns its own findings, which come last. Those of
        // category live are not about a line.
        rule.code != own.code && rule.category != Category::Live && settings.runs(rule)
    };
    let is_idle = |word: &Word<'_>| crate::rule(word.text).is_some_and(could_find);
    for word in found.unused().into_iter().filter(is_idle) {
        let message = format!("`{}` has no finding here", word.text);
        findings.add(word.span, message, |finding| finding);
    }
}
