//! The answer for one URL, with its reason.

use core::fmt;

use crate::robots::{Group, Robots, Rule, Selected};

/// The answer for one URL: allowed or not, why, and the rule that decided.
///
/// `Display` is one sentence that explains it, with everything foreign escaped.
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

    /// Why.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The rule that decided, with its place; `None` when none did.
    pub const fn rule(&self) -> Option<Rule<'r>> {
        self.rule
    }

    /// The group of the rule that decided; when none did, the first group that applies, if one does.
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

    /// Why, in words: the sentence of `Display` behind its first word.
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

    /// The verdict without its borrow: a small value to keep beside the robots.txt.
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

    /// The verdict of a question that no robots.txt is needed for.
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

    /// Why.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The verdict again, by the robots.txt it came from. Of another file, rule and group are those
    /// in the same places, or missing.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Reason, Robots};
    ///
    /// let text = "User-agent: *\nDisallow: /cart\n";
    /// let kept = Robots::parse(text).check("ExampleBot", "/cart").detach();
    /// assert_eq!((kept.is_allowed(), kept.reason()), (false, Reason::Rule));
    /// // Later, with the same file.
    /// let robots = Robots::parse(text);
    /// assert_eq!(kept.attach(&robots).rule().expect("a rule decided").pattern(), b"/cart");
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

/// [`Verdict::why`].
#[derive(Clone, Copy, Debug)]
pub struct Why<'r>(Verdict<'r>);

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { rule, group, reason, .. } = self.0;
        if let Some(rule) = rule {
            write!(f, "by `{rule}` on line {}", rule.position().line)?;
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

/// Why a verdict is what it is.
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
    /// The URL is that of the robots.txt, which may always be fetched (REP-MATCH-6).
    RobotsTxtItself,
    /// There is no robots.txt, or what there is counts as none: a status that says so
    /// ([`access`](crate::access)), or a file of a size that the dialect takes for none
    /// (REP-SYNTAX-8). Allowed; disallowed where a profile reads a refusal that way (REP-AMB-15).
    Unavailable,
    /// robots.txt cannot be fetched: disallowed, or allowed where that has lasted long enough for the
    /// profile (REP-CACHE-12).
    Unreachable,
    /// Too many redirects, or a loop: allowed, or disallowed where the profile says so
    /// (REP-ACCESS-23).
    RedirectLimit,
    /// URLs of this scheme have no robots.txt: allowed (REP-ACCESS-8).
    NoRobotsForScheme,
    /// The crawler does not follow robots.txt: allowed.
    CrawlerIgnoresRobots,
    /// The text is neither an absolute URL nor a path: disallowed, because what is meant is not known
    /// (REP-AMB-62). Dialect `google` finds a path in any text.
    NotAUrl,
}

impl Reason {
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

    /// Whether what is answered without a robots.txt is allowed for this reason.
    pub(crate) const fn allows(self) -> bool {
        !matches!(self, Self::NotAUrl)
    }

    /// Whether the content of the robots.txt decided: one of its rules, or that none applies.
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

    /// Whether the answer holds only until robots.txt can be fetched.
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
            Self::Unavailable => "robots.txt is refused, and so everything is",
            Self::Unreachable if allowed => "robots.txt cannot be fetched, and counts as none",
            Self::Unreachable => "robots.txt cannot be fetched, and until it can nothing may be",
            Self::RedirectLimit if allowed => {
                "robots.txt has too many redirects, and counts as none"
            }
            Self::RedirectLimit => {
                "robots.txt has too many redirects, and so nothing may be fetched"
            }
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
