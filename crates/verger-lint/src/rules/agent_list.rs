//! # agent-list
//!
//! A user-agent line lists several crawlers with commas, and only the first one counts.
//!
//! ## Why is this a problem?
//!
//! RFC 9309 and Google's parser read one name on each line. The other crawlers of the list do not
//! obey the group.
//!
//! ## Example
//!
//! ```text
//! User-agent: GPTBot, CCBot
//! Disallow: /
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: GPTBot
//! User-agent: CCBot
//! Disallow: /
//! ```
//!
//! ## Fix
//!
//! Gives each name a separate line. Unsafe: the group then applies to more crawlers.
//!
//! ## References
//!
//! REP-AGENT-8, REP-AMB-12.

use super::prelude::*;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Finding {
    let Some(record) = file.line(found.span).and_then(|line| line.record) else {
        return finding;
    };
    let list = file.part(found.span).split(|&octet| octet == b',').map(<[u8]>::trim_ascii);
    let names: Vec<&[u8]> = list.filter(|name| !name.is_empty()).collect();
    let ends_name = |octet: &u8| octet.is_ascii_whitespace() || b"/;(*".contains(octet);
    if names.iter().any(|name| name.iter().any(ends_name)) {
        return finding.help("some names have text after them, which does not count");
    }
    let key = file.part(record.key);
    let lines = names.join(&[file.line_end(), key, b": "].concat()[..]);
    let title = "give each name a separate line";
    finding.fix(Fix::replace(Safety::Unsafe, title, found.span, lines))
}
