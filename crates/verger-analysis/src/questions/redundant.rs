//! Redundant rules: they decide some targets, and without them the answers are the same.

use std::collections::BTreeSet;

use verger::Rule;

use crate::patterns::decision_list::Decider;
use crate::patterns::merge::Merges;
use crate::questions::analysis::Analysis;
use crate::questions::findings::Findings;
use crate::undecided::{Budget, Undecided};
use crate::urls::targets::Urls;

/// A rule that can be removed without a change, although it decides some targets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RedundantRule<'r> {
    /// The rule.
    pub rule: Rule<'r>,
    /// The rules that allow or disallow the same without it, in file order. For an index page in
    /// dialect `google` there may be several, otherwise there is at most one. Rules for parts of
    /// these targets are not listed.
    pub because_of: Vec<Rule<'r>>,
    /// Whether targets remain allowed because no other rule matches.
    pub by_default: bool,
}

impl<'r> Analysis<'r> {
    /// The rules that decide some targets, but whose removal changes no answer. In file order.
    ///
    /// Each rule is redundant on its own; two of them may not be redundant together. Remove one,
    /// then analyse the file again. A [dead rule](Self::dead_rules) is not listed.
    ///
    /// # Complexity
    ///
    /// For each rule whose targets another rule covers with the same answer, a few checks for each
    /// rule between the two that answers differently.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    /// use verger_analysis::{Analysis, Budget};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /a\nDisallow: /a/b\nAllow: /c\n");
    /// let redundant = Analysis::new(&robots, "ExampleBot").redundant_rules(&mut Budget::default()).found;
    /// let lines: Vec<_> = redundant.iter().map(|redundant| redundant.rule.position().line).collect();
    /// assert_eq!(lines, [3, 4]);
    /// assert_eq!(redundant[0].because_of[0].to_string(), "Disallow: /a");
    /// assert!(redundant[1].by_default);
    /// ```
    pub fn redundant_rules(&self, budget: &mut Budget) -> Findings<'r, RedundantRule<'r>> {
        let mut findings = Findings::default();
        let Some(fresh) = self.order.symbols.fresh() else {
            return Findings::undecided(&self.rules, Undecided::NoFreshOctet);
        };
        let winners = match self.winners(fresh, budget) {
            Ok(winners) => winners,
            Err(undecided) => return Findings::undecided(&self.rules, undecided),
        };
        let mut ranks = vec![Vec::new(); self.rules.len()];
        for (rank, atom) in (0..).zip(self.order.atoms()) {
            if let Decider::Rule(rule) = atom.decider {
                ranks[rule as usize].push(rank);
            }
        }
        for (&rule, ranks) in self.rules.iter().zip(ranks) {
            let mut removal =
                Removal { analysis: self, fresh, winners: &winners, heirs: BTreeSet::new() };
            match removal.changes_nothing(&ranks, budget) {
                Ok(false) => {}
                Ok(true) => {
                    let by_default = removal.heirs.remove(&Decider::NoRule);
                    let because_of = removal.heirs.into_iter().filter_map(|heir| self.rule(heir));
                    let because_of = because_of.collect();
                    findings.found.push(RedundantRule { rule, because_of, by_default });
                }
                Err(undecided) => findings.undecided.push((rule, undecided)),
            }
        }
        findings
    }
}

/// The removal of one rule.
struct Removal<'a, 'r> {
    analysis: &'a Analysis<'r>,
    fresh: u8,
    /// The decider of the canonical text of each atom.
    winners: &'a [Decider],
    /// The deciders of its canonical texts without it.
    heirs: BTreeSet<Decider>,
}

impl Removal<'_, '_> {
    /// Whether the rule with these atoms decides some targets, and the answers are the same without
    /// it.
    ///
    /// # Errors
    ///
    /// If it is undecided.
    fn changes_nothing(&mut self, ranks: &[u32], budget: &mut Budget) -> Result<bool, Undecided> {
        let order = &self.analysis.order;
        let mut covered = Vec::new();
        for &rank in ranks {
            let atom = order.atom(rank);
            if self.winners[rank as usize] != atom.decider {
                // Dead: better rules match all that it matches.
                continue;
            }
            let heir = order.best_without(atom.decider, &atom.glob.canon(self.fresh), budget)?;
            if order.atom(heir).allows != atom.allows {
                return Ok(false);
            }
            self.heirs.insert(order.atom(heir).decider);
            covered.push((rank, heir));
        }
        for &(rank, heir) in &covered {
            // The heir matches all that the atom matches, so only atoms between the two can change
            // an answer.
            if self.is_changed_between(rank, heir, budget)? {
                return Ok(false);
            }
        }
        Ok(!covered.is_empty())
    }

