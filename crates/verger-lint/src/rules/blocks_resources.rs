//! # blocks-resources
//!
//! A rule disallows style sheets or scripts, although pages are allowed.
//!
//! ## Why is this a problem?
//!
//! Search engines render pages as browsers do. Without style sheets and scripts they may see an
//! empty or broken page.
//!
//! The rule checks Googlebot, and crawlers that no group names. It reports patterns that end
//! with `*.css` or `*.js`, or with a folder named `css`, `js` or like one of WordPress's folders
//! with such files, if the file does not allow the style sheets and scripts in it again.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /wp-includes/
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /wp-includes/
//! Allow: /wp-includes/*.css
//! Allow: /wp-includes/*.js
//! ```
//!
//! ## References
//!
//! Google's pages on crawling and rendering (GDOC).

use std::collections::HashSet;

use verger::RuleKind;

use super::prelude::*;
use crate::pattern::example;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let robots = &file.robots;
    let mut known = HashSet::new();
    for (crawler, name) in file.crawlers() {
        let rules = robots.groups_for(&crawler).flat_map(|group| group.rules());
        let rules = rules.filter(|rule| rule.kind() == RuleKind::Disallow);
        let mut rules = rules.map(|rule| (rule, resources(rule.pattern()))).peekable();
        while rules.next_if(|(_, paths)| paths.is_empty()).is_some() {}
        if rules.peek().is_none() {
            continue;
        }
        let policy = robots.policy(&crawler).without_explanation();
        if !policy.is_allowed("/") {
            continue;
        }
        for (rule, paths) in rules {
            let Some(path) = paths.into_iter().find(|path| !policy.is_allowed(path)) else {
                continue;
            };
            if known.insert(rule.span()) {
                let shown = show_rule(&rule);
                let message = format!("{shown} blocks style sheets or scripts for {name}");
                findings.add(rule.span(), message, |finding| finding.url(file.url(&path)));
            }
        }
    }
}

/// Examples of style sheets and scripts that a pattern matches, if its end names them.
fn resources(pattern: &[u8]) -> Vec<String> {
    let Ok(pattern) = str::from_utf8(pattern) else { return Vec::new() };
    let path = example(pattern);
    let end = pattern.trim_end_matches(['*', '$', '?']).to_ascii_lowercase();
    let name = end.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    // A single script may be blocked for a reason.
    if matches!(name.trim_start_matches('*'), ".css" | ".js") {
        return vec![path];
    }
    let files: &[&str] = match name {
        "css" | "stylesheets" => &["a.css"],
        "js" | "javascript" | "javascripts" => &["a.js"],
        "wp-includes" | "wp-content" => &["a.css", "a.js"],
        _ => &[],
    };
    let slash = if end.ends_with('/') || pattern.ends_with('*') { "" } else { "/" };
    files.iter().map(|file| format!("{path}{slash}{file}")).collect()
}
