//! # case-variants
//!
//! Two patterns of a group differ only in the case of letters.
//!
//! ## Why is this a problem?
//!
//! Case matters in paths and patterns. On a server that ignores it, every other spelling leads to
//! the same page and is still open: `/ADMIN` for the example below. On other servers one of the
//! patterns probably matches nothing. And if one pattern is allowed, a page is open in one spelling
//! only.
//!
//! Endings such as `.JPG` and `.jpg` are not reported: files with both exist. Nor are patterns of
//! queries: `?cid` and `?CID` are two parameters.
//!
//! The first two such patterns of a file are reported, with the number of the others.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /admin
//! Disallow: /Admin
//! ```
//!
//! Use instead one spelling, and let the server redirect all others to it:
//!
//! ```text
//! User-agent: *
//! Disallow: /admin
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-MATCH-2.

use std::collections::{HashMap, HashSet};

use verger::Rule;

use super::prelude::*;
use crate::pattern::normalised;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let (mut first, mut words) = (None, HashSet::new());
    for group in file.robots.groups() {
        let mut known = HashMap::new();
        // Names of parameters are different ones.
        let is_path = |rule: &Rule<'_>| !rule.pattern().iter().any(|it| b"?=&".contains(it));
        for rule in file.twins(group).filter(is_path) {
            // Escapes have no case.
            let pattern = normalised(rule.pattern());
            let word = pattern.to_ascii_lowercase();
            let (earlier, spelling) =
                known.entry(word.clone()).or_insert_with(|| (rule, pattern.clone()));
            let is_same_name = pattern.rsplit(|it| *it == b'.').next().is_some_and(|ending| {
                let name = pattern.len() - ending.len();
                name > 0 && !ending.contains(&b'/') && pattern[..name] == spelling[..name]
            });
            if *spelling != pattern && !is_same_name && words.insert(word) {
                first.get_or_insert((rule, *earlier));
            }
        }
    }
    let Some((rule, earlier)) = first else { return };
    let more = match words.len() - 1 {
        0 => String::new(),
        1 => ", and so does another pair".to_owned(),
        count => format!(", and so do {count} other pairs"),
    };
    let [shown, other] = [&rule, &earlier].map(|rule| show(rule.pattern()));
    let message = format!("{shown} and {other} differ only in case{more}");
    findings.add(rule.span(), message, |finding| {
        finding.label(earlier.span(), "the other spelling").help(
            "on a server that ignores case, other spellings are still open: redirect all to one",
        )
    });
}
