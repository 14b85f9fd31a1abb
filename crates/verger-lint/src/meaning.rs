//! Whether two texts mean the same: to every crawler, in every published dialect.
//!
//! The first proof is by structure. Two texts with the same groups, rules and records in the same
//! order have the same meaning. The opposite does not hold: an edit that this check rejects may be
//! harmless. The second proof is by analysis: the rules may differ if no answer does.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use verger::dialect::{AgentMatch, GroupsTaken, NormalForm};
use verger::extension::RecordKind;
use verger::{Dialect, Group, Robots, RuleKind};
use verger_analysis::{Analysis, Budget};

use crate::limits;
use crate::pattern;

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
    compare(left, right, written_rules, |_| true)
}

/// As [`is_same_meaning`], but lines without effect do not count: a repeated rule of a group, and
/// unknown records. Octets from 0x80 in a pattern are equal to their escapes.
pub(crate) fn has_same_effect(left: &[u8], right: &[u8]) -> bool {
    compare(left, right, effective_rules, |kind| kind != RecordKind::Unknown)
}

/// A text in every published dialect, to compare it with several others.
pub(crate) struct Original {
    /// The dialect that differed last is the first one.
    robots: Vec<Robots>,
}

impl Original {
    /// Number of bytes that are parsed for each byte of a text.
    pub(crate) const PARSES: usize = Dialect::PUBLISHED.len();

    /// `None` if more bytes must be parsed than are left; then none are left.
    pub(crate) fn new(text: &[u8], bytes: &mut usize) -> Option<Self> {
        spend(bytes, text.len() * Self::PARSES)?;
        Some(Self { robots: Dialect::PUBLISHED.iter().map(|it| it.parse(text)).collect() })
    }

    /// As [`is_same_meaning`]; `None` as for [`Original::new`].
    pub(crate) fn is_same_meaning(&mut self, other: &[u8], bytes: &mut usize) -> Option<bool> {
        for at in 0..self.robots.len() {
            spend(bytes, other.len())?;
            let robots = &self.robots[at];
            if !are_equal(robots, &robots.dialect().parse(other), written_rules, &|_| true) {
                self.robots[..=at].rotate_right(1);
                return Some(false);
            }
        }
        Some(true)
    }
}

fn spend(bytes: &mut usize, spent: usize) -> Option<()> {
    let left = bytes.checked_sub(spent);
    *bytes = left.unwrap_or(0);
    left.map(|_| ())
}

/// The rest of the effort that proofs by analysis may take.
pub(crate) struct Effort {
    budget: Budget,
    comparisons: usize,
}

impl Default for Effort {
    fn default() -> Self {
        let budget = Budget::new(limits::PROOF_WORK);
        Self { budget, comparisons: limits::PROOF_COMPARISONS }
    }
}

/// As [`has_same_effect`], but the rules may differ if no answer does: for any crawler with one
/// name or with fallbacks, and any URL. `false` also if it is not proved.
pub(crate) fn has_same_answers(left: &[u8], right: &[u8], effort: &mut Effort) -> bool {
    Dialect::PUBLISHED.iter().all(|dialect| {
        let (left, right) = (dialect.parse(left), dialect.parse(right));
        are_equal(&left, &right, |_| Rules::new(), &|kind| kind != RecordKind::Unknown)
            && have_same_policies(&left, &right, effort)
    })
}

/// Whether two files with the same user-agent lines give the same answers.
fn have_same_policies(left: &Robots, right: &Robots, effort: &mut Effort) -> bool {
    let changed: HashSet<usize> = left
        .groups()
        .zip(right.groups())
        .filter(|(left, right)| effective_rules(*left) != effective_rules(*right))
        .map(|(left, _)| left.index())
        .collect();
    if changed.is_empty() {
        return true;
    }
    let Some(selections) = selections(left) else { return false };
    let mut selections = selections.iter().filter(|it| it.iter().any(|at| changed.contains(at)));
    selections.all(|selection| {
        let Some(left_over) = effort.comparisons.checked_sub(1) else { return false };
        effort.comparisons = left_over;
        let [Some(left), Some(right)] = [left, right].map(|robots| joined(robots, selection))
        else {
            return false;
        };
        let [left, right] = [&left, &right].map(|robots| Analysis::new(robots, ANYBODY));
        verger_analysis::compare(&left, &right, &mut effort.budget).is_equal()
    })
}

/// All sets of groups that a crawler can obey: those of one name, or those for everybody. `None` if
/// one crawler can obey groups with different names.
///
/// Where a part of a name is enough, a name of the file does not show which groups a crawler obeys:
/// `Bingbot` obeys the group of `Googlebot, Bingbot`, even if an earlier one contains `Googlebot`.
/// But if only the first group counts, each is obeyed alone, unless its names are all those of
/// earlier groups.
fn selections(robots: &Robots) -> Option<BTreeSet<Vec<usize>>> {
    let dialect = robots.dialect();
    let is_first_only = dialect.named_groups == GroupsTaken::First;
    if !is_first_only && dialect.agent_match != AgentMatch::WholeToken {
        return None;
    }
    let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    let mut for_everybody = Vec::new();
    for group in robots.groups() {
        let at = group.index();
        if group.is_for_everybody() {
            for_everybody.push(at);
        }
        for agent in group.agents().filter(|agent| !agent.is_star()) {
            let groups = by_name.entry(agent.name().to_ascii_lowercase()).or_default();
            if groups.is_empty() || !is_first_only && groups.last() != Some(&at) {
                groups.push(at);
            }
        }
    }
    if dialect.star_groups == GroupsTaken::First {
        for_everybody.truncate(1);
    }
    Some(by_name.into_values().chain([for_everybody]).collect())
}

