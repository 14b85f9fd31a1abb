//! Records: every line with a key that is neither a user-agent line nor a rule.

use core::fmt;

use crate::parse::Piece;
use crate::robots::{Agent, Robots};
use crate::span::{Position, Span};
use crate::untrusted::Untrusted;

/// A record that is neither a user-agent line nor a rule, as written in the file.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger::extension::RecordKind;
///
/// let robots = Robots::parse("# about\nUser-agent: a\ncrawl-delay: 5\nDisallow: /\n");
/// let record = robots.records().next().expect("there is one");
/// assert_eq!(record.kind(), RecordKind::CrawlDelay);
/// assert_eq!((record.key(), record.value()), (&b"crawl-delay"[..], &b"5"[..]));
/// assert_eq!((record.position().line, record.position().column), (3, 14));
/// assert_eq!(&robots.text()[record.key_span().range()], b"crawl-delay");
/// assert_eq!(&robots.text()[record.span().range()], b"5");
/// assert_eq!((record.group(), record.is_before_agents()), (Some(0), false));
/// ```
#[derive(Clone, Copy)]
pub struct Record<'r> {
    pub(super) robots: &'r Robots,
    pub(super) kind: RecordKind,
    pub(super) key: Piece<'r>,
    pub(super) value: Piece<'r>,
    pub(super) group: Option<usize>,
    /// From the first value of the nearest agent lines above it to the last value.
    pub(super) agents: Span,
    pub(super) before_agents: bool,
}

impl<'r> Record<'r> {
    /// The kind that its key names.
    pub const fn kind(&self) -> RecordKind {
        self.kind
    }

    /// The key as written.
    pub const fn key(&self) -> &'r [u8] {
        self.key.bytes
    }

    /// The value as written.
    pub const fn value(&self) -> &'r [u8] {
        self.value.bytes
    }

    /// The place of the value.
    pub const fn span(&self) -> Span {
        self.value.span()
    }

    /// The place of the key.
    pub const fn key_span(&self) -> Span {
        self.key.span()
    }

    /// Key, separator and value as written, without comment.
    pub(super) fn text(&self) -> &'r [u8] {
        &self.robots.text()[self.key.start..self.value.span().end]
    }

    /// Line and column of the value.
    pub fn position(&self) -> Position {
        self.robots.position(self.value.start)
    }

    /// The index of its group ([`Group::index`](crate::Group::index)); `None` outside of all
    /// groups.
    pub const fn group(&self) -> Option<usize> {
        self.group
    }

    /// The agents to which it applies, in file order: all agents of its group. A rate or a window
    /// applies only to the nearest user-agent lines above it, with only blank lines and comments
    /// between these lines (REP-AMB-4). A record outside of all groups has no agents.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let text = "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 20\nDisallow: /x\n";
    /// let robots = Robots::parse(text);
    /// let names: Vec<_> = robots
    ///     .records()
    ///     .map(|record| record.agents().map(|agent| agent.name()).collect::<Vec<_>>())
    ///     .collect();
    /// assert_eq!(names, [[b"a"], [b"b"]]);
    /// ```
    pub fn agents(&self) -> impl Iterator<Item = Agent<'r>> + use<'r> {
        let run = self.kind.is_for_nearest_agents().then_some(self.agents);
        let robots = self.robots;
        self.group.into_iter().flat_map(move |group| robots.agents_within(group, run))
    }

    /// Whether it applies to all agents of its group, not only to some of them.
    ///
    /// # Complexity
    ///
    /// Logarithmic in the agents of the group.
    pub fn is_for_whole_group(&self) -> bool {
        let robots = self.robots;
        self.group.is_some_and(|group| {
            !self.kind.is_for_nearest_agents()
                || robots.agents_within(group, Some(self.agents)).len()
                    == robots.agents_within(group, None).len()
        })
    }

    /// Whether it precedes every user-agent line.
    pub const fn is_before_agents(&self) -> bool {
        self.before_agents
    }
}

impl fmt::Display for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |piece: Piece<'_>, f: &mut fmt::Formatter<'_>| {
            let text = Untrusted::new(piece.bytes).limited_to(crate::limits::QUOTED_CHARS);
            fmt::Display::fmt(&text, f)
        };
        quoted(self.key, f)?;
        f.write_str(": ")?;
        quoted(self.value, f)
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Record({self})")
    }
}

