//! Dead rules: they decide no target.

use verger::Rule;

use crate::patterns::decision_list::Decider;
use crate::questions::analysis::Analysis;
use crate::questions::findings::Findings;
use crate::undecided::{Budget, Undecided};
use crate::urls::targets::Urls;

/// A rule that decides no target.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeadRule<'r> {
    /// The rule.
    pub rule: Rule<'r>,
    /// The reason.
    pub cause: DeadCause<'r>,
}

/// The reason why a rule decides no target.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DeadCause<'r> {
    /// The rule is empty and has no effect in the dialect (REP-AMB-2).
    Empty,
    /// Its pattern matches no target: it begins with neither `/` nor `*` (REP-AMB-9), or contains
    /// an octet that every client encodes and the dialect does not.
    MatchesNothing,
    /// It matches only `/robots.txt`, which is always allowed (REP-MATCH-6).
    RobotsTxt,
    /// These rules decide every target that it matches. In file order; nearly always one.
    Overridden(Vec<Rule<'r>>),
}

impl<'r> Analysis<'r> {
    /// The rules that decide no target, in file order, each with the rules because of which.
    ///
    /// A dead rule can be removed without a change. Of two equal rules, one is dead. See
    /// [`redundant_rules`](Self::redundant_rules) for rules that decide some targets as other rules
    /// would.
    ///
    /// # Complexity
    ///
    /// One check for each rule.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Dialect, Robots};
    /// use verger_analysis::{Analysis, Budget, DeadCause};
    ///
    /// let text = "User-agent: *\nDisallow: /\nAllow: /*\nDisallow: cart\n";
    /// let robots = Robots::parse(text);
    /// let dead = Analysis::new(&robots, "ExampleBot").dead_rules(&mut Budget::default()).found;
    /// assert_eq!(dead.len(), 2);
    /// let DeadCause::Overridden(by) = &dead[0].cause else { panic!() };
    /// assert_eq!((dead[0].rule.to_string(), by[0].to_string()), ("Disallow: /".into(), "Allow: /*".into()));
    /// assert_eq!(dead[1].cause, DeadCause::MatchesNothing);
    ///
    /// // The first matching rule decides in this dialect.
    /// let robots = Dialect::BAIDU.parse(text);
    /// let dead = Analysis::new(&robots, "ExampleBot").dead_rules(&mut Budget::default()).found;
    /// assert_eq!(dead[0].rule.to_string(), "Allow: /*");
    /// ```
    pub fn dead_rules(&self, budget: &mut Budget) -> Findings<'r, DeadRule<'r>> {
        let mut findings = Findings::default();
        let Some(fresh) = self.order.symbols.fresh() else {
            return Findings::undecided(&self.rules, Undecided::NoFreshOctet);
        };
        let mut urls = Urls::new(&self.targets);
        // For each rule: whether it has a pattern, whether it decides, and the other deciders.
        let mut seen = vec![(false, false, Vec::new()); self.rules.len()];
        let mut failed = None;
        for atom in self.order.atoms() {
            let Decider::Rule(rule) = atom.decider else { continue };
            let (has_pattern, decides, others) = &mut seen[rule as usize];
            *has_pattern = true;
            if *decides {
                continue;
            }
            match self.policy.decider(urls.of(&atom.glob.canon(fresh)), budget) {
                Ok(decider) if decider == atom.decider => *decides = true,
                Ok(decider) => others.push(decider),
                Err(undecided) => failed = Some(undecided),
            }
        }
        if let Some(undecided) = failed {
            return Findings::undecided(&self.rules, undecided);
        }
        for (&rule, (has_pattern, decides, mut others)) in self.rules.iter().zip(seen) {
            if decides {
                continue;
            }
            others.sort_unstable();
            others.dedup();
            let by: Vec<_> = others.into_iter().filter_map(|decider| self.rule(decider)).collect();
            let cause = match (has_pattern, by.is_empty()) {
                (false, _) if rule.pattern().is_empty() => DeadCause::Empty,
                (false, _) => DeadCause::MatchesNothing,
                (true, true) => DeadCause::RobotsTxt,
                (true, false) => DeadCause::Overridden(by),
            };
            findings.found.push(DeadRule { rule, cause });
        }
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::Dialect;

    /// The dead rules, by line, with their causes: the lines of other rules, or a name.
    #[track_caller]
    fn check(dialect: Dialect, rules: &str, expected: &[(usize, &str)]) {
        let robots = dialect.parse(&format!("User-agent: *\n{rules}"));
        let analysis = Analysis::new(&robots, "x");
        let line = |rule: &Rule<'_>| rule.position().line;
        let dead = analysis.dead_rules(&mut Budget::default());
        assert!(dead.undecided.is_empty());
        let found: Vec<(usize, String)> = dead
            .found
            .iter()
            .map(|dead| {
                let cause = match &dead.cause {
                    DeadCause::Overridden(by) => {
                        by.iter().map(|rule| line(rule).to_string()).collect::<Vec<_>>().join(" ")
                    }
                    other => format!("{other:?}"),
                };
                (line(&dead.rule), cause)
            })
            .collect();
        let found: Vec<(usize, &str)> =
            found.iter().map(|(line, cause)| (*line, &**cause)).collect();
        assert_eq!(found, expected, "{dialect}: {rules}");
    }

    #[test]
    fn a_rule_is_dead_because_of_one_that_decides_all_its_targets() {
        check(Dialect::RFC9309, "Disallow: /a\nDisallow: /a\nAllow: /a*\n", &[(2, "4"), (3, "4")]);
        check(Dialect::RFC9309, "Allow: /a/b\nDisallow: /*/b\nDisallow: /a/b$\n", &[]);
        check(Dialect::BAIDU, "Disallow: /a\nAllow: /a/b\nDisallow: /*b\n", &[(3, "2")]);
        check(Dialect::KOSTER1996, "Disallow:\nDisallow: /\nDisallow: /a\n", &[(3, "2"), (4, "2")]);
    }

    #[test]
    fn a_rule_that_begins_with_a_star_may_be_dead_because_of_two() {
        check(Dialect::RFC9309, "Disallow: */b\nAllow: /**/b\nAllow: /b****\n", &[(2, "3 4")]);
    }

    #[test]
    fn an_index_page_is_alive_if_its_directory_is() {
        let rules = "Allow: /d/index.html\nDisallow: /d/index.htm*****\nDisallow: /\n";
        check(Dialect::GOOGLE, rules, &[]);
        check(Dialect::RFC9309, rules, &[(2, "3")]);
    }

    #[test]
    fn some_rules_match_nothing_that_counts() {
        check(
            Dialect::RFC9309,
            "Disallow:\nDisallow: a\nDisallow: $\n",
            &[(2, "Empty"), (3, "MatchesNothing"), (4, "MatchesNothing")],
        );
        check(
            Dialect::RFC9309,
            "Disallow: /robots.txt$\nDisallow: /robots.txt\n",
            &[(2, "RobotsTxt")],
        );
        check(
            Dialect::GOOGLE,
            "Disallow: /robots.txt$\nDisallow: /a b\n",
            &[(3, "MatchesNothing")],
        );
    }
}
