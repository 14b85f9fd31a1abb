//! The answer for one URL, with its reason.

use core::fmt;

use crate::robots::{Group, Robots, Rule, Selected, write_group};
use crate::stored_rules::{StoredGroup, first_group, stored_rule};
use crate::untrusted::write_quoted;

/// The answer for one URL: allowed or not, the reason, and the deciding rule.
///
/// `Display` is one sentence that explains it, with foreign text escaped. The sentence of a policy
/// does not have the line that joins a group ([`Group::joined_by`]), and is shorter without an
/// explanation.
///
/// # Examples
///
/// ```
/// use verger::{Reason, Robots};
///
/// let robots = Robots::parse("User-agent: GPTBot\nDisallow: /cart\n");
/// let verdict = robots.check("GPTBot", "https://shop.example/cart/1");
/// assert!(!verdict.is_allowed());
/// assert_eq!(verdict.reason(), Reason::Rule);
/// assert_eq!(verdict.rule().expect("a rule decided").position().line, 2);
/// assert_eq!(
///     verdict.to_string(),
///     "disallowed by `Disallow: /cart` on line 2, in the group for `GPTBot` (line 1)",
/// );
/// ```
#[derive(Clone, Copy)]
pub struct Verdict<'r> {
    allowed: bool,
    reason: Reason,
    rules: ComparedRules<'r>,
}

/// The rules that were compared.
#[derive(Clone, Copy)]
enum ComparedRules<'r> {
    None,
    /// A parsed file, with the index of the deciding rule.
    File {
        robots: &'r Robots,
        rule: Option<usize>,
        group: Option<Selected>,
    },
    /// A policy, with the line of the deciding rule.
    Policy {
        line: Option<u32>,
        explanation: &'r [u8],
    },
}

impl<'r> Verdict<'r> {
    /// Whether the crawler may fetch the URL.
    pub const fn is_allowed(&self) -> bool {
        self.allowed
    }

    /// The reason.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The deciding rule, with its position; `None` if no rule decided, or for a policy without an
    /// explanation.
    ///
    /// # Complexity
    ///
    /// Constant; for a policy linear in the rules before it.
    pub fn rule(&self) -> Option<Rule<'r>> {
        match self.rules {
            ComparedRules::None => None,
            ComparedRules::File { robots, rule, .. } => robots.rule_at(rule?),
            ComparedRules::Policy { line, explanation } => Some(stored_rule(explanation, line?)?.0),
        }
    }

    /// The line of the deciding rule, from 1; `None` if no rule decided. A policy without an
    /// explanation has it, too.
    pub fn line(&self) -> Option<usize> {
        match self.rules {
            ComparedRules::Policy { line, .. } => line.map(|line| line as usize),
            _ => self.rule().map(|rule| rule.line() as usize),
        }
    }

    /// The group of the deciding rule; if no rule decided, the first group that applies, if any.
    /// `None` for a policy, which has only its first line ([`group_line`](Self::group_line)), and
    /// its agent for `Display`.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /cart\n");
    /// let group = |url| robots.check("ExampleBot", url).group().map(|group| group.position().line);
    /// assert_eq!(group("/cart"), Some(1));
    /// assert_eq!(group("/"), Some(1), "the group applies, though no rule of it matches");
    /// assert_eq!(group("/robots.txt"), None);
    /// ```
    pub fn group(&self) -> Option<Group<'r>> {
        match self.rules {
            ComparedRules::File { robots, group, .. } => robots.group_at(group?),
            _ => None,
        }
    }

    /// The number of the first line of [`group`](Self::group), also for a policy with an
    /// explanation.
    pub fn group_line(&self) -> Option<usize> {
        let line = |group: Group<'_>| group.line() as usize;
        self.group().map(line).or_else(|| self.stored_group().map(|group| group.line as usize))
    }

    fn stored_group(&self) -> Option<StoredGroup<'r>> {
        match self.rules {
            ComparedRules::Policy { line: Some(line), explanation } => {
                stored_rule(explanation, line)?.1
            }
            ComparedRules::Policy { explanation, .. } if self.reason == Reason::NoRuleMatches => {
                first_group(explanation)
            }
            _ => None,
        }
    }

    /// The reason in words: the sentence of `Display` without its first word.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /cart\n");
    /// let why = |url| robots.check("GPTBot", url).why().to_string();
    /// assert_eq!(why("/cart"), "by `Disallow: /cart` on line 2, in the group for `*` (line 1)");
    /// assert_eq!(why("/robots.txt"), "robots.txt itself may always be fetched");
    /// ```
    pub const fn why(&self) -> impl fmt::Display + use<'r> {
        Why(*self)
    }

    /// The verdict of a parsed file without its borrow: a small value to store beside the
    /// robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /cart\n");
    /// let detached = robots.check("GPTBot", "/cart").detach();
    /// assert!(!detached.is_allowed());
    /// assert_eq!(detached.attach(&robots).line(), Some(2));
    /// ```
    pub const fn detach(&self) -> DetachedVerdict {
        let (rule, group) = match self.rules {
            ComparedRules::File { rule, group, .. } => (rule, group),
            _ => (None, None),
        };
        DetachedVerdict { allowed: self.allowed, reason: self.reason, rule, group }
    }

    /// The verdict for a URL or crawler that needs no robots.txt.
    pub(crate) const fn without_robots(reason: Reason) -> Self {
        Self::without_rule(reason.allows(), reason)
    }

    pub(crate) const fn without_rule(allowed: bool, reason: Reason) -> Self {
        Self { allowed, reason, rules: ComparedRules::None }
    }

    /// The verdict of a parsed file, with the deciding rule and its group, or the first group that
    /// applies.
    pub(crate) fn of_file(
        robots: &'r Robots,
        decided: Option<(bool, (Selected, usize))>,
        first: Option<Selected>,
    ) -> Self {
        let (allowed, reason, rule, group) = match decided {
            Some((allowed, (group, rule))) => (allowed, Reason::Rule, Some(rule), Some(group)),
            None => (true, Reason::NoRuleMatches, None, first),
        };
        Self { allowed, reason, rules: ComparedRules::File { robots, rule, group } }
    }

    pub(crate) const fn of_policy(
        allowed: bool,
        reason: Reason,
        line: Option<u32>,
        explanation: &'r [u8],
    ) -> Self {
        Self { allowed, reason, rules: ComparedRules::Policy { line, explanation } }
    }
}

