//! The verdict of a policy.

use core::fmt;

use super::explanation::{self, StoredGroup, StoredRule};
use super::rules::Rank;
use crate::parse::RuleKind;
use crate::robots::write_group;
use crate::span::{Position, Span};
use crate::untrusted::write_quoted;
use crate::verdict::Reason;

/// The verdict of a policy: the same as that of its robots.txt.
///
/// `Display` is the sentence of [`Verdict`](crate::Verdict) if the policy has an explanation;
/// otherwise a shorter one.
///
/// # Examples
///
/// ```
/// use verger::Robots;
///
/// let policy = Robots::parse("User-agent: *\nDisallow: /cart\n").policy("GPTBot");
/// let verdict = policy.check("https://shop.example/cart");
/// assert!(!verdict.is_allowed());
/// assert_eq!(verdict.line(), Some(2));
/// assert_eq!(
///     verdict.to_string(),
///     "disallowed by `Disallow: /cart` on line 2, in the group for `*` (line 1)",
/// );
///
/// let short = policy.without_explanation();
/// assert_eq!(short.check("/cart").to_string(), "disallowed by the rule on line 2");
/// ```
#[derive(Clone, Copy)]
pub struct PolicyVerdict<'a> {
    allowed: bool,
    reason: Reason,
    rank: Option<Rank>,
    explanation: &'a [u8],
}

/// A rule in the explanation of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyRule<'a>(StoredRule<'a>);

/// A group in the explanation of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyGroup<'a>(StoredGroup<'a>);

impl<'a> PolicyVerdict<'a> {
    pub(crate) const fn without_rule(allowed: bool, reason: Reason, explanation: &'a [u8]) -> Self {
        Self { allowed, reason, rank: None, explanation }
    }

    pub(super) const fn by_rule(rank: Rank, explanation: &'a [u8]) -> Self {
        Self { allowed: rank.allows, reason: Reason::Rule, rank: Some(rank), explanation }
    }

    /// Whether the crawler may fetch the URL.
    pub const fn is_allowed(&self) -> bool {
        self.allowed
    }

    /// The reason.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The line of the deciding rule, from 1; `None` if no rule decided.
    pub fn line(&self) -> Option<usize> {
        self.rank.map(|rank| rank.line as usize)
    }

    /// The deciding rule; `None` if no rule decided, or without an explanation.
    ///
    /// # Complexity
    ///
    /// Linear in the rules before it.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Position, Robots, RuleKind};
    ///
    /// let policy = Robots::parse("User-agent: *\nDisallow: /cart\n").policy("ExampleBot");
    /// let rule = policy.check("/cart").rule().expect("a rule decided");
    /// assert_eq!((rule.kind(), rule.pattern()), (RuleKind::Disallow, &b"/cart"[..]));
    /// assert_eq!(rule.position(), Position { line: 2, column: 11 });
    /// assert_eq!(rule.span().range(), 24..29);
    /// ```
    pub fn rule(&self) -> Option<PolicyRule<'a>> {
        explanation::rule(self.explanation, self.rank?.line).map(PolicyRule)
    }

    /// The group of the deciding rule; if no rule decided, the first group that applies. `None` if
    /// no group applies, or without an explanation.
    ///
    /// # Complexity
    ///
    /// As [`rule`](Self::rule).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let policy = Robots::parse("User-agent: ExampleBot\nDisallow: /cart\n").policy("ExampleBot");
    /// let group = policy.check("/cart").group().expect("a group applies");
    /// assert_eq!((group.agent(), group.line()), (Some(&b"ExampleBot"[..]), 1));
    /// ```
    pub fn group(&self) -> Option<PolicyGroup<'a>> {
        match (self.reason, self.rule()) {
            (Reason::Rule, rule) => rule?.0.group.map(PolicyGroup),
            (Reason::NoRuleMatches, _) => {
                explanation::first_group(self.explanation).map(PolicyGroup)
            }
            _ => None,
        }
    }
}

impl<'a> PolicyRule<'a> {
    /// Allow or disallow.
    pub const fn kind(&self) -> RuleKind {
        self.0.kind
    }

    /// The pattern as written. It may be empty.
    pub const fn pattern(&self) -> &'a [u8] {
        self.0.pattern
    }

    /// Line and column of the pattern.
    pub const fn position(&self) -> Position {
        self.0.position
    }

    /// The position of the pattern in the parsed text.
    pub const fn span(&self) -> Span {
        self.0.span
    }
}

impl<'a> PolicyGroup<'a> {
    /// The agent that addresses the crawler, as written; `None` for rules that no user-agent line
    /// opens.
    pub const fn agent(&self) -> Option<&'a [u8]> {
        self.0.agent
    }

    /// The number of its first line, from 1.
    pub const fn line(&self) -> usize {
        self.0.line as usize
    }
}

impl fmt::Display for PolicyVerdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let allowed = self.is_allowed();
        f.write_str(if allowed { "allowed" } else { "disallowed" })?;
        match (self.rule(), self.line()) {
            (Some(rule), _) => {
                f.write_str(" by ")?;
                write_quoted(rule.pattern(), rule, f)?;
                write!(f, " on line {}", rule.position().line)?;
            }
            (None, Some(line)) => write!(f, " by the rule on line {line}")?,
            (None, None) => write!(f, ": {}", self.reason.sentence(allowed))?,
        }
        let comma = if self.reason == Reason::Rule { "," } else { "" };
        match self.group() {
            Some(group) => write!(f, "{comma} in the group for {group}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for PolicyVerdict<'_> {
    /// Without the explanation: it is long, and contains foreign text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyVerdict")
            .field("allowed", &self.is_allowed())
            .field("reason", &self.reason)
            .field("line", &self.line())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for PolicyRule<'_> {
    /// The rule in its usual spelling, `Disallow: /x`, with its pattern escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.write_rule(self.0.pattern, f)
    }
}

impl fmt::Display for PolicyGroup<'_> {
    /// The agent and the number of the group's first line: `` `GPTBot` (line 3) ``. A policy does
    /// not contain the lines that join a group ([`Group::joined_by`](crate::Group::joined_by)).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_group(self.agent(), self.line(), None, f)
    }
}
