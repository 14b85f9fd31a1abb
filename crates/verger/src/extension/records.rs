//! Walking through the records of a file.

use alloc::vec::Vec;

use super::InvalidValue;
use super::record::{Record, RecordKind};
use crate::crawler::AsCrawler;
use crate::group::{Former, Place};
use crate::parse::{Event, Field, events};
use crate::robots::Robots;

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
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse(
    ///     "Sitemap: /s.xml\nUser-agent: a\nCrawl-delay: 5\nUser-agent: b\nCrawl-delay: 9\nAllow: /\n",
    /// );
    /// let values: Vec<_> = robots.records_for("b").map(|record| record.value()).collect();
    /// assert!(values.contains(&&b"9"[..]) && !values.contains(&&b"/s.xml"[..]));
    /// ```
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
