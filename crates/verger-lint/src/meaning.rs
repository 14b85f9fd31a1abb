//! Whether two texts mean the same: to every crawler, in every published dialect.
//!
//! The proof is by structure. Two texts with the same groups, rules and records in the same order
//! have the same meaning. The opposite does not hold: an edit that this check rejects may be
//! harmless, and is not made.

use verger::extension::RecordKind;
use verger::{Dialect, Robots, RuleKind};

/// Whether both texts have the same groups, rules and records in every published dialect, size
/// limits included. Comments do not count.
///
/// # Complexity
///
/// Two passes over both texts for each dialect.
///
/// # Examples
///
/// ```
/// use verger_lint::is_same_meaning;
///
/// assert!(is_same_meaning(b"user-agent:*\nDisallow:/cart", b"User-agent: *\nDisallow: /cart\n"));
/// // For some dialects a blank line ends a group.
/// assert!(!is_same_meaning(b"User-agent: *\nDisallow: /cart", b"User-agent: *\n\nDisallow: /cart"));
/// ```
pub fn is_same_meaning(left: &[u8], right: &[u8]) -> bool {
    Dialect::PUBLISHED.iter().all(|dialect| {
        let (left, right) = (dialect.parse(left), dialect.parse(right));
        left.is_truncated() == right.is_truncated()
            && left.encoding() == right.encoding()
            && groups(&left).eq(groups(&right))
            && records(&left).eq(records(&right))
    })
}

#[derive(PartialEq, Eq)]
enum Item<'r> {
    /// Agents come before the rules of their group, and begin with whether it is for everybody.
    Group(bool),
    Agent(&'r [u8]),
    Rule(RuleKind, &'r [u8]),
}

fn groups(robots: &Robots) -> impl Iterator<Item = Item<'_>> {
    robots.groups().flat_map(|group| {
        let agents = group.agents().map(|agent| Item::Agent(agent.value()));
        let rules = group.rules().map(|rule| Item::Rule(rule.kind(), rule.pattern()));
        [Item::Group(group.is_for_everybody())].into_iter().chain(agents).chain(rules)
    })
}

type Record<'r> = (RecordKind, Option<&'r [u8]>, &'r [u8], Option<usize>, Vec<&'r [u8]>);

/// Kind, key if it is unknown, value, group and nearest agents of each record.
fn records(robots: &Robots) -> impl Iterator<Item = Record<'_>> {
    robots.records().map(|record| {
        let key = (record.kind() == RecordKind::Unknown).then(|| record.key());
        let agents = record.agents().map(|agent| agent.value()).collect();
        (record.kind(), key, record.value(), record.group(), agents)
    })
}
