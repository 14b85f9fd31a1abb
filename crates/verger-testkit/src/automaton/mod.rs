//! The oracle of the analysis: a product automaton over the patterns of small policies.
//!
//! It enumerates all sets of patterns that a target can match, with the cost of the cheapest target
//! for each set ([`cost`]). Every question about all targets is then a loop over these sets. The
//! size is exponential in the number of patterns, so the policies must be small.
//!
//! It shares no code with the analysis and the engine, except for [`Dialect`] as a row of choices.
//! It proves claims about all targets; the naive matcher answers for one.

mod pattern;
mod product;
mod small;
mod urls;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use verger::Dialect;
use verger::dialect::Precedence;

use pattern::Pattern;

pub use small::{SmallCase, small_case};

/// The decider of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decider {
    /// The rule with this index, and whether it allows.
    Rule(usize, bool),
    /// No rule: robots.txt itself is always allowed.
    RobotsTxt,
    /// No rule matches: allowed.
    NoRule,
}

impl Decider {
    /// Whether its targets are allowed.
    pub const fn allows(self) -> bool {
        !matches!(self, Self::Rule(_, false))
    }
}

/// A rule: whether it is an `Allow`, and its pattern.
pub type Rule = (bool, Vec<u8>);

/// The answers about two policies in one normal form, and about a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductAnswers {
    /// For the deciders before and after, where the answers differ, the least cost of a target.
    pub changes: BTreeMap<(Decider, Decider), usize>,
    /// The answers about the policy before.
    pub before: PolicyAnswers,
    /// The answers about the policy after.
    pub after: PolicyAnswers,
}

/// The answers about one policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyAnswers {
    /// Indices of the rules that decide no target.
    pub dead: BTreeSet<usize>,
    /// Indices of the rules that decide some targets, and whose removal changes no answer.
    pub redundant: BTreeSet<usize>,
    /// The least costs of an allowed and of a disallowed target of the pattern, without a
    /// robots.txt that is always allowed.
    pub pattern: (Option<usize>, Option<usize>),
    /// The same for all targets.
    pub everything: (Option<usize>, Option<usize>),
    /// Whether the pattern matches a target.
    pub has_targets: bool,
}

/// Answers all questions about two policies and a pattern; `None` if they are too large.
///
/// # Panics
///
/// If the dialects have different normal forms, or if the patterns contain every letter.
pub fn answers(
    before: (&Dialect, &[Rule]),
    after: (&Dialect, &[Rule]),
    asked: &[u8],
) -> Option<ProductAnswers> {
    let form = before.0.normal_form;
    assert_eq!(form, after.0.normal_form, "one normal form");
    let asked = pattern_of_question(asked, before.0);
    let [before, after] = [before, after].map(|(dialect, rules)| Policy::new(dialect, rules));
    let patterns: Vec<&Pattern> = [&asked]
        .into_iter()
        .chain(before.patterns.iter().map(|(_, pattern)| pattern))
        .chain(after.patterns.iter().map(|(_, pattern)| pattern))
        .collect();
    if !product::fit(&patterns) {
        return None;
    }
    let sets = product::matched_sets(&patterns, form, LARGEST)?;
    let split = |matched: u64| (matched >> 1, matched >> (1 + before.patterns.len()));
    let mut changes = BTreeMap::new();
    for (&matched, &cost) in &sets {
        let (one, other) = split(matched);
        let pair = (before.decider(one, None), after.decider(other, None));
        if pair.0.allows() != pair.1.allows() {
            let least = changes.entry(pair).or_insert(cost);
            *least = cost.min(*least);
        }
    }
    let answers = |policy: &Policy, own: &dyn Fn(u64) -> u64| policy.answers(&sets, own);
    Some(ProductAnswers {
        changes,
        before: answers(&before, &|matched| split(matched).0),
        after: answers(&after, &|matched| split(matched).1),
    })
}