/// A [`Verdict`] that does not borrow from the robots.txt ([`Verdict::detach`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetachedVerdict {
    allowed: bool,
    reason: Reason,
    rule: Option<usize>,
    group: Option<Selected>,
}

impl DetachedVerdict {
    /// Whether the crawler may fetch the URL.
    pub const fn is_allowed(&self) -> bool {
        self.allowed
    }

    /// The reason.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The verdict with rule and group of the robots.txt that it came from. With another file, rule
    /// and group are those with the same indices, or missing.
    pub const fn attach(self, robots: &Robots) -> Verdict<'_> {
        let Self { allowed, reason, rule, group } = self;
        Verdict { allowed, reason, rules: ComparedRules::File { robots, rule, group } }
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.allowed { "allowed" } else { "disallowed" };
        let colon = if self.reason == Reason::Rule { "" } else { ":" };
        write!(f, "{word}{colon} {}", Why(*self))
    }
}

impl fmt::Debug for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verdict({self})")
    }
}

/// The sentence of a verdict without its first word.
struct Why<'r>(Verdict<'r>);

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(verdict) = self;
        match (verdict.rule(), verdict.line()) {
            (Some(rule), _) => {
                f.write_str("by ")?;
                write_quoted(rule.pattern(), rule, f)?;
                write!(f, " on line {}", rule.line())?;
            }
            (None, Some(line)) => write!(f, "by the rule on line {line}")?,
            (None, None) => f.write_str(verdict.reason.sentence(verdict.allowed))?,
        }
        let comma = if verdict.reason == Reason::Rule { "," } else { "" };
        match (verdict.group(), verdict.stored_group()) {
            (Some(group), _) => write!(f, "{comma} in the group for {group}"),
            (None, Some(StoredGroup { agent, line })) => {
                write!(f, "{comma} in the group for ")?;
                write_group(agent, line as usize, None, f)
            }
            (None, None) => Ok(()),
        }
    }
}

