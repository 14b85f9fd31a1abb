//! The answer for one URL, with its reason.

use core::fmt;

use crate::robots::{Group, Robots, Rule, Selected};
use crate::untrusted::write_quoted;

/// The answer for one URL: allowed or not, the reason, and the deciding rule.
///
/// `Display` is one sentence that explains it, with foreign text escaped.
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
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'r> {
    pub(crate) allowed: bool,
    pub(crate) reason: Reason,
    pub(crate) rule: Option<Rule<'r>>,
    pub(crate) group: Option<Group<'r>>,
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

    /// The deciding rule, with its position; `None` if no rule decided.
    pub const fn rule(&self) -> Option<Rule<'r>> {
        self.rule
    }

    /// The group of the deciding rule; if no rule decided, the first group that applies, if any.
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
    pub const fn group(&self) -> Option<Group<'r>> {
        self.group
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
    pub const fn why(&self) -> Why<'r> {
        Why(*self)
    }

    /// The verdict without its borrow: a small value to store beside the robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /cart\n");
    /// let detached = robots.check("GPTBot", "/cart").detach();
    /// assert!(!detached.is_allowed());
    /// assert_eq!(detached.attach(&robots).rule().expect("a rule decided").position().line, 2);
    /// ```
    pub fn detach(&self) -> DetachedVerdict {
        let Self { allowed, reason, rule, group } = *self;
        let (rule, group) = (rule.map(Rule::index), group.map(Group::selected));
        DetachedVerdict { allowed, reason, rule, group }
    }

    /// The verdict for a URL or crawler that needs no robots.txt.
    pub(crate) const fn without_robots(reason: Reason) -> Self {
        Self::without_rule(reason.allows(), reason)
    }

    pub(crate) const fn without_rule(allowed: bool, reason: Reason) -> Self {
        Self { allowed, reason, rule: None, group: None }
    }
}

/// A [`Verdict`] that does not borrow from the robots.txt ([`Verdict::detach`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
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
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Reason, Robots};
    ///
    /// let text = "User-agent: *\nDisallow: /cart\n";
    /// let detached = Robots::parse(text).check("ExampleBot", "/cart").detach();
    /// assert_eq!((detached.is_allowed(), detached.reason()), (false, Reason::Rule));
    /// // Later, with the same file.
    /// let robots = Robots::parse(text);
    /// assert_eq!(detached.attach(&robots).rule().expect("a rule decided").pattern(), b"/cart");
    /// ```
    pub fn attach(self, robots: &Robots) -> Verdict<'_> {
        let Self { allowed, reason, rule, group } = self;
        let rule = rule.and_then(|rule| robots.rule_at(rule));
        let group = group.and_then(|group| robots.group_at(group));
        Verdict { allowed, reason, rule, group }
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.allowed { "allowed" } else { "disallowed" };
        let colon = if self.rule.is_some() { "" } else { ":" };
        write!(f, "{word}{colon} {}", self.why())
    }
}

/// The result of [`Verdict::why`].
#[derive(Clone, Copy, Debug)]
pub struct Why<'r>(Verdict<'r>);

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { rule, group, reason, .. } = self.0;
        if let Some(rule) = rule {
            f.write_str("by ")?;
            write_quoted(rule.pattern(), rule, f)?;
            write!(f, " on line {}", rule.position().line)?;
        } else {
            f.write_str(reason.sentence(self.0.allowed))?;
        }
        match (group, rule) {
            (Some(group), Some(_)) => write!(f, ", in the group for {group}"),
            (Some(group), None) => write!(f, " in the group for {group}"),
            (None, _) => Ok(()),
        }
    }
}

/// The reason of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Reason;
    ///
    /// assert!(Reason::Unreachable.is_temporary());
    /// assert!(!Reason::Unavailable.is_temporary() && !Reason::Rule.is_temporary());
    /// ```
    pub const fn is_temporary(self) -> bool {
        matches!(self, Self::Unreachable)
    }

    pub(crate) const fn sentence(self, allowed: bool) -> &'static str {
        match self {
            Self::Rule => "a rule decides",
            Self::NoRuleMatches => "no rule matches",
            Self::NoGroup => "no group is for this crawler",
            Self::RobotsTxtItself => "robots.txt itself may always be fetched",
            Self::Unavailable if allowed => "there is no robots.txt, or it counts as none",
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
