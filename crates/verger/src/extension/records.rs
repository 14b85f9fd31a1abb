//! Walking through the records of a file.

use super::InvalidValue;
use super::record::{Record, RecordKind};
use crate::crawler::AsCrawler;
use crate::group::{Former, Place};
use crate::parse::{Event, Field, events};
use crate::robots::Robots;
use crate::span::Span;

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
        // Where the agent lines nearest to the record stand, and whether another line follows them.
        let (mut agents, mut is_run) = (Span::default(), false);
        events(self.text(), self.start(), &dialect).filter_map(move |event| {
            let (kind, field): (_, Field<'_>) = match event {
                Event::Sitemap(field) => (RecordKind::Sitemap, field),
                Event::Other(field) => (RecordKind::of_key(field.key.bytes), field),
                Event::UserAgent(field) => {
                    let opens = former.user_agent();
                    groups += usize::from(opens);
                    let value = field.value.span();
                    let start = if is_run && !opens { agents.start } else { value.start };
                    agents = Span { start, end: value.end };
                    is_run = true;
                    return None;
                }
                Event::Rule(..) | Event::OversizedRule(_) => {
                    is_run = false;
                    groups += usize::from(former.rule() == Place::NewForEverybody);
                    return None;
                }
                Event::Blank(_) => {
                    former.blank();
                    return None;
                }
                Event::Comment(_) => return None,
                Event::Junk(_) => {
                    is_run = false;
                    return None;
                }
            };
            is_run = false;
            let before_agents = !former.has_seen_agents();
            let is_inside = former.other(field.key.bytes);
            let group = is_inside.then(|| groups - 1);
            let Field { key, value, .. } = field;
            Some(Record { robots: self, kind, key, value, group, agents, before_agents })
        })
    }

    /// The records that apply to a crawler, in file order: those of its groups, but a rate or a
    /// window only if the agent lines directly above it name the crawler ([`Record::agents`]).
    /// Those that belong to the file are not among them.
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
        let addressing = self.addressing(crawler.as_crawler());
        self.records().filter(move |record| {
            let Some(group) = record.group else { return false };
            if record.kind.is_for_file() {
                return false;
            }
            // REP-AMB-4.
            if record.kind.is_for_nearest_agents() {
                let next = addressing.partition_point(|&(_, value)| value < record.agents.start);
                return addressing.get(next).is_some_and(|&(_, value)| value <= record.agents.end);
            }
            let next = addressing.partition_point(|&(of, _)| of < group);
            addressing.get(next).is_some_and(|&(of, _)| of == group)
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
    use alloc::vec;
    use alloc::vec::Vec;

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
    fn a_rate_belongs_to_the_agent_lines_directly_above_it() {
        let robots = Robots::parse(
            "User-agent: bingbot\nCrawl-delay: 1\n\nUser-agent: msnbot\n# x\n\nUser-agent: Slurp\n\
             Request-rate: 1/9\nCrawl-delay: 20\njunk\nUser-agent: *\nDisallow: /login\n\
             Visit-time: 0100-0200\nContent-Signal: search=no\n",
        );
        let lines = |crawler: &str| -> Vec<usize> {
            robots.records_for(crawler).map(|record| record.position().line).collect()
        };
        assert_eq!(lines("bingbot"), [2, 14]);
        assert_eq!(lines("msnbot"), [8, 9, 14]);
        assert_eq!(lines("slurp"), [8, 9, 14]);
        assert_eq!(lines("other"), [13, 14]);
        let agents: Vec<Vec<_>> = robots
            .records()
            .map(|record| record.agents().map(|agent| agent.position().line).collect())
            .collect();
        let all = [1, 4, 7, 11].to_vec();
        let expected = [vec![1], vec![4, 7], vec![4, 7], vec![11], all];
        assert_eq!(agents, expected);
    }

    #[test]
    fn a_rate_is_found_by_every_agent_line_that_names_the_crawler() {
        let robots = Robots::parse(
            "User-agent: a\nCrawl-delay: 1\nUser-agent: *\nUser-agent: A\nCrawl-delay: 2\nAllow: /\n\
             User-agent: b\nUser-agent: a\nAllow: /\nCrawl-delay: 3\n",
        );
        let values = |crawler: &crate::Crawler| -> Vec<&[u8]> {
            robots.records_for(crawler).map(|record| record.value()).collect()
        };
        let crawler = crate::Crawler::new;
        assert_eq!(values(&crawler("a")), [b"1", b"2", b"3"]);
        assert_eq!(values(&crawler("b")), [b"3"]);
        assert_eq!(values(&crawler("c")), [b"2"]);
        assert_eq!(values(&crate::Crawler::union(["c", "b"])), [b"3"]);
        assert!(values(&crawler("c").without_star()).is_empty());
    }

    #[test]
    fn a_star_in_a_crawlers_text_names_no_agent() {
        let robots =
            Dialect::BOOK.parse("User-agent: *\nCrawl-delay: 1\nContent-Usage: search=n\n");
        assert_eq!(robots.records_for("Examp***leBot").count(), 2);
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
