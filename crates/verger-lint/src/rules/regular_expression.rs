//! # regular-expression
//!
//! A pattern is written as a regular expression.
//!
//! ## Why is this a problem?
//!
//! In a pattern, `*` matches any text, a `$` at the end is the end of the URL, and everything else
//! is literal. `/blog/.*` matches only URLs whose path has a dot after `/blog/`, and `/[0-9]+` only
//! those with these five characters. The rule then matches nothing.
//!
//! The rule reports a `^` at the start, `\` before punctuation or a class such as `\d`, ranges such
//! as `[0-9]` and `[Aa]`, alternatives such as `(a|b)` and `{a,b}`, and `.*` or `.+` in place of a
//! name or of its start. In `/index.*` the dot can be meant, and `/.*` matches hidden files.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /blog/.*\.php
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /blog/*.php
//! ```
//!
//! ## Fix
//!
//! Writes `*` for classes and repetitions, and removes `^` and `\`. Unsafe: the rule takes effect,
//! and may match more than the expression. There is no fix for alternatives, for a class at the
//! end, and if the pattern would have no word, such as `/*/` for `/\d+/`.
//!
//! ## References
//!
//! RFC 9309 section 2.2.3, REP-MATCH-16, REP-MATCH-17.

use super::prelude::*;
use crate::intended_pattern::{first_operator, of_expression};
use crate::pattern::split;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for rule in file.rules() {
        // `absolute-pattern` reports URLs.
        let Some(text) = str::from_utf8(rule.pattern()).ok() else { continue };
        let found = first_operator(text).filter(|_| split(rule.pattern()).is_none());
        let Some((at, operator)) = found else { continue };
        let shown = show(&text.as_bytes()[at..at + operator.length]);
        let message = format!(
            "expected a pattern, but found a regular expression: {shown} has another meaning in patterns"
        );
        let fix = of_expression(text).map(|pattern| {
            let title = format!("write {}", show(pattern.as_bytes()));
            Fix::replace(Safety::Unsafe, title, rule.span(), pattern)
        });
        let start = rule.span().start + at;
        findings.add(Span { start, end: start + operator.length }, message, |finding| {
            finding
                .help("`*` matches any text, `$` at the end is the end of the URL, and all else is literal")
                .fix(fix)
        });
    }
}
