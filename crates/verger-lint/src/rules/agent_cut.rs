//! # agent-cut
//!
//! A user-agent line has text after the name, which does not count.
//!
//! ## Why is this a problem?
//!
//! Crawlers compare only the first word, without version. A version or a comment on the line limits
//! nothing. Readers of the older texts compare the whole value, so the line names nobody there.
//!
//! ## Example
//!
//! ```text
//! User-agent: Googlebot/2.1
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: Googlebot
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Removes a version, or a comment after `*` or a known name. Unsafe: readers of the older texts
//! obey the group afterwards. There is no fix for a list of names, for a name of several words, and
//! for a path.
//!
//! ## References
//!
//! REP-AGENT-5, REP-AMB-11.

use verger_registry::Registry;

use super::prelude::*;
use crate::agents::is_header;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let value = file.line(found.span)?.record?.value;
    let is_star = file.part(value).starts_with(b"*");
    if is_header(file.part(value)) {
        return None;
    }
    let rest = file.part(found.span);
    if rest.contains(&b',') {
        return Some(finding.help("give each crawler a separate user-agent line"));
    }
    if rest.trim_ascii_start().starts_with(b"/") && rest.starts_with(b" ") {
        return Some(finding.help("paths belong to rules, each on a separate line"));
    }
    let is_known = |name: &[u8]| {
        str::from_utf8(name).is_ok_and(|name| Registry::bundled().find(name).is_some())
    };
    let is_word = rest.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic);
    let name = file.part(Span { end: found.span.start, ..value }).trim_ascii();
    if !is_star && (is_word || !rest.starts_with(b"/") && !is_known(name)) {
        let mut words = rest.split(u8::is_ascii_whitespace);
        return Some(finding.help(match (is_known(name), words.find(|word| is_known(word))) {
            (true, Some(_)) => "give each crawler a separate user-agent line".to_owned(),
            (false, Some(word)) => format!("a name is one word: write {}", show(word)),
            (true, None) => format!("only {} is read", show(name)),
            (false, None) => format!("only {} is read, which is no known crawler", show(name)),
        }));
    }
    let title = format!("remove {}", show(rest.trim_ascii()));
    Some(finding.fix(Fix::replace(Safety::Unsafe, title, found.span, "")))
}