/// The kind of a record, from its key. Case does not matter; the whole key is compared, and
/// `Content-Signals` is read as `Content-Signal` (REP-EXT-32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// `Sitemap`, in the spellings of the dialect.
    Sitemap,
    /// `Agentmap`: the address of a description of the site's agents and APIs (REP-AMB-63).
    Agentmap,
    /// `Schemamap`: the address of a list of the site's structured data (REP-AMB-63).
    Schemamap,
    /// `Crawl-delay`.
    CrawlDelay,
    /// `Request-rate`.
    RequestRate,
    /// `Visit-time`.
    VisitTime,
    /// `Robot-version`.
    RobotVersion,
    /// `Comment`.
    Comment,
    /// `Host`.
    Host,
    /// `Clean-param`.
    CleanParam,
    /// `Noindex`.
    Noindex,
    /// `Nofollow`.
    Nofollow,
    /// `Content-Signal`.
    ContentSignal,
    /// `Content-Usage`.
    ContentUsage,
    /// `License`.
    License,
    /// `Signature-Agent`.
    SignatureAgent,
    /// `Max-Crawl-Rate`.
    MaxCrawlRate,
    /// Any other key (REP-SYNTAX-20).
    Unknown,
}

impl RecordKind {
    /// The usual spelling of the key; empty for an unknown one.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Sitemap => "Sitemap",
            Self::Agentmap => "Agentmap",
            Self::Schemamap => "Schemamap",
            Self::CrawlDelay => "Crawl-delay",
            Self::RequestRate => "Request-rate",
            Self::VisitTime => "Visit-time",
            Self::RobotVersion => "Robot-version",
            Self::Comment => "Comment",
            Self::Host => "Host",
            Self::CleanParam => "Clean-param",
            Self::Noindex => "Noindex",
            Self::Nofollow => "Nofollow",
            Self::ContentSignal => "Content-Signal",
            Self::ContentUsage => "Content-Usage",
            Self::License => "License",
            Self::SignatureAgent => "Signature-Agent",
            Self::MaxCrawlRate => "Max-Crawl-Rate",
            Self::Unknown => "",
        }
    }

    /// Whether it belongs to the file, also inside a group (REP-EXT-2, REP-AMB-63).
    pub const fn is_for_file(self) -> bool {
        matches!(
            self,
            Self::Sitemap | Self::Agentmap | Self::Schemamap | Self::Host | Self::CleanParam
        )
    }

    /// Whether of several such records only the first valid one counts (REP-EXT-22, REP-AMB-53).
    pub const fn only_first_counts(self) -> bool {
        matches!(self, Self::CrawlDelay | Self::Host)
    }

    /// Whether it applies only to the nearest agent lines above it, not to its whole group
    /// (REP-AMB-4).
    pub(crate) const fn is_for_nearest_agents(self) -> bool {
        matches!(self, Self::CrawlDelay | Self::RequestRate | Self::VisitTime | Self::MaxCrawlRate)
    }

    /// The kind of a record with this key, in any case; [`Unknown`](Self::Unknown) for keys of
    /// user-agent lines and rules, too.
    pub fn of_key(key: &[u8]) -> Self {
        let key = if key.eq_ignore_ascii_case(b"Content-Signals") { &key[..14] } else { key };
        let named = |kind: &&Self| key.eq_ignore_ascii_case(kind.key().as_bytes());
        KEYED.iter().find(named).copied().unwrap_or(Self::Unknown)
    }
}

/// All kinds with a key except `Sitemap`, which the parser recognises.
pub(crate) const KEYED: [RecordKind; 16] = [
    RecordKind::Agentmap,
    RecordKind::Schemamap,
    RecordKind::CrawlDelay,
    RecordKind::RequestRate,
    RecordKind::VisitTime,
    RecordKind::RobotVersion,
    RecordKind::Comment,
    RecordKind::Host,
    RecordKind::CleanParam,
    RecordKind::Noindex,
    RecordKind::Nofollow,
    RecordKind::ContentSignal,
    RecordKind::ContentUsage,
    RecordKind::License,
    RecordKind::SignatureAgent,
    RecordKind::MaxCrawlRate,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_key() {
        for kind in KEYED {
            assert_eq!(RecordKind::of_key(kind.key().to_ascii_uppercase().as_bytes()), kind);
        }
        assert_eq!(RecordKind::of_key(b"content-SIGNALS"), RecordKind::ContentSignal);
        assert_eq!(RecordKind::of_key(b"crawl-delays"), RecordKind::Unknown);
        assert_eq!(RecordKind::of_key(b""), RecordKind::Unknown);
    }
}
