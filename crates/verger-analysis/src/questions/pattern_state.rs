//! The state of a pattern: entirely open, entirely closed, or mixed.

use verger::{RuleKind, Verdict};

use crate::patterns::decision_list::Decider;
use crate::patterns::fresh_letter::readable;
use crate::patterns::glob::Glob;
use crate::patterns::merge::Merges;
use crate::questions::analysis::Analysis;
use crate::questions::changes::symbols_with;
use crate::undecided::{Budget, Undecided};
use crate::urls::targets::Urls;
use crate::urls::witness::{Cost, FoundText, Witness, cost, shortest};

/// The answers for all targets that a pattern matches.
///
/// `/robots.txt`, where it is always allowed, does not make a pattern mixed: "closed" means closed
/// except for `/robots.txt`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PatternState<'r> {
    /// All are allowed.
    Open {
        /// One of the shortest.
        example: Example<'r>,
    },
    /// All are disallowed.
    Closed {
        /// One of the shortest.
        example: Example<'r>,
    },
    /// Some are allowed, others are disallowed.
    Mixed {
        /// One of the shortest allowed targets.
        open: Example<'r>,
        /// One of the shortest disallowed targets.
        closed: Example<'r>,
    },
    /// The pattern matches no target.
    Empty,
    /// Unknown.
    Undecided(Undecided),
}

/// A target with its verdict.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Example<'r> {
    /// The target.
    pub witness: Witness,
    /// Its verdict, with the deciding rule.
    pub verdict: Verdict<'r>,
}

impl PatternState<'_> {
    /// Whether all targets are proved to be allowed. True if there are no targets.
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. } | Self::Empty)
    }

    /// Whether all targets, except for `/robots.txt`, are proved to be disallowed. True if there
    /// are no targets.
    pub const fn is_closed(&self) -> bool {
        matches!(self, Self::Closed { .. } | Self::Empty)
    }
}

