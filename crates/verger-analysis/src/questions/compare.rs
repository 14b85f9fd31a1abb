//! Comparison of two policies.

use core::fmt;

use verger::{CrawlerRef, Robots, Rule, Verdict};

use crate::patterns::decision_list::Decider;
use crate::questions::analysis::Analysis;
use crate::questions::changes::{self, Changes, Pair};
use crate::undecided::{Budget, Undecided};
use crate::urls::client_urls::ClientUrls;
use crate::urls::targets::Targets;
use crate::urls::witness::{FoundText, Witness};

/// The result of a comparison of two policies: the targets for which they differ.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Comparison<'b, 'a> {
    /// Classes of targets, the ones with the shortest witness first.
    pub changes: Vec<Change<'b, 'a>>,
    /// The reason why further classes or shorter witnesses may be missing; `None` if the list is
    /// complete.
    pub incomplete: Option<Undecided>,
}

impl Comparison<'_, '_> {
    /// Whether equality is proved: both policies give the same answer for every target.
    pub const fn is_equal(&self) -> bool {
        self.changes.is_empty() && self.incomplete.is_none()
    }
}

/// The targets that one rule or default decides before, and another one with the opposite answer
/// after.
#[derive(Clone)]
pub struct Change<'b, 'a> {
    before: ComparedSide<'b>,
    after: ComparedSide<'a>,
    direction: Direction,
    witness: Witness,
}

/// The decider of a change on one side.
#[derive(Clone, Copy)]
struct ComparedSide<'r> {
    robots: &'r Robots,
    crawler: CrawlerRef<'r>,
    rule: Option<Rule<'r>>,
}

impl<'b, 'a> Change<'b, 'a> {
    /// Whether the targets were closed and are now open, or the other way round.
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// A target of the class, one of the shortest.
    pub const fn witness(&self) -> &Witness {
        &self.witness
    }

    /// The rule that decided before; `None` if no rule did: they were allowed.
    pub const fn rule_before(&self) -> Option<Rule<'b>> {
        self.before.rule
    }

    /// The rule that decides after; `None` if no rule does: they are allowed.
    pub const fn rule_after(&self) -> Option<Rule<'a>> {
        self.after.rule
    }

    /// The verdict for the witness before, with reason and group.
    ///
    /// # Complexity
    ///
    /// A check of every rule of the crawler ([`Robots::check`]).
    pub fn verdict_before(&self) -> Verdict<'b> {
        self.before.robots.check(&self.before.crawler, self.witness.url())
    }

    /// The verdict for the witness after, with reason and group.
    ///
    /// # Complexity
    ///
    /// As [`verdict_before`](Self::verdict_before).
    pub fn verdict_after(&self) -> Verdict<'a> {
        self.after.robots.check(&self.after.crawler, self.witness.url())
    }
}

impl fmt::Debug for Change<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Change")
            .field("direction", &self.direction)
            .field("witness", &self.witness)
            .field("rule_before", &self.before.rule)
            .field("rule_after", &self.after.rule)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Change<'_, '_> {
    /// `closed: https://example.com/cart was allowed: …; is disallowed by …`, with foreign text
    /// escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.verdict_before(), self.verdict_after());
        write!(f, "{}: {} was {before}; is {after}", self.direction.name(), self.witness)
    }
}

/// The effect of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "an answer is one of two")]
pub enum Direction {
    /// Disallowed before, allowed after.
    Opened,
    /// Allowed before, disallowed after.
    Closed,
}

impl Direction {
    /// The name in JSON output: `opened`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Closed => "closed",
        }
    }
}

/// Compares two policies: two versions of a file, two crawlers of one file, or one file in two
/// dialects.
///
/// If the normal forms of the two dialects differ, the policies have no targets in common. They are
/// then compared on the URLs that a client sends if it parses URLs as browsers do. Of the escapes,
/// those count that a rule contains, as it spells them and with upper-case digits, and those of
/// octets in rules that a URL cannot contain.
///
/// # Complexity
///
/// A few checks for each pair of rules with opposite answers that differ between the policies and
/// can match the same target.
///
/// # Examples
///
/// Two versions of a file:
///
/// ```
/// use verger::Robots;
/// use verger_analysis::{Analysis, Budget, compare};
///
/// let before = Robots::parse("User-agent: *\nDisallow: /cart\nDisallow: /*?sort=\n");
/// let after = Robots::parse("User-agent: *\nDisallow: /cart/\nDisallow: /*sort=\n");
/// let [before, after] = [&before, &after].map(|robots| Analysis::new(robots, "ExampleBot"));
/// let comparison = compare(&before, &after, &mut Budget::default());
/// let changes: Vec<_> = comparison.changes.iter().map(ToString::to_string).collect();
/// assert_eq!(changes, [
///     "opened: https://example.com/cart was disallowed by `Disallow: /cart` on line 2, in the group \
///      for `*` (line 1); is allowed: no rule matches in the group for `*` (line 1)",
///     "closed: https://example.com/sort= was allowed: no rule matches in the group for `*` (line 1); \
///      is disallowed by `Disallow: /*sort=` on line 3, in the group for `*` (line 1)",
/// ]);
/// ```
///
/// One file in two dialects:
///
/// ```
/// use verger::Dialect;
/// use verger_analysis::{Analysis, Budget, compare};
///
/// let text = "User-agent: *\nDisallow: /%7Efred\n";
/// let [rfc, google] = [Dialect::RFC9309, Dialect::GOOGLE].map(|dialect| dialect.parse(text));
/// let [rfc, google] = [&rfc, &google].map(|robots| Analysis::new(robots, "ExampleBot"));
/// let comparison = compare(&rfc, &google, &mut Budget::default());
/// assert_eq!(comparison.changes[0].witness().target(), "/~fred");
/// ```
pub fn compare<'b, 'a>(
    before: &Analysis<'b>,
    after: &Analysis<'a>,
    budget: &mut Budget,
) -> Comparison<'b, 'a> {
    if before.robots.dialect().normal_form == after.robots.dialect().normal_form {
        let [one, other] =
            [before, after].map(|side| changes::Side { order: &side.order, policy: &side.policy });
        let changes = Changes::between(one, other, &before.targets, budget);
        return comparison(before, after, &before.targets, changes);
    }
    let policies =
        [(&*before.rules, before.robots.dialect()), (&*after.rules, after.robots.dialect())];
    match ClientUrls::new(&policies) {
        Err(undecided) => Comparison { incomplete: Some(undecided), ..Comparison::default() },
        Ok((urls, orders)) => {
            let targets = Targets::ClientUrls(Box::new(urls));
            let [one, other] = &orders;
            let one = changes::Side { order: one, policy: &before.policy };
            let other = changes::Side { order: other, policy: &after.policy };
            let changes = Changes::between(one, other, &targets, budget);
            comparison(before, after, &targets, changes)
        }
    }
}