    /// Whether without the rule of the first atom some of its targets are decided differently, by
    /// an atom between two ranks.
    fn is_changed_between(
        &self,
        rank: u32,
        heir: u32,
        budget: &mut Budget,
    ) -> Result<bool, Undecided> {
        let Analysis { order, policy, targets, .. } = self.analysis;
        let atom = order.atom(rank);
        let mut urls = Urls::new(targets);
        let mut undecided = None;
        for other in order.compatible(&atom.glob, !atom.allows) {
            budget.spend(1)?;
            if other <= rank || other >= heir {
                continue;
            }
            let next = order.atom(other);
            let winner = self.winners[other as usize];
            if winner != next.decider && winner != atom.decider {
                // A third rule decides all that it matches, with or without this rule.
                continue;
            }
            let merges = match Merges::of(&atom.glob, &next.glob, budget) {
                Err(reason @ Undecided::TooManyMerges) => {
                    // Another pair may show a change.
                    undecided = Some(reason);
                    continue;
                }
                merges => merges?,
            };
            for merge in merges.as_slice() {
                let text = merge.canon(self.fresh);
                if policy.decider(urls.of(&text), budget)? == atom.decider {
                    let best = order.best_without(atom.decider, &text, budget)?;
                    if order.atom(best).allows != atom.allows {
                        return Ok(true);
                    }
                }
            }
        }
        undecided.map_or(Ok(false), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::Dialect;

    /// The redundant rules, by line, with the lines of the rules because of which; 0 for the
    /// default.
    #[track_caller]
    fn check(dialect: Dialect, rules: &str, expected: &[(usize, &[usize])]) {
        let robots = dialect.parse(&format!("User-agent: *\n{rules}"));
        let analysis = Analysis::new(&robots, "x");
        let line = |rule: &Rule<'_>| rule.position().line;
        let redundant = analysis.redundant_rules(&mut Budget::default());
        assert!(redundant.undecided.is_empty());
        let found: Vec<(usize, Vec<usize>)> = redundant
            .found
            .iter()
            .map(|found| {
                let by_default = found.by_default.then_some(0);
                let lines = by_default.into_iter().chain(found.because_of.iter().map(line));
                (line(&found.rule), lines.collect())
            })
            .collect();
        let found: Vec<(usize, &[usize])> =
            found.iter().map(|(line, because_of)| (*line, &**because_of)).collect();
        assert_eq!(found, expected, "{dialect}: {rules}");
    }

    #[test]
    fn a_rule_within_another_of_the_same_kind_is_redundant() {
        check(Dialect::RFC9309, "Disallow: /a\nDisallow: /a/b\n", &[(3, &[2])]);
        check(Dialect::RFC9309, "Allow: /a\n", &[(2, &[0])]);
        check(Dialect::BAIDU, "Disallow: /a/b\nDisallow: /a\n", &[(2, &[3])]);
        check(Dialect::BAIDU, "Allow: /a/b\nDisallow: /a/c\nDisallow: /\n", &[(3, &[4])]);
    }

    #[test]
    fn a_rule_of_the_other_kind_between_the_two_makes_it_needed() {
        let rules = "Disallow: /a\nDisallow: /a/b/c\nAllow: /a/b\n";
        check(Dialect::RFC9309, rules, &[]);
        check(Dialect::RFC9309, "Disallow: /a\nDisallow: /a/bcd\nAllow: /*c*e\n", &[]);
        check(Dialect::RFC9309, "Disallow: /a\nDisallow: /a/bcd\nAllow: /*c$\n", &[]);
        check(Dialect::RFC9309, "Disallow: /a\nDisallow: /a/bcd$\nAllow: /*c$\n", &[(3, &[2])]);
        // A third rule decides where the second one and the rule of the other kind meet.
        let rules = "Disallow: /a\nDisallow: /abcd\nAllow: /*x\nDisallow: /abcd*x\n";
        check(Dialect::RFC9309, rules, &[(3, &[2]), (5, &[3])]);
    }

    #[test]
    fn an_index_page_and_its_directory_may_be_redundant_because_of_two() {
        let rules = "Allow: /d/index.html\nAllow: /d/index\nAllow: /d*\nDisallow: /e\n";
        check(Dialect::GOOGLE, rules, &[(2, &[3, 4]), (3, &[4]), (4, &[0])]);
    }
}
