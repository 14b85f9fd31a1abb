//! The rules that a crawler obeys, prepared for questions about all URLs.

use core::fmt;

use verger::{AsCrawler, CrawlerRef, Origin, Robots, Rule, Verdict};

use crate::patterns::decision_list::{Decider, Order, ROBOTS_TXT, patterns};
use crate::patterns::glob::Glob;
use crate::undecided::{Budget, Undecided};
use crate::urls::ORIGIN;
use crate::urls::policy_check::PolicyCheck;
use crate::urls::targets::{Targets, Urls};
use crate::urls::witness::{FoundText, Witness};

/// The rules of one robots.txt that one crawler obeys, prepared for questions about all URLs.
///
/// # Targets
///
/// The analysis covers all targets: the texts that begin with `/` and are the path and query
/// of a URL in the dialect's normal form. A dialect that leaves URLs as they are (`google`) has
/// targets without spaces, controls, quotation marks, angle brackets and octets from 0x80 on,
/// because every client encodes these.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::{Analysis, Budget};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /cart\nDisallow: /cart/old\nAllow: /cart*\n");
/// let analysis = Analysis::new(&robots, "ExampleBot");
/// let lines = |rules: Vec<verger::Rule<'_>>| rules.iter().map(|rule| rule.position().line).collect::<Vec<_>>();
/// assert_eq!(lines(analysis.rules().to_vec()), [2, 3, 4]);
/// // `Allow: /cart*` is longer than `Disallow: /cart`.
/// let dead = analysis.dead_rules(&mut Budget::default()).found;
/// assert_eq!(lines(dead.iter().map(|dead| dead.rule).collect()), [2]);
/// ```
pub struct Analysis<'r> {
    pub(crate) robots: &'r Robots,
    pub(crate) crawler: CrawlerRef<'r>,
    origin: String,
    pub(crate) rules: Vec<Rule<'r>>,
    pub(crate) targets: Targets,
    pub(crate) order: Order,
    pub(crate) policy: PolicyCheck,
}

impl<'r> Analysis<'r> {
    /// Prepares the rules that a crawler obeys, in the dialect of the parsed file.
    ///
    /// # Complexity
    ///
    /// Compiles a [`Policy`](verger::Policy) and sorts the rules. Memory: a small multiple of the
    /// rules.
    pub fn new<C: AsCrawler + ?Sized>(robots: &'r Robots, crawler: &'r C) -> Self {
        let (dialect, crawler) = (robots.dialect(), crawler.as_crawler());
        let policy = robots.policy(&crawler);
        // Without rules if the crawler ignores the file, or the dialect does because of its size.
        let root = policy.check(ORIGIN).reason();
        let rules: Vec<Rule<'r>> = if root.is_by_file() {
            robots.groups_for(&crawler).flat_map(|group| group.rules()).collect()
        } else {
            Vec::new()
        };
        let targets = Targets::Normal(dialect.normal_form);
        let patterns = patterns(&rules, &robots.dialect(), |texts, anchored| {
            let mut globs = Glob::rooted(texts.iter().copied(), anchored);
            globs.retain(|glob| targets.has(glob));
            Ok(globs)
        });
        let is_exempt = dialect.robots_txt_always_allowed;
        let robots_txt = is_exempt.then(|| Glob::exactly(ROBOTS_TXT)).into_iter().collect();
        let patterns = patterns.unwrap_or_default();
        let order = Order::new(patterns, rules.len(), dialect.precedence, robots_txt);
        let lines = rules.iter().map(|rule| rule.position().line).collect();
        let policy = PolicyCheck::new(policy.without_explanation(), lines, &order);
        let origin = ORIGIN.to_owned();
        Self { robots, crawler, origin, rules, targets, order, policy }
    }

    /// Sets the origin of the witnesses; the default is `https://example.com`.
    ///
    /// The answers do not depend on it. With an origin whose scheme has no robots.txt in the
    /// dialect, no witness is confirmed ([`Undecided::NotConfirmed`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Origin, Robots};
    /// use verger_analysis::{Analysis, Budget, PatternState};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /\n");
    /// let origin: Origin = "https://shop.example".parse()?;
    /// let analysis = Analysis::new(&robots, "ExampleBot").with_origin(&origin);
    /// let state = analysis.pattern_state("/cart", &mut Budget::default());
    /// let PatternState::Closed { example } = state else { panic!() };
    /// assert_eq!(example.witness.url(), "https://shop.example/cart");
    /// # Ok::<(), verger::OriginError>(())
    /// ```
    #[must_use]
    pub fn with_origin(mut self, origin: &Origin) -> Self {
        self.origin = origin.to_string();
        self
    }

    /// The rules that the crawler obeys, in file order.
    pub fn rules(&self) -> &[Rule<'r>] {
        &self.rules
    }

    /// The parsed file.
    pub const fn robots(&self) -> &'r Robots {
        self.robots
    }

    /// The deciders of the canonical texts of all atoms.
    pub(crate) fn winners(
        &self,
        fresh: u8,
        budget: &mut Budget,
    ) -> Result<Vec<Decider>, Undecided> {
        let mut urls = Urls::new(&self.targets);
        let atoms = self.order.atoms().iter();
        atoms.map(|atom| self.policy.decider(urls.of(&atom.glob.canon(fresh)), budget)).collect()
    }

    /// The rule of a decider.
    pub(crate) fn rule(&self, decider: Decider) -> Option<Rule<'r>> {
        match decider {
            Decider::Rule(rule) => self.rules.get(rule as usize).copied(),
            Decider::RobotsTxt | Decider::NoRule => None,
        }
    }

    /// The engine's verdict for a URL.
    pub(crate) fn verdict(&self, url: &str) -> Verdict<'r> {
        self.robots.check(&self.crawler, url)
    }

    /// Whether the engine names this decider for a URL at the origin of the witnesses.
    ///
    /// # Errors
    ///
    /// If it names another one.
    pub(crate) fn confirm(&self, witness: &Witness, expected: Decider) -> Result<(), Undecided> {
        let decider = self.policy.decider(witness.url().as_bytes(), &mut Budget::default())?;
        if decider == expected { Ok(()) } else { Err(Undecided::NotConfirmed) }
    }

    /// The target of a URL or path in the dialect's normal form; `None` if no group applies.
    pub(crate) fn normal_form(&self, url: &[u8]) -> Option<Vec<u8>> {
        self.robots.explain(&self.crawler, url).target
    }

    /// The witness of a text.
    pub(crate) fn witness(
        &self,
        found: &FoundText,
        targets: &Targets,
    ) -> Result<Witness, Undecided> {
        let mut url = self.origin.clone().into_bytes();
        targets.write(&found.text, &mut url);
        let url = String::from_utf8(url).map_err(|_| Undecided::NotConfirmed)?;
        Ok(Witness::new(url, &self.origin, found, targets.length(&found.text)))
    }
}