fn comparison<'b, 'a>(
    before: &Analysis<'b>,
    after: &Analysis<'a>,
    targets: &Targets,
    changes: Changes,
) -> Comparison<'b, 'a> {
    let Changes { found, mut incomplete } = changes;
    let mut changes = Vec::with_capacity(found.len());
    for (pair, found) in found {
        match change(before, after, targets, pair, &found) {
            Ok(change) => changes.push(change),
            Err(undecided) => incomplete = Some(undecided),
        }
    }
    // The order of the pairs, which is that of the rules, remains among equal lengths.
    changes.sort_by_key(|change: &Change<'_, '_>| change.witness.length());
    Comparison { changes, incomplete }
}

fn change<'b, 'a>(
    before: &Analysis<'b>,
    after: &Analysis<'a>,
    targets: &Targets,
    (one, other): Pair,
    found: &FoundText,
) -> Result<Change<'b, 'a>, Undecided> {
    let witness = before.witness(found, targets)?;
    before.confirm(&witness, one)?;
    after.confirm(&witness, other)?;
    // Deciders of a change have opposite answers.
    let is_closed = !after.order.allows(other);
    Ok(Change {
        before: side(before, one),
        after: side(after, other),
        direction: if is_closed { Direction::Closed } else { Direction::Opened },
        witness,
    })
}

fn side<'r>(analysis: &Analysis<'r>, decider: Decider) -> ComparedSide<'r> {
    let Analysis { robots, crawler, .. } = *analysis;
    ComparedSide { robots, crawler, rule: analysis.rule(decider) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::{Crawler, Dialect};

    /// The changes between two files: direction and witness.
    #[track_caller]
    fn check(dialects: [Dialect; 2], rules: [&str; 2], expected: &[&str]) {
        let text = |rules: &str| format!("User-agent: *\n{rules}");
        let (before, after) =
            (dialects[0].parse(&text(rules[0])), dialects[1].parse(&text(rules[1])));
        let [before, after] = [&before, &after].map(|robots| Analysis::new(robots, "x"));
        let comparison = compare(&before, &after, &mut Budget::default());
        let found: Vec<String> = comparison
            .changes
            .iter()
            .map(|change| format!("{} {}", change.direction().name(), change.witness().target()))
            .collect();
        assert_eq!(found, expected, "{rules:?}");
        assert_eq!(comparison.is_equal(), expected.is_empty());
    }

    #[test]
    fn changes_go_both_ways() {
        let same = [Dialect::RFC9309; 2];
        check(same, ["Disallow: /a\n", "Disallow: /a*\n"], &[]);
        check(same, ["Disallow: /a\nDisallow: /a/b\n", "Disallow: /%61\n"], &[]);
        check(same, ["Disallow: /a\n", "Disallow: /b\n"], &["opened /a", "closed /b"]);
        let padded = ["Disallow: /a\nAllow: /*b$\n", "Disallow: /a***\nAllow: /*b$\n"];
        check(same, padded, &["closed /ab"]);
        check([Dialect::BOOK; 2], ["", "Disallow: /a%2f%25\n"], &["closed /a%2F%25"]);
    }

    #[test]
    fn dialects_are_compared_on_urls() {
        let file = "Disallow: /a*b\nDisallow: /c d\n";
        check([Dialect::ORIG1994, Dialect::RFC9309], [file; 2], &["closed /ab"]);
        check([Dialect::GOOGLE, Dialect::RFC9309], [file; 2], &["closed /c%20d"]);
        check([Dialect::GOOGLE, Dialect::RFC9309], ["Disallow: /a*b%C3\n"; 2], &[]);
        check([Dialect::KOSTER1996, Dialect::RFC9309], ["Disallow: /%3F\n"; 2], &["opened /?"]);
        check([Dialect::GOOGLE, Dialect::RFC9309], ["Disallow: /*|\n"; 2], &["closed /%7C"]);
    }

    #[test]
    fn a_policy_of_a_crawler_that_ignores_the_file_is_empty() {
        let robots = Robots::parse("User-agent: *\nDisallow: /\n");
        let crawlers = [Crawler::new("x"), Crawler::new("x").without_star()];
        let [one, other] = crawlers.each_ref().map(|it| Analysis::new(&robots, it));
        let comparison = compare(&one, &other, &mut Budget::default());
        assert_eq!(comparison.changes[0].direction(), Direction::Opened);
        assert_eq!(comparison.changes[0].rule_after(), None);
        assert!(other.rules().is_empty());
    }
}
