//! Rules: the comparison with a target, and the deciding rule.

use crate::Dialect;
use crate::dialect::{EmptyRule, Precedence};
use crate::parse::RuleKind;
use crate::pattern::Pattern;
use crate::search::Searched;

/// A rule that matches a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    /// Whether the rule allows. An empty `Disallow` may (REP-AMB-2).
    pub(crate) allows: bool,
    /// The length of the pattern's normal form.
    pub(crate) length: usize,
    /// Whether the rule matches only through its directory (REP-MATCH-30).
    pub(crate) by_directory: bool,
}

impl Match {
    /// The match of a rule with a target in normal form; `None` if it does not match or has no
    /// effect.
    pub(crate) fn of(
        kind: RuleKind,
        raw: &[u8],
        target: &mut Searched<'_>,
        dialect: &Dialect,
    ) -> Option<Self> {
        let allows = kind == RuleKind::Allow;
        if raw.is_empty() {
            return empty_rule_allows(kind, dialect).map(|allows| Self {
                allows,
                length: 0,
                by_directory: false,
            });
        }
        let pattern = Pattern::new(raw, dialect);
        if pattern.matches(target) {
            return Some(Self { allows, length: pattern.len(), by_directory: false });
        }
        let directory = directory_of(kind, raw, dialect)?;
        directory.matches(target).then(|| Self {
            allows,
            length: directory.len(),
            by_directory: true,
        })
    }
}

/// The effect of an empty rule on every target; `None` for no effect (REP-AMB-2).
pub(crate) fn empty_rule_allows(kind: RuleKind, dialect: &Dialect) -> Option<bool> {
    match dialect.empty_rule {
        EmptyRule::Inert => None,
        EmptyRule::Allows => Some(true),
        EmptyRule::MatchesEverything => Some(kind == RuleKind::Allow),
    }
}

/// REP-MATCH-30: the directory that a rule for its index page also allows; never for a disallow.
pub(crate) fn directory_of<'r>(
    kind: RuleKind,
    raw: &'r [u8],
    dialect: &Dialect,
) -> Option<Pattern<'r>> {
    let widens = kind == RuleKind::Allow && dialect.index_html_allows_directory;
    widens.then(|| Pattern::directory_of_index(raw, dialect)).flatten()
}

/// Finds the deciding rule among the matching ones, in file order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contest<T> {
    precedence: Precedence,
    allow: Option<(usize, T)>,
    disallow: Option<(usize, T)>,
}

impl<T: Copy> Contest<T> {
    pub(crate) const fn new(precedence: Precedence) -> Self {
        Self { precedence, allow: None, disallow: None }
    }

    /// Adds a matching rule.
    pub(crate) fn offer(&mut self, found: Match, rule: T) {
        if self.is_settled() {
            return;
        }
        let best = if found.allows { &mut self.allow } else { &mut self.disallow };
        // Among equally long rules of one kind, the first in the file counts.
        if best.is_none_or(|(length, _)| length < found.length) {
            *best = Some((found.length, rule));
        }
    }

    /// Whether no further rule can change the result.
    pub(crate) const fn is_settled(&self) -> bool {
        match self.precedence {
            Precedence::FirstMatch => self.allow.is_some() || self.disallow.is_some(),
            Precedence::LongestPattern => false,
        }
    }

    /// Whether the deciding rule allows, and the rule.
    pub(crate) fn winner(&self) -> Option<(bool, T)> {
        match (self.allow, self.disallow) {
            // REP-MATCH-10, REP-AMB-35: the longest pattern decides; a tie allows.
            (Some((allow, _)), Some((disallow, rule))) if disallow > allow => Some((false, rule)),
            (Some((_, rule)), _) => Some((true, rule)),
            (None, Some((_, rule))) => Some((false, rule)),
            (None, None) => None,
        }
    }
}
