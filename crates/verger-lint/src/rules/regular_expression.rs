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
//! The rule reports a `^` at the start, `\` before punctuation or a class such as `\d`, ranges such as
//! `[0-9]`, alternatives such as `(a|b)`, and `.*` or `.+` in place of a name or of its start. In
//! `/index.*` the dot can be meant, and `/.*` matches hidden files.
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
//! and may match more than the expression. There is no fix for expressions with parentheses, and none
//! if the pattern would have no word, such as `/*/` for `/\d+/`.
//!
//! ## References
//!
//! RFC 9309 section 2.2.3, REP-MATCH-16, REP-MATCH-17.

use super::prelude::*;
use crate::limits::OPERATOR_BYTES;
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
        let fix = pattern(text).map(|pattern| {
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

/// Whether a pattern is a regular expression.
pub(super) fn is_expression(pattern: &[u8]) -> bool {
    str::from_utf8(pattern).is_ok_and(|text| first_operator(text).is_some())
}

/// An operator of regular expressions.
struct Operator {
    length: usize,
    /// The text of a pattern that matches the same or more; `None` if that is uncertain.
    pattern: Option<String>,
}

/// The first operator that is hardly ever literal, and its offset.
fn first_operator(text: &str) -> Option<(usize, Operator)> {
    let mut operators = text.char_indices().filter_map(|(at, _)| Some((at, operator(text, at)?)));
    // A dot before a star can be literal, except in place of a name or of its start.
    let replaces_name = |at: usize| {
        let folder = text[..at].strip_suffix('/');
        let is_hidden = matches!(text.as_bytes().get(at + 2), None | Some(b'/' | b'$'));
        at == 0
            || folder.is_some_and(|it| !is_hidden || it.ends_with(|c: char| c.is_alphanumeric()))
    };
    operators.find(|(at, _)| !text[*at..].starts_with('.') || replaces_name(*at))
}

/// The operator at an offset.
fn operator(text: &str, at: usize) -> Option<Operator> {
    const LITERALS: &str = ".?/-+*()[]{}|$^";
    let rest = &text[at..];
    let mut chars = rest.chars();
    let (first, second, third) = (chars.next()?, chars.next(), chars.next());
    let end = |c: char| rest.bytes().take(OPERATOR_BYTES).position(|it| char::from(it) == c);
    let mut pattern = Some("*".to_owned());
    let length = match (first, second) {
        ('^', Some(second)) if at == 0 => {
            let slash = if second.is_alphanumeric() { "/" } else { "" };
            return Some(Operator { length: 1, pattern: Some(slash.to_owned()) });
        }
        ('\\', Some(literal)) if LITERALS.contains(literal) => {
            return Some(Operator { length: 2, pattern: Some(literal.to_string()) });
        }
        ('\\', Some('d' | 'w' | 's')) if !third.is_some_and(char::is_alphanumeric) => 2,
        ('.', Some('*' | '+')) => 1,
        ('[', _) => end(']').filter(|&end| is_range(&rest[1..end]))? + 1,
        ('(', _) => {
            pattern = None;
            end(')').filter(|&end| is_group(&rest[1..end]))? + 1
        }
        _ => return None,
    };
    let repetition = match rest[length..].bytes().next() {
        Some(b'*' | b'+') => 1,
        Some(b'{') => end('}').map_or(0, |end| end + 1 - length),
        _ => 0,
    };
    Some(Operator { length: length + repetition, pattern })
}

/// Whether brackets with this text are a range. `filter[type]` is a parameter.
fn is_range(inside: &str) -> bool {
    let is_short = |it: &[u8]| matches!(it, [b'0'..=b'9', b'-', b'0'..=b'9']);
    inside.starts_with('^')
        || ["0-9", "1-9", "a-z", "A-Z"].iter().any(|range| inside.contains(range))
        || is_short(inside.as_bytes())
}

/// Whether parentheses with this text are a group. Those of `/Mercury_(planet)` are none.
fn is_group(inside: &str) -> bool {
    inside.contains('|') || ["?", ".*", ".+", "[", "\\"].iter().any(|it| inside.starts_with(it))
}

/// The pattern for a regular expression; `None` if that is uncertain.
fn pattern(text: &str) -> Option<String> {
    let (mut out, mut at) = (String::new(), 0);
    while let Some(next) = text[at..].chars().next() {
        let (length, part) = match operator(text, at) {
            Some(operator) => (operator.length, operator.pattern?),
            None => (next.len_utf8(), next.to_string()),
        };
        if !(part == "*" && out.ends_with('*')) {
            out.push_str(&part);
        }
        at += length;
    }
    certain(&out)
}

/// A pattern without stars at its end; `None` if it can still be another one that is meant.
pub(super) fn certain(pattern: &str) -> Option<String> {
    let body = pattern.strip_suffix('$').filter(|body| body.ends_with('*')).unwrap_or(pattern);
    let body = body.trim_end_matches('*');
    // Without a word, it would match much more than the author means.
    let is_certain = body.starts_with(['/', '*'])
        && body.contains(char::is_alphanumeric)
        && !body.contains(['(', '|', '[', '{', '+', '^']);
    is_certain.then(|| body.to_owned())
}