/// The reason of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A rule decided.
    Rule,
    /// A group applies, but none of its rules matches: allowed (REP-MATCH-8).
    NoRuleMatches,
    /// No group applies to the crawler: allowed.
    NoGroup,
    /// The URL is that of the robots.txt, which is always allowed (REP-MATCH-6).
    RobotsTxtItself,
    /// There is no robots.txt, or it counts as missing: because of the status
    /// ([`access`](crate::access)), or because of a size at which the dialect ignores the file
    /// (REP-SYNTAX-8). Allowed; disallowed if the profile reads a refusal that way (REP-AMB-15).
    Unavailable,
    /// robots.txt cannot be fetched: disallowed; allowed if the outage is long enough for the
    /// profile (REP-CACHE-12).
    Unreachable,
    /// Too many redirects: allowed; disallowed if the profile says so (REP-ACCESS-23).
    RedirectLimit,
    /// URLs of this scheme have no robots.txt: allowed (REP-ACCESS-8).
    NoRobotsForScheme,
    /// The crawler does not follow robots.txt: allowed.
    CrawlerIgnoresRobots,
    /// The text is neither an absolute URL nor a path: disallowed, because its meaning is unknown
    /// (REP-AMB-62). Dialect `google` finds a path in any text.
    NotAUrl,
}

impl Reason {
    /// All reasons.
    pub const ALL: &'static [Self] = &[
        Self::Rule,
        Self::NoRuleMatches,
        Self::NoGroup,
        Self::RobotsTxtItself,
        Self::Unavailable,
        Self::Unreachable,
        Self::RedirectLimit,
        Self::NoRobotsForScheme,
        Self::CrawlerIgnoresRobots,
        Self::NotAUrl,
    ];

    /// The name in JSON output: `no_rule_matches`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::NoRuleMatches => "no_rule_matches",
            Self::NoGroup => "no_group",
            Self::RobotsTxtItself => "robots_txt_itself",
            Self::Unavailable => "unavailable",
            Self::Unreachable => "unreachable",
            Self::RedirectLimit => "redirect_limit",
            Self::NoRobotsForScheme => "no_robots_for_scheme",
            Self::CrawlerIgnoresRobots => "crawler_ignores_robots",
            Self::NotAUrl => "not_a_url",
        }
    }

    /// Whether an answer without a robots.txt is "allowed" for this reason.
    pub(crate) const fn allows(self) -> bool {
        !matches!(self, Self::NotAUrl)
    }

    /// Whether the content of the robots.txt decided: a rule, or the absence of a matching rule or
    /// group.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Reason, Robots};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /cart\n");
    /// let reason = |url| robots.check("ExampleBot", url).reason();
    /// assert!(reason("/cart").is_by_file() && reason("/").is_by_file());
    /// assert!(!reason("mailto:a@shop.example").is_by_file());
    /// ```
    pub const fn is_by_file(self) -> bool {
        matches!(self, Self::Rule | Self::NoRuleMatches | Self::NoGroup)
    }

    /// Whether the answer may change when robots.txt can be fetched.
    pub const fn is_temporary(self) -> bool {
        matches!(self, Self::Unreachable)
    }

    pub(crate) const fn sentence(self, allowed: bool) -> &'static str {
        match self {
            Self::Rule => "a rule decides",
            Self::NoRuleMatches => "no rule matches",
            Self::NoGroup => "no group applies to this crawler",
            Self::RobotsTxtItself => "robots.txt itself may always be fetched",
            Self::Unavailable if allowed => "there is no robots.txt, or it is treated as missing",
            Self::Unavailable => "access to robots.txt was denied, so everything is disallowed",
            Self::Unreachable if allowed => {
                "robots.txt cannot be fetched, so everything is allowed"
            }
            Self::Unreachable => {
                "robots.txt cannot be fetched, so everything is disallowed until it can be"
            }
            Self::RedirectLimit if allowed => {
                "robots.txt has too many redirects, so everything is allowed"
            }
            Self::RedirectLimit => "robots.txt has too many redirects, so everything is disallowed",
            Self::NoRobotsForScheme => "URLs of this scheme have no robots.txt",
            Self::CrawlerIgnoresRobots => "this crawler does not follow robots.txt",
            Self::NotAUrl => "the text is neither an absolute URL nor a path",
        }
    }
}