impl<'r> Analysis<'r> {
    /// Whether all targets that a pattern matches are allowed, all are disallowed, or some of each.
    ///
    /// The pattern has the syntax of a rule in the dialect; `*` and a final `$` are special in
    /// every dialect. An empty pattern matches nothing.
    ///
    /// # Complexity
    ///
    /// A few checks for each rule that can match the same targets as the pattern.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    /// use verger_analysis::{Analysis, Budget, PatternState};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /cart\nAllow: /cart/help\nDisallow: /*?\n");
    /// let analysis = Analysis::new(&robots, "ExampleBot");
    /// let state = |pattern| analysis.pattern_state(pattern, &mut Budget::default());
    /// assert!(state("/cart/x").is_closed());
    /// assert!(state("/about$").is_open());
    /// let PatternState::Mixed { open, closed } = state("/products/") else { panic!() };
    /// assert_eq!(open.witness.url(), "https://example.com/products/");
    /// assert_eq!(closed.witness.url(), "https://example.com/products/?");
    /// assert_eq!(closed.verdict.rule().expect("a rule").to_string(), "Disallow: /*?");
    /// ```
    pub fn pattern_state<P: AsRef<[u8]> + ?Sized>(
        &self,
        pattern: &P,
        budget: &mut Budget,
    ) -> PatternState<'r> {
        let globs = self.globs(pattern.as_ref());
        if globs.is_empty() {
            return PatternState::Empty;
        }
        self.state(&globs, budget).unwrap_or_else(PatternState::Undecided)
    }

    /// Whether every target is proved to be allowed.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    /// use verger_analysis::Analysis;
    ///
    /// let allows_all = |text: &str| Analysis::new(&Robots::parse(text), "ExampleBot").allows_all();
    /// assert!(allows_all("User-agent: *\nDisallow:\n"));
    /// assert!(allows_all("User-agent: *\nAllow: /*\nDisallow: /\n"));
    /// assert!(!allows_all("User-agent: *\nAllow: /\nDisallow: /*\n"));
    /// ```
    pub fn allows_all(&self) -> bool {
        self.pattern_state("/", &mut Budget::default()).is_open()
    }

    /// Whether every target, except for `/robots.txt` where it is always allowed, is proved to be
    /// disallowed.
    pub fn blocks_all(&self) -> bool {
        self.pattern_state("/", &mut Budget::default()).is_closed()
    }

    /// The rooted patterns of a pattern in the syntax of a rule.
    fn globs(&self, pattern: &[u8]) -> Vec<Glob> {
        let mut dialect = self.robots.dialect();
        dialect.wildcards = true;
        if pattern.is_empty() {
            return Vec::new();
        }
        let patterns = dialect.rule_patterns(RuleKind::Disallow, pattern);
        let globs = patterns
            .iter()
            .flat_map(|pattern| Glob::rooted(pattern.literals(), pattern.is_anchored()));
        globs.filter(|glob| self.targets.has(glob)).collect()
    }

    fn state(&self, globs: &[Glob], budget: &mut Budget) -> Result<PatternState<'r>, Undecided> {
        let symbols = symbols_with(&self.order, globs);
        let fresh = symbols.fresh().ok_or(Undecided::NoFreshOctet)?;
        let closed = self.shortest_of(globs, Effect::Disallowed, fresh, budget)?;
        let open = self.shortest_of(globs, Effect::Allowed, fresh, budget)?;
        Ok(match (open, closed) {
            (Some(open), Some(closed)) => PatternState::Mixed { open, closed },
            (Some(example), None) => PatternState::Open { example },
            (None, Some(example)) => PatternState::Closed { example },
            // Every target is allowed or disallowed.
            (None, None) => match self.shortest_of(globs, Effect::Exempt, fresh, budget)? {
                Some(example) => PatternState::Open { example },
                None => PatternState::Empty,
            },
        })
    }

    /// One of the shortest targets of some patterns with an answer.
    fn shortest_of(
        &self,
        globs: &[Glob],
        answer: Effect,
        fresh: u8,
        budget: &mut Budget,
    ) -> Result<Option<Example<'r>>, Undecided> {
        let mut best: Option<(FoundText, Decider)> = None;
        let mut is_shortest = true;
        let mut urls = Urls::new(&self.targets);
        for glob in globs {
            // The decider of the canonical text matches all targets of the pattern, so worse atoms
            // decide none of them.
            let last = self.policy.decider(urls.of(&glob.canon(fresh)), budget)?;
            let last = self.order.last_rank(last);
            // No merge has fewer `//` or symbols than one of its patterns.
            let least = |other: &Glob| {
                let [one, other] = [glob, other].map(|it| cost(&it.canon(fresh), it.shortest()));
                (one.0.max(other.0), one.1.max(other.1))
            };
            let atoms = self.order.compatible(glob, answer.allows());
            let mut atoms: Vec<(Cost, u32)> = atoms
                .filter(|&rank| rank <= last && answer.is_of(self.order.atom(rank).decider))
                .map(|rank| (least(&self.order.atom(rank).glob), rank))
                .collect();
            budget.spend(atoms.len())?;
            atoms.sort_unstable();
            for (least, rank) in atoms {
                let atom = self.order.atom(rank);
                if best.as_ref().is_some_and(|(best, _)| best.cost(best.text.len()) <= least) {
                    break;
                }
                for merge in Merges::of(glob, &atom.glob, budget)?.as_slice() {
                    let mut decides = |text: &[u8]| {
                        Ok(self.policy.decider(urls.of(text), budget)? == atom.decider)
                    };
                    let canon = merge.canon(fresh);
                    let least = cost(&canon, merge.shortest());
                    let is_better = |found: Cost| {
                        best.as_ref().is_none_or(|(best, _)| found < best.cost(best.text.len()))
                    };
                    if !is_better(least) || !decides(&canon)? {
                        continue;
                    }
                    let found = shortest(merge, fresh, decides)
                        .unwrap_or(FoundText { text: canon, shortest: false });
                    is_shortest &= found.shortest;
                    if is_better(found.cost(found.text.len())) {
                        best = Some((found, atom.decider));
                    }
                }
            }
        }
        let Some((mut found, decider)) = best else { return Ok(None) };
        found.shortest = is_shortest;
        found.text = readable(found.text, fresh, |text| {
            globs.iter().any(|glob| glob.matches(text))
                && self.policy.decider(urls.of(text), budget) == Ok(decider)
        });
        let witness = self.witness(&found, &self.targets)?;
        self.confirm(&witness, decider)?;
        let verdict = self.verdict(witness.url());
        Ok(Some(Example { witness, verdict }))
    }
}

