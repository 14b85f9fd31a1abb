//! Files with one rule, and targets, as the engine explains them.

use verger::{Dialect, Robots};

/// The target of a URL for comparison with rules.
pub(crate) fn target(url: &[u8], dialect: &Dialect) -> Option<Vec<u8>> {
    only_rule(b"/", dialect).explain("a", url).target
}

/// A file that disallows one pattern, without exempt URLs and without limits.
pub(crate) fn only_rule(pattern: &[u8], dialect: &Dialect) -> Robots {
    let mut dialect = *dialect;
    dialect.robots_txt_always_allowed = false;
    (dialect.line_limit, dialect.rule_limit) = (None, None);
    dialect.parse(&[b"User-agent: *\nDisallow: ", pattern, b"\n"].concat())
}

/// REP-AMB-42.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "iterators over bytes give references")]
pub(crate) fn is_space(octet: &u8) -> bool {
    matches!(octet, b' ' | b'\t' | 0x0B | 0x0C)
}
