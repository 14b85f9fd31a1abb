//! A policy as an ordered list: the first pattern that matches a target decides.
//!
//! A policy of the dialects in which the longest pattern decides is such a list too, sorted by
//! length, with allowing rules before others of the same length.

use core::cmp::Reverse;

use verger::dialect::Precedence;
use verger::{Dialect, Rule};

use crate::patterns::fresh_letter::Symbols;
use crate::patterns::glob::Glob;
use crate::patterns::index::Index;
use crate::undecided::{Budget, Undecided};

/// The decider of a target, as a small value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Decider {
    /// The rule with this index among those that the crawler obeys.
    Rule(u32),
    /// No rule: robots.txt itself is always allowed.
    RobotsTxt,
    /// No rule matches or applies: allowed.
    NoRule,
}

/// A pattern with its effect.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) glob: Glob,
    pub(crate) allows: bool,
    pub(crate) decider: Decider,
}

/// The patterns of a policy, the one that decides first at the beginning. The last one matches
/// everything.
#[derive(Debug)]
pub(crate) struct Order {
    atoms: Vec<Atom>,
    allowing: Index,
    disallowing: Index,
    /// The last rank of each rule; that of the last atom for a rule without patterns.
    last: Vec<u32>,
    /// The last rank of robots.txt itself.
    last_robots_txt: u32,
    pub(crate) symbols: Symbols,
}

/// A pattern of a rule.
#[derive(Debug)]
pub(crate) struct Ranked {
    pub(crate) glob: Glob,
    pub(crate) allows: bool,
    /// The index of the rule.
    pub(crate) rule: u32,
    /// The length by which rules are compared.
    pub(crate) length: usize,
}

impl Order {
    /// The list for some patterns, and for a robots.txt with these spellings that is always
    /// allowed.
    pub(crate) fn new(
        mut patterns: Vec<Ranked>,
        rules: usize,
        precedence: Precedence,
        robots_txt: Vec<Glob>,
    ) -> Self {
        match precedence {
            Precedence::LongestPattern => patterns
                .sort_by_key(|pattern| (Reverse(pattern.length), !pattern.allows, pattern.rule)),
            // Patterns of one rule have the same effect.
            _ => patterns.sort_by_key(|pattern| pattern.rule),
        }
        let allowed = |decider| move |glob| Atom { glob, allows: true, decider };
        let last_robots_txt = rank_of(robots_txt.len().saturating_sub(1));
        let atoms: Vec<Atom> = robots_txt
            .into_iter()
            .map(allowed(Decider::RobotsTxt))
            .chain(patterns.into_iter().map(|Ranked { glob, allows, rule, .. }| Atom {
                glob,
                allows,
                decider: Decider::Rule(rule),
            }))
            .chain([allowed(Decider::NoRule)(Glob::everything())])
            .collect();
        let mut last = vec![rank_of(atoms.len() - 1); rules];
        for (rank, atom) in (0..).zip(&atoms) {
            if let Decider::Rule(rule) = atom.decider {
                last[rule as usize] = rank;
            }
        }
        let glob = |rank: u32| &atoms[rank as usize].glob;
        let index = |allows| {
            let alike = (0..).zip(&atoms).filter(move |(_, atom)| atom.allows == allows);
            Index::new(alike.map(|(rank, _)| rank), glob)
        };
        let (allowing, disallowing) = (index(true), index(false));
        let symbols = Symbols::of(atoms.iter().map(|atom| &atom.glob));
        Self { atoms, allowing, disallowing, last, last_robots_txt, symbols }
    }

    /// The atoms; the position of an atom is its rank, and the lowest rank decides.
    pub(crate) fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    pub(crate) fn atom(&self, rank: u32) -> &Atom {
        &self.atoms[rank as usize]
    }

    /// The highest rank at which a target can be decided by this decider.
    pub(crate) fn last_rank(&self, decider: Decider) -> u32 {
        match decider {
            Decider::Rule(rule) => self.last[rule as usize],
            Decider::RobotsTxt => self.last_robots_txt,
            Decider::NoRule => rank_of(self.atoms.len() - 1),
        }
    }

    /// Whether the targets of a decider are allowed.
    pub(crate) fn allows(&self, decider: Decider) -> bool {
        self.atom(self.last_rank(decider)).allows
    }