/// The differences between two policies in dialects with different normal forms, on the URLs that
/// `verger_analysis::compare` defines: for the deciders before and after, the least cost
/// of a path and query. `None` if the policies are too large.
///
/// # Panics
///
/// If the patterns contain every letter.
pub fn changes_between_dialects(
    before: (&Dialect, &[Rule]),
    after: (&Dialect, &[Rule]),
) -> Option<BTreeMap<(Decider, Decider), usize>> {
    let dialects = [before.0, after.0];
    let policies = [before, after].map(|(dialect, rules)| Policy::new(dialect, rules));
    let patterns: [Vec<&Pattern>; 2] =
        [0, 1].map(|side: usize| policies[side].patterns.iter().map(|(_, it)| it).collect());
    if !patterns.iter().all(|patterns| product::fit(patterns)) {
        return None;
    }
    let patterns = [&*patterns[0], &*patterns[1]];
    let rules = before.1.iter().chain(after.1).map(|(_, raw)| &**raw);
    let escapes = urls::escapes(rules, patterns, dialects.map(|dialect| dialect.normal_form));
    let sets = urls::matched_sets(dialects, patterns, &escapes, LARGEST)?;
    let mut changes = BTreeMap::new();
    for ([one, other], cost) in sets {
        let pair = (policies[0].decider(one, None), policies[1].decider(other, None));
        if pair.0.allows() != pair.1.allows() {
            let least = changes.entry(pair).or_insert(cost);
            *least = cost.min(*least);
        }
    }
    Some(changes)
}

/// The cost of a target: its length, and for each `//` more than the length of any small target.
pub fn cost(target: &[u8]) -> usize {
    let doubles = target.windows(2).filter(|pair| pair == b"//").count();
    target.len() + doubles * DOUBLE_SLASH
}

const DOUBLE_SLASH: usize = 1 << 20;

/// Maximum number of states.
const LARGEST: usize = 60_000;

/// The pattern of a question: `*` and `$` are special in every dialect.
fn pattern_of_question(raw: &[u8], dialect: &Dialect) -> Pattern {
    let mut dialect = *dialect;
    dialect.wildcards = true;
    let mut pattern = pattern::of_text(false, raw, raw.is_empty(), &dialect);
    pattern.length = 0;
    pattern
}

/// A policy as a list of patterns.
struct Policy {
    precedence: Precedence,
    rules: usize,
    /// The patterns with the indices of their rules; a robots.txt that is always allowed has none.
    patterns: Vec<(Option<usize>, Pattern)>,
}

impl Policy {
    fn new(dialect: &Dialect, rules: &[Rule]) -> Self {
        let exempt = dialect.robots_txt_always_allowed.then(|| {
            let tokens = b"/robots.txt".iter().copied().map(Some).collect();
            (None, Pattern { tokens, length: 0, allows: true })
        });
        let patterns = rules.iter().enumerate().flat_map(|(at, (allow, raw))| {
            let patterns = pattern::of_rule(*allow, raw, dialect);
            patterns.into_iter().map(move |pattern| (Some(at), pattern))
        });
        let patterns = exempt.into_iter().chain(patterns).collect();
        Self { precedence: dialect.precedence, rules: rules.len(), patterns }
    }

    /// The decider of the targets that match these patterns, perhaps without a rule.
    fn decider(&self, matched: u64, omitted: Option<usize>) -> Decider {
        let mut best: Option<(usize, &Pattern)> = None;
        for (bit, (rule, pattern)) in self.patterns.iter().enumerate() {
            if matched >> bit & 1 == 0 || rule.is_some() && *rule == omitted {
                continue;
            }
            let Some(rule) = *rule else { return Decider::RobotsTxt };
            let wins = best.is_none_or(|(_, best)| match self.precedence {
                Precedence::LongestPattern => {
                    (pattern.length, pattern.allows) > (best.length, best.allows)
                }
                _ => false,
            });
            if wins {
                best = Some((rule, pattern));
            }
        }
        best.map_or(Decider::NoRule, |(rule, pattern)| Decider::Rule(rule, pattern.allows))
    }