/// The effect of an example that is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Allowed,
    Disallowed,
    /// Always allowed.
    Exempt,
}

impl Effect {
    const fn allows(self) -> bool {
        !matches!(self, Self::Disallowed)
    }

    fn is_of(self, decider: Decider) -> bool {
        (decider == Decider::RobotsTxt) == (self == Self::Exempt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::Dialect;

    /// The state, as text: `+` and the open witness, `-` and the closed one.
    #[track_caller]
    fn check(dialect: Dialect, rules: &str, pattern: &str, expected: &str) {
        let robots = dialect.parse(&format!("User-agent: *\n{rules}"));
        let analysis = Analysis::new(&robots, "x");
        let target = |example: Example<'_>| example.witness.target().to_owned();
        let found = match analysis.pattern_state(pattern, &mut Budget::default()) {
            PatternState::Open { example } => format!("+{}", target(example)),
            PatternState::Closed { example } => format!("-{}", target(example)),
            PatternState::Mixed { open, closed } => {
                format!("+{} -{}", target(open), target(closed))
            }
            PatternState::Empty => "empty".to_owned(),
            PatternState::Undecided(reason) => format!("undecided, because {reason}"),
        };
        assert_eq!(found, expected, "{dialect}: {rules} {pattern}");
    }

    #[test]
    fn witnesses_are_shortest_and_readable() {
        let rules = "Disallow: /a\nAllow: /a*c\nDisallow: /*?\n";
        check(Dialect::RFC9309, rules, "/", "+/ -/?");
        check(Dialect::RFC9309, rules, "/a", "+/ac -/a");
        check(Dialect::RFC9309, rules, "/a*b$", "+/acb -/ab");
        check(Dialect::RFC9309, rules, "/b$", "+/b");
        check(Dialect::RFC9309, rules, "/b?", "-/b?");
        check(Dialect::RFC9309, "Disallow: /$\n", "/", "+/z -/");
        check(Dialect::BOOK, "Disallow: /%25a\n", "/%25*", "+/%25 -/%25a");
    }

    #[test]
    fn a_robots_txt_that_is_always_allowed_does_not_count() {
        check(Dialect::RFC9309, "Disallow: /\n", "/", "-/");
        check(Dialect::RFC9309, "Disallow: /\n", "/robots.txt", "-/robots.txtz");
        check(Dialect::RFC9309, "Disallow: /\n", "/robots.txt$", "+/robots.txt");
        check(Dialect::GOOGLE, "Disallow: /\n", "/robots.txt$", "-/robots.txt");
    }

    #[test]
    fn patterns_have_wildcards_in_every_dialect() {
        check(Dialect::BOOK, "Disallow: /a\n", "/*b$", "+/b -/ab");
        check(Dialect::ORIG1994, "Disallow: /a\n", "*/a/$", "+/x/a/ -/a/");
        for pattern in ["", "a", "$"] {
            check(Dialect::RFC9309, "Disallow: /\n", pattern, "empty");
        }
        check(Dialect::GOOGLE, "Disallow: /\n", "/a b", "empty");
    }
}