    /// The ranks of the atoms with this effect that begin with a text or with a part of it.
    pub(crate) fn beginning<'g>(
        &'g self,
        text: &'g [u8],
        allows: bool,
    ) -> impl Iterator<Item = u32> + 'g {
        let index = if allows { &self.allowing } else { &self.disallowing };
        index.compatible(text, |rank| &self.atoms[rank as usize].glob)
    }

    /// The ranks of the atoms with this effect that may match targets of a pattern.
    pub(crate) fn compatible<'g>(
        &'g self,
        glob: &'g Glob,
        allows: bool,
    ) -> impl Iterator<Item = u32> + 'g {
        self.beginning(glob.start(), allows)
    }

    /// The first atom that matches a target and does not belong to a rule.
    ///
    /// # Errors
    ///
    /// If the budget is spent.
    pub(crate) fn best_without(
        &self,
        omitted: Decider,
        target: &[u8],
        budget: &mut Budget,
    ) -> Result<u32, Undecided> {
        let mut best = self.last_rank(Decider::NoRule);
        for index in [&self.allowing, &self.disallowing] {
            for rank in index.above(target, |rank| &self.atoms[rank as usize].glob) {
                budget.spend(1)?;
                let atom = self.atom(rank);
                if rank >= best || atom.decider == omitted {
                    continue;
                }
                if !atom.glob.is_prefix() {
                    budget.spend(target.len())?;
                    if !atom.glob.matches(target) {
                        continue;
                    }
                }
                best = rank;
            }
        }
        Ok(best)
    }
}

/// REP-MATCH-6.
pub(crate) const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// The patterns of rules; `globs` reads the texts between the stars of one pattern.
pub(crate) fn patterns(
    rules: &[Rule<'_>],
    dialect: &Dialect,
    globs: impl Fn(&[&[u8]], bool) -> Result<Vec<Glob>, Undecided>,
) -> Result<Vec<Ranked>, Undecided> {
    let mut patterns = Vec::with_capacity(rules.len());
    for (rule, line) in (0..).zip(rules) {
        for pattern in dialect.rule_patterns(line.kind(), line.pattern()) {
            let (allows, length) = (pattern.allows(), pattern.length());
            let ranked = |glob| Ranked { glob, allows, rule, length };
            // REP-AMB-2: an empty rule with effect matches every target.
            if line.pattern().is_empty() {
                patterns.push(ranked(Glob::everything()));
                continue;
            }
            let texts: Vec<&[u8]> = pattern.literals().collect();
            patterns.extend(globs(&texts, pattern.is_anchored())?.into_iter().map(ranked));
        }
    }
    Ok(patterns)
}

/// Files have at most 2^32 bytes, and a rule has at least eight and at most four atoms.
fn rank_of(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::glob::tests::globs;

    fn order(rules: &[(&str, bool)], precedence: Precedence) -> Order {
        let patterns = (0..).zip(rules).flat_map(|(rule, &(pattern, allows))| {
            let ranked = move |glob| Ranked { glob, allows, rule, length: pattern.len() };
            globs(pattern).into_iter().map(ranked)
        });
        let robots_txt = vec![Glob::exactly(b"/robots.txt")];
        Order::new(patterns.collect(), rules.len(), precedence, robots_txt)
    }

    fn deciders(order: &Order) -> Vec<Decider> {
        order.atoms().iter().map(|atom| atom.decider).collect()
    }

    #[test]
    fn the_longest_pattern_is_first_and_a_tie_allows() {
        use Decider::{NoRule, RobotsTxt, Rule};
        let rules = [("/a", false), ("/b", true), ("/abc", false), ("*/d", false), ("x", true)];
        let longest = order(&rules, Precedence::LongestPattern);
        let expected = [RobotsTxt, Rule(2), Rule(3), Rule(3), Rule(1), Rule(0), NoRule];
        assert_eq!(deciders(&longest), expected);
        assert_eq!([Rule(3), RobotsTxt, NoRule].map(|it| longest.last_rank(it)), [3, 0, 6]);
        let first = order(&rules, Precedence::FirstMatch);
        let expected = [RobotsTxt, Rule(0), Rule(1), Rule(2), Rule(3), Rule(3), NoRule];
        assert_eq!(deciders(&first), expected);
    }

    #[test]
    fn the_best_other_atom_is_found() {
        let rules = [("/", false), ("/a*b", true), ("/a", false), ("/ab$", true)];
        let order = order(&rules, Precedence::LongestPattern);
        let best = |omitted, target: &str| {
            let rank = order.best_without(omitted, target.as_bytes(), &mut Budget::default());
            order.atom(rank.expect("little work")).decider
        };
        assert_eq!(best(Decider::NoRule, "/ab"), Decider::Rule(1));
        assert_eq!(best(Decider::Rule(1), "/ab"), Decider::Rule(3));
        assert_eq!(best(Decider::Rule(1), "/abc"), Decider::Rule(2));
        assert_eq!(best(Decider::Rule(0), "/x"), Decider::NoRule);
        assert_eq!(best(Decider::NoRule, "/robots.txt"), Decider::RobotsTxt);
    }
}