    fn answers(&self, sets: &HashMap<u64, usize>, own: &dyn Fn(u64) -> u64) -> PolicyAnswers {
        let mut deciding = BTreeSet::new();
        let mut needed = BTreeSet::new();
        let (mut pattern, mut everything, mut has_targets) = ((None, None), (None, None), false);
        for (&matched, &cost) in sets {
            let decider = self.decider(own(matched), None);
            if let Decider::Rule(rule, allows) = decider {
                deciding.insert(rule);
                if self.decider(own(matched), Some(rule)).allows() != allows {
                    needed.insert(rule);
                }
            }
            let is_asked = matched & 1 == 1;
            has_targets |= is_asked;
            let add = |costs: &mut (Option<usize>, Option<usize>)| {
                let least = if decider.allows() { &mut costs.0 } else { &mut costs.1 };
                *least = Some(least.map_or(cost, |least| cost.min(least)));
            };
            if decider != Decider::RobotsTxt {
                add(&mut everything);
                if is_asked {
                    add(&mut pattern);
                }
            }
        }
        PolicyAnswers {
            dead: (0..self.rules).filter(|rule| !deciding.contains(rule)).collect(),
            redundant: deciding.difference(&needed).copied().collect(),
            pattern,
            everything,
            has_targets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &[&str]) -> Vec<Rule> {
        text.iter().map(|rule| (rule.starts_with('+'), rule.as_bytes()[1..].to_vec())).collect()
    }

    #[test]
    fn changes_have_their_deciders_and_costs() {
        let dialect = Dialect::RFC9309;
        let (before, after) = (rules(&["-/a", "+/*b"]), rules(&["-/ab"]));
        let found = answers((&dialect, &before), (&dialect, &after), b"/a").expect("small");
        let (closed, open) = (Decider::Rule(0, false), Decider::Rule(1, true));
        let expected = [((closed, Decider::NoRule), 2), ((open, closed), 3)];
        assert_eq!(found.changes, BTreeMap::from(expected));
        assert_eq!(found.before.pattern, (Some(3), Some(2)));
        assert_eq!(found.before.everything, (Some(1), Some(2)));
        assert_eq!(found.after.pattern, (Some(2), Some(3)));
        let rules = rules(&["-/*/*/a"]);
        let found = answers((&dialect, &rules), (&dialect, &rules), b"*//").expect("small");
        assert_eq!(found.before.everything, (Some(1), Some(cost(b"/x/x/a"))));
        assert_eq!(found.before.pattern, (Some(cost(b"//")), Some(cost(b"//x/a"))));
    }

    #[test]
    fn dead_and_redundant_rules_are_found() {
        let check = |dialect: Dialect, text: &[&str], dead: &[usize], redundant: &[usize]| {
            let rules = rules(text);
            let found = answers((&dialect, &rules), (&dialect, &rules), b"").expect("small");
            assert_eq!(found.before.dead, dead.iter().copied().collect(), "{text:?}");
            assert_eq!(found.before.redundant, redundant.iter().copied().collect(), "{text:?}");
            assert!(found.changes.is_empty() && !found.before.has_targets);
        };
        check(Dialect::RFC9309, &["-/a", "-/ab", "-/ab", "-x"], &[2, 3], &[1]);
        check(Dialect::RFC9309, &["-/", "+/*", "-/robots.txt$"], &[0, 2], &[]);
        check(Dialect::GOOGLE, &["-/", "+/robots.txt", "+/d/index.htm"], &[], &[]);
        check(Dialect::GOOGLE, &["-/ a", "-/%2 "], &[0, 1], &[]);
        check(Dialect::BAIDU, &["-/a", "-/ab", "+/", "-/"], &[1, 3], &[]);
        check(Dialect::BOOK, &["-/a*", "-/a%2A", "-/a", "-"], &[1], &[0, 2]);
    }
}
