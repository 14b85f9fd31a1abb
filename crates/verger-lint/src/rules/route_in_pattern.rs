//! # route-in-pattern
//!
//! A pattern has a group or a placeholder of routes, as web frameworks write them.
//!
//! ## Why is this a problem?
//!
//! In Next.js, Expo and other frameworks, `(auth)` is a folder that groups routes, and `[slug]` is
//! a placeholder for any text. Express, Rails and Laravel write `:slug` or `{slug}`, and Flask and
//! Django `<int:id>`. URLs contain none of them. In a pattern they are literal, so the rule matches
//! nothing.
//!
//! The rule reports parentheses around the whole first part of a path, and the placeholders as a
//! whole part. Parameters such as `filter[type]` and pages such as `/wiki/(edit)` exist. Crawlers
//! find `/{link}` in scripts, and a rule closes such URLs on purpose; so braces are reported only
//! after a name.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /(auth)/login
//! Disallow: /jobs/[id]/apply
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /login
//! Disallow: /jobs/*/apply
//! ```
//!
//! ## Fix
//!
//! Removes the group, and writes `*` for the placeholder. Unsafe: the rule takes effect. There is
//! no fix if the pattern would have no word, such as `/` for `/(auth)/`.
//!
//! ## References
//!
//! RFC 9309 section 2.2.3, REP-MATCH-16.

use super::prelude::*;
use crate::intended_pattern::{certain, is_expression};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    // Every placeholder has one of these; most patterns have none.
    let may_be_one = |pattern: &[u8]| pattern.iter().any(|it| b"(:{<[".contains(it));
    let rules = file.rules().filter(|rule| may_be_one(rule.pattern()));
    for rule in rules.filter(|rule| !is_expression(rule.pattern())) {
        let Ok(text) = str::from_utf8(rule.pattern()) else { continue };
        let (mut first, mut start, mut path) = (None, rule.span().start, Vec::new());
        for (index, part) in text.split('/').enumerate() {
            let body = part.trim_end_matches(['*', '$']);
            let group = body.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
            let kind = if index == 1 && group.is_some_and(is_name) {
                "a group"
            } else if placeholder(body, &path).is_some_and(is_name) {
                path.push(format!("*{}", &part[body.len()..]));
                "a placeholder"
            } else {
                path.push(part.to_owned());
                ""
            };
            if !kind.is_empty() {
                first.get_or_insert((Span { start, end: start + body.len() }, kind));
            }
            start += part.len() + 1;
        }
        let Some((span, kind)) = first else { continue };
        let message = format!("expected a path, but found {}, {kind} of routes", file.show(span));
        let fix = certain(&path.join("/")).map(|pattern| {
            let title = format!("write {}", show(pattern.as_bytes()));
            Fix::replace(Safety::Unsafe, title, rule.span(), pattern)
        });
        findings.add(span, message, |finding| {
            finding.help("URLs do not contain it, and the rule matches nothing").fix(fix)
        });
    }
}

/// The name in a part that is a placeholder, after these parts.
fn placeholder<'p>(part: &'p str, before: &[String]) -> Option<&'p str> {
    let between = |start, end| part.strip_prefix(start)?.strip_suffix(end);
    let has_name = || before.iter().any(|it| it.contains(|c: char| c.is_alphanumeric()));
    let braces = || between('{', '}').filter(|_| has_name());
    // After the type of its value: `int:id`.
    let angles = || between('<', '>').map(|it| it.rsplit(':').next().unwrap_or(it));
    let brackets = between('[', ']').map(|it| it.trim_matches(['[', ']']));
    brackets.or_else(|| part.strip_prefix(':')).or_else(braces).or_else(angles)
}

/// Whether a text is a name of a route.
fn is_name(text: &str) -> bool {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    text.contains(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_usual)
}
