//! What a policy answers.

use core::fmt;

use super::explanation::{self, StoredGroup, StoredRule};
use super::rules::Rank;
use crate::parse::RuleKind;
use crate::robots::write_group;
use crate::span::{Position, Span};
use crate::verdict::Reason;

/// The answer of a policy: the same as that of the robots.txt it was made of.
///
/// `Display` is the sentence of [`Verdict`](crate::Verdict) where the policy can explain itself; otherwise a
/// shorter one.
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

/// A rule as a policy tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyRule<'a>(StoredRule<'a>);

/// A group as a policy tells it.
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

    /// Why.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The line of the rule that decided, from 1; `None` when none did.
    pub fn line(&self) -> Option<usize> {
        self.rank.map(|rank| rank.line as usize)
    }

    /// The rule that decided; `None` when none did, or when the explanation was left out.
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

    /// The group of the rule that decided; when none did, the first group that applies. `None` when there
    /// is none, or when the explanation was left out.
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

    /// The place of the pattern in the text that was parsed.
    pub const fn span(&self) -> Span {
        self.0.span
    }
}

impl<'a> PolicyGroup<'a> {
    /// The agent by which the crawler was found to belong here, as written; `None` for rules that no
    /// user-agent line opens.
    pub const fn agent(&self) -> Option<&'a [u8]> {
        self.0.agent
    }

    /// The line it begins on, from 1.
    pub const fn line(&self) -> usize {
        self.0.line as usize
    }
}

impl fmt::Display for PolicyVerdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let allowed = self.is_allowed();
        f.write_str(if allowed { "allowed" } else { "disallowed" })?;
        match (self.rule(), self.line()) {
            (Some(rule), _) => write!(f, " by `{rule}` on line {}", rule.position().line)?,
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
    /// Without the explanation: it is long, and holds foreign text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyVerdict")
            .field("allowed", &self.is_allowed())
            .field("reason", &self.reason)
            .field("line", &self.line())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for PolicyRule<'_> {
    /// The rule in one spelling, `Disallow: /x`, with its pattern escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.write_rule(self.0.pattern, f)
    }
}

impl fmt::Display for PolicyGroup<'_> {
    /// The agent it is for, and the line it begins on: `` `GPTBot` (line 3) ``. A policy does not keep
    /// which lines join a group ([`Group::joined_by`](crate::Group::joined_by)).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_group(self.agent(), self.line(), None, f)
    }
}