impl fmt::Debug for Analysis<'_> {
    /// Only counts: the rules are foreign text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analysis")
            .field("dialect", &self.robots.dialect())
            .field("rules", &self.rules.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::pattern_state::PatternState;
    use verger::{Crawler, Dialect};

    #[test]
    fn only_rules_that_the_crawler_obeys_are_read() {
        let text = "User-agent: a\nDisallow: /1\n\nUser-agent: *\nAllow: /2\n\nUser-agent: A\nDisallow: /3\n";
        let robots = Robots::parse(text);
        let lines = |crawler: &Crawler| -> Vec<usize> {
            let analysis = Analysis::new(&robots, crawler);
            analysis.rules().iter().map(|rule| rule.position().line).collect()
        };
        assert_eq!(lines(&Crawler::new("a")), [2, 8]);
        assert_eq!(lines(&Crawler::new("b")), [5]);
        assert_eq!(lines(&Crawler::new("b").without_star()), [0; 0]);
        // A text that is too long allows everything in this dialect.
        let long = format!("{text}{}", "#".repeat(600_000));
        let robots = Dialect::YANDEX.parse(&long);
        let analysis = Analysis::new(&robots, "a");
        assert!(analysis.rules().is_empty() && analysis.allows_all());
    }

    #[test]
    fn witnesses_are_confirmed_at_their_origin() {
        let origin =
            |scheme| Origin::from_parts(scheme, "h.example", Some(8080)).expect("an origin");
        for (dialect, scheme, expected) in [
            (Dialect::RFC9309, "ftp", Some("ftp://h.example:8080/a")),
            (Dialect::BOOK, "http", Some("http://h.example:8080/a")),
            (Dialect::BOOK, "ftp", None),
        ] {
            let robots = dialect.parse("User-agent: *\nDisallow: /a\n");
            let analysis = Analysis::new(&robots, "x").with_origin(&origin(scheme));
            match (analysis.pattern_state("/a", &mut Budget::default()), expected) {
                (PatternState::Closed { example }, Some(expected)) => {
                    assert_eq!(example.witness.to_string(), expected);
                }
                (PatternState::Undecided(Undecided::NotConfirmed), None) => {}
                (other, _) => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn an_analysis_is_shared_between_threads() {
        const fn is_for_threads<T: Send + Sync>() {}
        is_for_threads::<Analysis<'_>>();
        is_for_threads::<crate::Comparison<'_, '_>>();
        is_for_threads::<crate::Coverage<'_, '_>>();
    }
}
