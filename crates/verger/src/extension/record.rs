//! Records: every line with a key that is neither a user-agent line nor a rule.

use alloc::vec::Vec;
use core::fmt;

use super::InvalidValue;
use crate::crawler::AsCrawler;
use crate::group::{Former, Place};
use crate::parse::{Event, Field, Piece, events};
use crate::robots::Robots;
use crate::span::{Position, Span};
use crate::untrusted::Untrusted;

/// A record that is neither a user-agent line nor a rule, as it stands in the file.
#[derive(Clone, Copy)]
pub struct Record<'r> {
    robots: &'r Robots,
    kind: RecordKind,
    key: Piece<'r>,
    value: Piece<'r>,
    group: Option<usize>,
    before_agents: bool,
}

impl<'r> Record<'r> {
    /// What its key names.
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

    /// The group it stands in, as [`Group::index`](crate::Group::index) counts; `None` outside of
    /// all groups.
    pub const fn group(&self) -> Option<usize> {
        self.group
    }

    /// Whether no user-agent line stands before it.
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

/// What the key of a record names. Case does not matter; the whole key is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// `Sitemap`, in the spellings of the dialect.
    Sitemap,
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
    /// Any other key (REP-SYNTAX-20).
    Unknown,
}

impl RecordKind {
    /// The usual spelling of the key; empty for an unknown one.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Sitemap => "Sitemap",
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
            Self::Unknown => "",
        }
    }

    /// Whether it belongs to the file wherever it stands (REP-EXT-2).
    pub const fn is_for_file(self) -> bool {
        matches!(self, Self::Sitemap | Self::Host | Self::CleanParam)
    }

    pub(crate) fn of_key(key: &[u8]) -> Self {
        let named = |kind: &&Self| key.eq_ignore_ascii_case(kind.key().as_bytes());
        KEYED.iter().find(named).copied().unwrap_or(Self::Unknown)
    }
}

/// Without `Sitemap`, which the parser names, and `Unknown`, which has no key.
const KEYED: [RecordKind; 12] = [
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
];

impl Robots {
    /// Every record that is neither a user-agent line nor a rule, in file order, unknown ones
    /// included.
    ///
    /// # Complexity
    ///
    /// One more walk through the text; nothing is allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, extension::RecordKind};
    ///
    /// let robots = Robots::parse("Sitemap: /s.xml\nUser-agent: a\nCrawl-delay: 5\nDisallow: /\n");
    /// let kinds: Vec<_> = robots.records().map(|record| (record.kind(), record.group())).collect();
    /// assert_eq!(kinds, [(RecordKind::Sitemap, None), (RecordKind::CrawlDelay, Some(0))]);
    /// ```
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        let dialect = self.dialect();
        let mut former = Former::new(&dialect);
        let mut groups = 0_usize;
        events(self.text(), self.start(), &dialect).filter_map(move |event| {
            let (kind, field): (_, Field<'_>) = match event {
                Event::Sitemap(field) => (RecordKind::Sitemap, field),
                Event::Other(field) => (RecordKind::of_key(field.key.bytes), field),
                Event::UserAgent(_) => {
                    groups += usize::from(former.user_agent());
                    return None;
                }
                Event::Rule(..) | Event::OversizedRule(_) => {
                    groups += usize::from(former.rule() == Place::NewForEverybody);
                    return None;
                }
                Event::Blank(_) => {
                    former.blank();
                    return None;
                }
                Event::Comment(_) | Event::Junk(_) => return None,
            };
            let before_agents = !former.has_seen_agents();
            let is_inside = former.other(field.key.bytes);
            let group = is_inside.then(|| groups - 1);
            let Field { key, value, .. } = field;
            Some(Record { robots: self, kind, key, value, group, before_agents })
        })
    }

    /// The records of the groups that apply to a crawler, in file order. Those that belong to the
    /// file are not among them.
    ///
    /// # Complexity
    ///
    /// As [`records`](Self::records) and one selection of groups.
    pub fn records_for<C: AsCrawler + ?Sized>(
        &self,
        crawler: &C,
    ) -> impl Iterator<Item = Record<'_>> + use<'_, C> {
        let selected: Vec<usize> = self.groups_for(crawler).map(|group| group.index()).collect();
        self.records().filter(move |record| {
            let is_selected = |group| selected.binary_search(&group).is_ok();
            !record.kind.is_for_file() && record.group.is_some_and(is_selected)
        })
    }
}

/// Of some records the values of one kind, those that are valid.
pub(super) fn values<'r, T>(
    records: impl Iterator<Item = Record<'r>>,
    kind: RecordKind,
    read: impl Fn(&Record<'r>) -> Result<T, InvalidValue>,
) -> impl Iterator<Item = T> {
    records.filter(move |record| record.kind() == kind).filter_map(move |record| read(&record).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;

    #[track_caller]
    fn check(dialect: Dialect, text: &str, expected: &[(&str, Option<usize>, bool)]) {
        let robots = dialect.parse(text);
        let found: Vec<_> = robots
            .records()
            .map(|record| {
                let key = core::str::from_utf8(record.key()).expect("ASCII keys");
                (key, record.group(), record.is_before_agents())
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_record_stands_in_its_group_or_in_none() {
        let text =
            "x: 1\nDisallow: /\nUser-agent: a\ny: 1\n\nz: 1\nDisallow: /\nUser-agent: b\nw: 1\n";
        check(
            Dialect::RFC9309,
            text,
            &[
                ("x", None, true),
                ("y", Some(0), false),
                ("z", Some(0), false),
                ("w", Some(1), false),
            ],
        );
        check(
            Dialect::KOSTER1996,
            text,
            &[("x", None, true), ("y", Some(0), false), ("z", None, false), ("w", Some(1), false)],
        );
        check(
            Dialect::ORIG1994,
            text,
            &[("x", None, true), ("y", Some(1), false), ("z", None, false), ("w", Some(2), false)],
        );
    }

    #[test]
    fn every_kind_is_found_by_its_own_key() {
        for kind in KEYED {
            assert_eq!(RecordKind::of_key(kind.key().to_ascii_uppercase().as_bytes()), kind);
        }
        assert_eq!(RecordKind::of_key(b"crawl-delays"), RecordKind::Unknown);
        assert_eq!(RecordKind::of_key(b""), RecordKind::Unknown);
    }

    #[test]
    fn only_the_records_of_its_groups_are_for_a_crawler() {
        let robots = Robots::parse(
            "User-agent: a\nx: 1\nSitemap: s\nAllow: /\nUser-agent: b\ny: 1\nAllow: /\n\
             User-agent: a\nz: 1\n",
        );
        let keys: Vec<_> = robots.records_for("a").map(|record| record.key()).collect();
        assert_eq!(keys, [b"x", b"z"]);
        assert_eq!(robots.records_for("c").count(), 0);
    }
}
