//! # pattern-list
//!
//! A rule has a list of patterns, which is read as a single pattern.
//!
//! ## Why is this a problem?
//!
//! A rule has one pattern, up to the end of its line. No usual URL contains the whole list, so the
//! rule matches none of the paths in it.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart, /search
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Disallow: /search
//! ```
//!
//! ## Fix
//!
//! Gives each pattern a separate line. Unsafe: the rules take effect. There is no fix if one of
//! them would match everything, or contains a blank.
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-SYNTAX-13.

use super::prelude::*;
use crate::merged::{inner_records, patterns};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for line in file.tree.lines().iter().filter(|line| matches!(line.kind, LineKind::Rule(_))) {
        let Some(record) = line.record.filter(|_| inner_records(file, line).is_empty()) else {
            continue;
        };
        let patterns = patterns(file.part(record.value));
        if patterns.len() == 1 {
            continue;
        }
        let key = file.part(record.key);
        // In `/a to /b`, more than the ends of lines is missing.
        let is_doubtful = |it: &&[u8]| is_everything(it) || it.iter().any(u8::is_ascii_whitespace);
        let fix = (!patterns.iter().any(is_doubtful)).then(|| {
            let lines = patterns.join(&[file.line_end(), key, b": "].concat()[..]);
            let title = "give each pattern a separate line";
            Fix::replace(Safety::Unsafe, title, record.value, lines)
        });
        let message = "expected one pattern, but found a list, which is read as a single pattern";
        findings.add(record.value, message, |finding| {
            finding.help("give each pattern a separate line").fix(fix)
        });
    }
}