/// The crawler of joined files, in which nobody has a name.
const ANYBODY: &str = "anybody";

/// A file with the rules of these groups for everybody. `None` if it cannot be written, or if a
/// rule can match a URL that no client sends, in a dialect that leaves URLs as they are: the
/// analysis does not look at these URLs, but a caller of the engine may ask about them.
fn joined(robots: &Robots, groups: &[usize]) -> Option<Robots> {
    let mut dialect = robots.dialect();
    dialect.byte_limit = None;
    let groups = robots.groups().filter(|group| groups.binary_search(&group.index()).is_ok());
    let rules: Rules<'_> = groups.flat_map(written_rules).collect();
    let is_sent = |octet: &u8| octet.is_ascii_graphic() && !matches!(octet, b'"' | b'<' | b'>');
    let are_sent = || rules.iter().all(|(_, pattern)| pattern.iter().all(is_sent));
    if dialect.normal_form == NormalForm::Google && !are_sent() {
        return None;
    }
    let mut text = b"User-agent: *\n".to_vec();
    for (kind, pattern) in &rules {
        let key: &[u8] = if *kind == RuleKind::Allow { b"Allow: " } else { b"Disallow: " };
        text.extend([key, pattern, b"\n"].concat());
    }
    let joined = dialect.parse(&text);
    joined.groups().flat_map(written_rules).eq(rules).then_some(joined)
}

type Rules<'r> = Vec<(RuleKind, Cow<'r, [u8]>)>;

