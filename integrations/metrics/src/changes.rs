//! Changes between two versions of a file.

use std::collections::BTreeMap;

use verger::Dialect;

use crate::access::Restriction;
use crate::crawlers::CrawlerAccess;
use crate::statements::Statements;

/// Changes between two versions of a file.
///
/// # Examples
///
/// ```
/// use verger::Dialect;
/// use verger_metrics::{Changes, Restriction};
///
/// let after = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nContent-Signal: ai-train=no\n";
/// let changes = Changes::between(b"", after, Dialect::RFC9309);
/// assert_eq!(changes.crawlers["GPTBot"], (Restriction::None, Restriction::All));
/// assert_eq!(changes.crawlers.len(), 1);
/// assert_eq!(changes.gained, ["Content-Signal"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Known crawlers whose restriction differs, with both.
    pub crawlers: BTreeMap<&'static str, (Restriction, Restriction)>,
    /// Statements that only the later version has, by the usual spelling of their key.
    pub gained: Vec<&'static str>,
    /// Statements that only the earlier version has.
    pub lost: Vec<&'static str>,
    /// Whether the bytes differ.
    pub is_edited: bool,
}

impl Changes {
    /// The changes from a version to a later one.
    pub fn between(before: &[u8], after: &[u8], dialect: Dialect) -> Self {
        if before == after {
            return Self::default();
        }
        let access = [before, after].map(|file| CrawlerAccess::of(file, dialect));
        let counts = [before, after].map(|file| Statements::of(file, dialect).counts);
        let only = |one: usize| -> Vec<&'static str> {
            counts[one].keys().filter(|key| !counts[1 - one].contains_key(**key)).copied().collect()
        };
        let crawlers = access[0].crawlers().zip(access[1].crawlers());
        let crawlers = crawlers.filter_map(|((crawler, one), (_, other))| {
            // A restriction that was not decided is no change.
            let both = one.restriction.zip(other.restriction)?;
            (both.0 != both.1).then_some((crawler.token(), both))
        });
        Self { crawlers: crawlers.collect(), gained: only(1), lost: only(0), is_edited: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_gained_and_lost() {
        let changes =
            Changes::between(b"Host: a\nX: y\n", b"Sitemap: /s\nX: z\n", Dialect::RFC9309);
        assert_eq!((&*changes.gained, &*changes.lost), (&["Sitemap"][..], &["Host"][..]));
    }
}