fn written_rules(group: Group<'_>) -> Rules<'_> {
    group.rules().map(|rule| (rule.kind(), Cow::Borrowed(rule.pattern()))).collect()
}

fn effective_rules(group: Group<'_>) -> Rules<'_> {
    let mut known = HashSet::new();
    let rules = group.rules().map(|rule| (rule.kind(), pattern::escaped(rule.pattern())));
    // REP-MATCH-15 where the longest rule decides; elsewhere the first of equal rules does.
    rules.filter(|rule| known.insert(rule.clone())).collect()
}

/// Compares the groups with these rules, and the records of these kinds.
fn compare(
    left: &[u8],
    right: &[u8],
    rules: fn(Group<'_>) -> Rules<'_>,
    counts: impl Fn(RecordKind) -> bool,
) -> bool {
    Dialect::PUBLISHED
        .iter()
        .all(|dialect| are_equal(&dialect.parse(left), &dialect.parse(right), rules, &counts))
}

fn are_equal(
    left: &Robots,
    right: &Robots,
    rules: fn(Group<'_>) -> Rules<'_>,
    counts: &impl Fn(RecordKind) -> bool,
) -> bool {
    let is_counted = |record: &Record<'_>| counts(record.0);
    left.is_truncated() == right.is_truncated()
        && left.encoding() == right.encoding()
        && groups(left, rules).eq(groups(right, rules))
        && records(left).filter(is_counted).eq(records(right).filter(is_counted))
}

/// Whether it is for everybody, agents, and rules of each group.
fn groups(
    robots: &Robots,
    rules: fn(Group<'_>) -> Rules<'_>,
) -> impl Iterator<Item = (bool, Vec<&[u8]>, Rules<'_>)> {
    robots.groups().map(move |group| {
        let agents = group.agents().map(|agent| agent.value()).collect();
        (group.is_for_everybody(), agents, rules(group))
    })
}

type Record<'r> = (RecordKind, Option<&'r [u8]>, &'r [u8], Option<usize>, Option<Vec<&'r [u8]>>);

/// Kind, key if it is unknown, value and group of each record, and the agents of those that are for
/// a part of their group. Agents that are those of the record before are not repeated.
fn records(robots: &Robots) -> impl Iterator<Item = Record<'_>> {
    let mut before = None;
    robots.records().map(move |record| {
        let key = (record.kind() == RecordKind::Unknown).then(|| record.key());
        let is_partial = record.group().is_some() && !record.is_for_whole_group();
        let first = is_partial.then(|| record.agents().next().map(|agent| agent.position()));
        let is_repeated = std::mem::replace(&mut before, first) == first;
        let agents = (is_partial && !is_repeated)
            .then(|| record.agents().map(|agent| agent.value()).collect());
        (record.kind(), key, record.value(), record.group(), agents)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_has_no_effect_only_within_its_group() {
        let once = b"User-agent: a\nDisallow: /x\nDisallow: /y\n";
        assert!(has_same_effect(
            once,
            b"User-agent: a\nDisallow: /x\nDisallow: /y\nDisallow: /x\n"
        ));
        // Some dialects know no misspelt keys, so the second line is the first there.
        let misspelt = b"User-agent: a\nDissalow: /x\nDisallow: /y\nDisallow: /x\n";
        assert!(!has_same_effect(b"User-agent: a\nDissalow: /x\nDisallow: /y\n", misspelt));
        assert!(!has_same_effect(once, b"User-agent: a\nDisallow: /x\nAllow: /x\nDisallow: /y\n"));
        let split = b"User-agent: a\nDisallow: /x\nUser-agent: a\nDisallow: /x\n";
        assert!(!has_same_effect(split, b"User-agent: a\nDisallow: /x\nUser-agent: a\n"));
    }

    #[test]
    fn rules_may_differ_if_no_answer_does() {
        let same = |left: &str, right: &str| {
            has_same_answers(left.as_bytes(), right.as_bytes(), &mut Effort::default())
        };
        let both = "User-agent: a\nUser-agent: b\nDisallow: /x\nDisallow: /x/y\n";
        let one = "User-agent: a\nUser-agent: b\nDisallow: /x\n";
        assert!(same(both, one) && same(one, both));
        assert!(!same(both, "User-agent: a\nUser-agent: b\nDisallow: /x/y\n"));
        // Where the first match decides, the first rule counts.
        let open = "User-agent: *\nAllow: /x\nDisallow: /x*\n";
        assert!(!same(open, "User-agent: *\nDisallow: /x*\n"));
        // The group of another crawler begins.
        let joined = "User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /\n";
        assert!(!same(joined, "User-agent: a\nUser-agent: b\nDisallow: /\n"));
        assert!(!same(&format!("{both}Crawl-delay: 1\n"), one));
        let mut spent = Effort { comparisons: 0, ..Effort::default() };
        assert!(!has_same_answers(both.as_bytes(), one.as_bytes(), &mut spent));
        let mut spent = Effort { budget: Budget::new(0), ..Effort::default() };
        assert!(!has_same_answers(both.as_bytes(), one.as_bytes(), &mut spent));
    }

    #[test]
    fn a_part_of_a_name_may_select_a_group() {
        let same = |left: &str, right: &str| {
            has_same_answers(left.as_bytes(), right.as_bytes(), &mut Effort::default())
        };
        // In dialect `koster1996`, `Bingbot` obeys the second group only.
        let list = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: Googlebot, Bingbot\n";
        assert!(!same(&format!("{list}Disallow: /private\n"), list));
        let longer = "User-agent: bot\nDisallow: /\n\nUser-agent: bots\n";
        assert!(!same(&format!("{longer}Disallow: /private\n"), longer));
        // With one name, nobody obeys the second group alone.
        let twice = "User-agent: bot\nDisallow: /\n\nUser-agent: Bot\n";
        assert!(same(&format!("{twice}Disallow: /private\n"), twice));
        // A name of the file that the linter could use itself.
        let named = "User-agent: verger-lint-unnamed\nDisallow: /\n\nUser-agent: *\n";
        assert!(!same(&format!("{named}Disallow: /private\n"), named));
    }

    #[test]
    fn names_of_the_same_groups_are_compared_once() {
        let agents =
            (0..20_000).map(|at| format!("User-agent: u{at}\n")).collect::<Vec<_>>().concat();
        let same = |left: &str, right: &str, comparisons: usize| {
            let mut effort = Effort { comparisons, ..Effort::default() };
            let [left, right] = [left, right].map(|rules| format!("{agents}{rules}"));
            has_same_answers(left.as_bytes(), right.as_bytes(), &mut effort)
        };
        let (both, one) = ("Disallow: /a\nDisallow: /a/b\nAllow: /\n", "Disallow: /a\nAllow: /\n");
        assert!(same(both, one, Dialect::PUBLISHED.len()));
        assert!(!same(both, one, Dialect::PUBLISHED.len() - 1));
    }

    #[test]
    fn unknown_records_have_no_effect() {
        // Dialect `orig1994` knows no `Allow`.
        let twice = b"User-agent: a\nAllow: /x\nDisallow: /\nAllow: /x\n";
        let once = b"User-agent: a\nAllow: /x\nDisallow: /\n";
        assert!(has_same_effect(twice, once));
        assert!(!is_same_meaning(twice, once));
        assert!(!has_same_effect(b"User-agent: a\nCrawl-delay: 1\n", b"User-agent: a\n"));
    }

    #[test]
    fn octets_equal_their_escapes_in_patterns_only() {
        let escaped = b"User-agent: a\nDisallow: /%E9\n";
        assert!(has_same_effect(b"User-agent: a\nDisallow: /\xe9\n", escaped));
        assert!(!is_same_meaning(b"User-agent: a\nDisallow: /\xe9\n", escaped));
        assert!(!has_same_effect(b"User-agent: a\nDisallow: /%e9\n", escaped));
        assert!(!has_same_effect(
            b"User-agent: \xe9\nDisallow: /\n",
            b"User-agent: %E9\nDisallow: /\n"
        ));
    }
}
