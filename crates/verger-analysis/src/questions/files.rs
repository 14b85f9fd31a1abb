//! Comparison of two robots.txt files for several crawlers.
//!
//! # Flow
//!
//! Crawlers that obey the same groups of both files are compared once. Then crawlers with the same
//! differences are joined: for each class of URLs the same direction, witness, and text of the
//! deciding rules. Their rules can be on different lines.

use std::collections::{HashMap, HashSet};

use verger::extension::{Record, RecordKind};
use verger::{AsCrawler, Group, Reason, Robots};

use crate::limits::CRAWLERS;
use crate::questions::analysis::Analysis;
use crate::questions::compare::{Comparison, compare};
use crate::undecided::{Budget, Undecided};

/// The differences between two robots.txt files, for several crawlers.
///
/// Crawlers are given by their indices in the list of [`compare_files`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileComparison<'r> {
    /// Crawlers with differences, or for which equality was not proved. Those with the same
    /// differences are together, in the order of the first of them.
    pub differences: Vec<CrawlerDifferences<'r>>,
    /// Crawlers for which both files are proved to mean the same.
    pub unchanged: Vec<usize>,
    /// Changed records for all crawlers, such as sitemaps.
    pub records: Vec<RecordChange<'r>>,
    /// The text of the second file compared with that of the first.
    pub text: TextChange,
    /// The number of crawlers at the end of the list that were not compared
    /// ([`limits::CRAWLERS`](CRAWLERS)).
    pub not_compared: usize,
}

/// Crawlers with the same differences.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CrawlerDifferences<'r> {
    /// The crawlers. At least one.
    pub crawlers: Vec<usize>,
    /// The comparison of the rules, with lines and groups of the first crawler.
    pub comparison: Comparison<'r, 'r>,
    /// Changed records of the groups that the crawlers obey, such as `Crawl-delay`.
    pub records: Vec<RecordChange<'r>>,
    /// Whether the crawlers obey the groups for `*` in one of the files only.
    pub switch: Option<GroupSwitch>,
    /// The groups that the first crawler obeys in the first file.
    pub groups_before: Vec<Group<'r>>,
    /// The groups that the first crawler obeys in the second file.
    pub groups_after: Vec<Group<'r>>,
}

/// A record that only one of the files has. A `Crawl-delay` or `Host` that decides in one file, and
/// in the other one only follows the first, is a change, too.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RecordChange<'r> {
    /// The record, in the file that has it.
    pub record: Record<'r>,
    /// Whether it is in the second file.
    pub is_added: bool,
}

/// A change of the groups that a crawler obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GroupSwitch {
    /// From the groups for `*` to groups that name the crawler: the rules for `*` have no effect on
    /// it any more.
    ToOwnGroups,
    /// From groups that name the crawler to those for `*`.
    ToStar,
}

impl GroupSwitch {
    /// The name in JSON output: `to_own_groups`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToOwnGroups => "to_own_groups",
            Self::ToStar => "to_star",
        }
    }
}

/// The text of the second file compared with that of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextChange {
    /// The same text.
    Same,
    /// Text in front of the first file, as the managed block of a CDN: this number of bytes.
    Prepended(usize),
    /// Text after the first file: this number of bytes.
    Appended(usize),
    /// Any other change.
    Other,
}

impl TextChange {
    fn between(before: &[u8], after: &[u8]) -> Self {
        let added = after.len().saturating_sub(before.len());
        match (added, before) {
            _ if before == after => Self::Same,
            (_, []) => Self::Other,
            _ if after.ends_with(before) && is_line_end(&after[..added]) => Self::Prepended(added),
            _ if after.starts_with(before) && is_line_end(before) => Self::Appended(added),
            _ => Self::Other,
        }
    }
}

fn is_line_end(text: &[u8]) -> bool {
    matches!(text, [.., b'\n' | b'\r'])
}

/// Compares two files for some crawlers.
///
/// The files can have different dialects, as in [`compare`](crate::compare()). To compare for all
/// crawlers, pass [`named_crawlers`](crate::named_crawlers) and
/// [`unnamed_crawler`](crate::unnamed_crawler).
///
/// # Complexity
///
/// A few passes over both files; for each crawler one more over a file with a rate or window for some
/// agents of a group only. Crawlers that obey the same groups share a comparison.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::{Budget, GroupSwitch, compare_files};
///
/// let before = Robots::parse("User-agent: *\nDisallow: /admin\n");
/// let after = Robots::parse(
///     "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /blog\n\nUser-agent: *\nDisallow: /admin\n",
/// );
/// let crawlers = ["GPTBot", "CCBot", "ExampleBot"];
/// let comparison = compare_files(&before, &after, &crawlers, &mut Budget::default());
/// assert_eq!(comparison.unchanged, [2]);
/// let named = &comparison.differences[0];
/// assert_eq!((&*named.crawlers, named.switch), (&[0, 1][..], Some(GroupSwitch::ToOwnGroups)));
/// let changes: Vec<_> = named
///     .comparison
///     .changes
///     .iter()
///     .map(|change| (change.direction().name(), change.witness().target()))
///     .collect();
/// assert_eq!(changes, [("closed", "/blog"), ("opened", "/admin")]);
/// ```
pub fn compare_files<'r, C: AsCrawler>(
    before: &'r Robots,
    after: &'r Robots,
    crawlers: &'r [C],
    budget: &mut Budget,
) -> FileComparison<'r> {
    let compared = &crawlers[..crawlers.len().min(CRAWLERS)];
    let nothing = Robots::parse("");
    let group_records = [before, after].map(GroupRecords::of);
    // The comparisons of rules, by the groups.
    let mut by_groups: HashMap<_, Comparison<'r, 'r>> = HashMap::new();
    let mut by_differences: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut differences: Vec<CrawlerDifferences<'r>> = Vec::new();
    let mut unchanged = Vec::new();
    for (index, crawler) in compared.iter().enumerate() {
        let [groups_before, groups_after] =
            [before, after].map(|robots| robots.groups_for(crawler).collect::<Vec<_>>());
        let indices = |groups: &[Group<'_>]| groups.iter().map(Group::index).collect::<Vec<_>>();
        let key = (
            indices(&groups_before),
            indices(&groups_after),
            // Then the rules of its groups do not count.
            nothing.check(crawler, "/").reason() == Reason::CrawlerIgnoresRobots,
        );
        let comparison = by_groups.entry(key).or_insert_with(|| {
            let [before, after] = [before, after].map(|robots| Analysis::new(robots, crawler));
            compare(&before, &after, budget)
        });
        let [of_before, of_after] = &group_records;
        let records = record_changes([
            of_before.applying(crawler, &groups_before),
            of_after.applying(crawler, &groups_after),
        ]);
        if comparison.is_equal() && records.is_empty() {
            unchanged.push(index);
            continue;
        }
        let switch = switch(&groups_before, &groups_after);
        match by_differences.entry(signature(comparison, &records, switch)) {
            std::collections::hash_map::Entry::Occupied(known) => {
                differences[*known.get()].crawlers.push(index);
            }
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(differences.len());
                differences.push(CrawlerDifferences {
                    crawlers: vec![index],
                    comparison: comparison.clone(),
                    records,
                    switch,
                    groups_before,
                    groups_after,
                });
            }
        }
    }
    FileComparison {
        differences,
        unchanged,
        records: record_changes(
            // A licence outside of groups is that of the file (REP-EXT-40), and readers differ on
            // statements there.
            [before, after].map(|robots| {
                let is_for_file = |it: &Record<'_>| match it.kind() {
                    RecordKind::License | RecordKind::ContentSignal | RecordKind::ContentUsage => {
                        it.group().is_none()
                    }
                    kind => kind.is_for_file(),
                };
                robots.records().filter(is_for_file).collect()
            }),
        ),
        text: TextChange::between(before.text(), after.text()),
        not_compared: crawlers.len() - compared.len(),
    }
}

/// The records of groups, read once for all crawlers.
struct GroupRecords<'r> {
    robots: &'r Robots,
    records: Vec<Record<'r>>,
    /// Whether one is for some agents of its group only.
    is_partial: bool,
}

impl<'r> GroupRecords<'r> {
    fn of(robots: &'r Robots) -> Self {
        let records = robots.records().filter(|it| it.group().is_some());
        let records: Vec<_> = records.filter(|it| !it.kind().is_for_file()).collect();
        let is_partial = records.iter().any(|it| !it.is_for_whole_group());
        Self { robots, records, is_partial }
    }

    /// Those that apply to a crawler, which obeys these groups.
    fn applying<C: AsCrawler>(&self, crawler: &C, groups: &[Group<'_>]) -> Vec<Record<'r>> {
        if self.is_partial {
            return self.robots.records_for(crawler).collect();
        }
        // Records after rules without an agent apply to nobody.
        let groups: Vec<_> = groups.iter().filter(|it| it.found_by().is_some()).collect();
        let applies = |it: &&Record<'_>| groups.iter().any(|of| it.group() == Some(of.index()));
        self.records.iter().filter(applies).copied().collect()
    }
}

/// The records that only one side has: first those of the first side, each in file order. A value
/// that a side has twice counts once.
fn record_changes([before, after]: [Vec<Record<'_>>; 2]) -> Vec<RecordChange<'_>> {
    fn only<'r>(
        these: &[Record<'r>],
        those: &[Record<'_>],
        is_added: bool,
    ) -> Vec<RecordChange<'r>> {
        let mut known: HashSet<_> = those.iter().map(ranked()).collect();
        let mut new = Vec::new();
        let mut ranked = ranked();
        for record in these {
            let (identity, decides) = ranked(record);
            let is_known = !decides && known.contains(&(identity.clone(), true));
            if !is_known && known.insert((identity, decides)) {
                new.push(RecordChange { record: *record, is_added });
            }
        }
        new
    }
    /// For records in file order: whether this one decides, because only the first counts.
    fn ranked<'r>() -> impl FnMut(&Record<'r>) -> (Identity<'r>, bool) {
        let mut decided = HashSet::new();
        move |record| {
            let kind = record.kind();
            let can_decide = kind.only_first_counts() && record.extension().is_ok();
            (identity(record), can_decide && decided.insert(kind))
        }
    }
    let mut changes = only(&before, &after, false);
    changes.extend(only(&after, &before, true));
    changes
}

type Identity<'r> = (RecordKind, Vec<u8>, &'r [u8]);

/// A record without its position. Keys of unknown records count, in lower case.
fn identity<'r>(record: &Record<'r>) -> Identity<'r> {
    let key = match record.kind() {
        RecordKind::Unknown => record.key().to_ascii_lowercase(),
        _ => Vec::new(),
    };
    (record.kind(), key, record.value())
}

fn switch(before: &[Group<'_>], after: &[Group<'_>]) -> Option<GroupSwitch> {
    let is_star = |groups: &[Group<'_>]| {
        !groups.is_empty()
            && groups.iter().all(|group| group.found_by().is_some_and(|agent| agent.is_star()))
    };
    match (is_star(before), is_star(after)) {
        (true, false) if !after.is_empty() => Some(GroupSwitch::ToOwnGroups),
        (false, true) if !before.is_empty() => Some(GroupSwitch::ToStar),
        _ => None,
    }
}

/// The differences without lines, as a key.
fn signature(
    comparison: &Comparison<'_, '_>,
    records: &[RecordChange<'_>],
    switch: Option<GroupSwitch>,
) -> Vec<u8> {
    let mut key = format!("{switch:?} ").into_bytes();
    // Each text ends with its length, so that none can be mistaken for another.
    let mut push = |text: &[u8]| {
        key.extend_from_slice(text);
        key.extend_from_slice(&(text.len() as u64).to_le_bytes());
    };
    push(comparison.incomplete.map_or("", Undecided::name).as_bytes());
    for change in &comparison.changes {
        push(change.direction().name().as_bytes());
        push(change.witness().target().as_bytes());
        for rule in [change.rule_before(), change.rule_after()] {
            push(rule.map_or("", |rule| rule.kind().name()).as_bytes());
            push(rule.map_or(&[][..], |rule| rule.pattern()));
        }
    }
    for RecordChange { record, is_added } in records {
        push(if *is_added { b"+" } else { b"-" });
        push(record.key());
        push(record.value());
    }
    key
}

#[cfg(test)]
mod tests {
    use verger::Crawler;

    use super::*;

    /// The differences as text: crawlers, changes, records.
    fn found(before: &str, after: &str) -> Vec<String> {
        let [before, after] = [before, after].map(Robots::parse);
        let mut crawlers = crate::named_crawlers(&[&before, &after]);
        crawlers.push("other");
        let comparison = compare_files(&before, &after, &crawlers, &mut Budget::default());
        let line = |found: &CrawlerDifferences<'_>| {
            let mut text: Vec<String> =
                found.crawlers.iter().map(|&index| crawlers[index].to_owned()).collect();
            for change in &found.comparison.changes {
                text.push(format!("{} {}", change.direction().name(), change.witness().target()));
            }
            text.extend(found.records.iter().map(shown));
            text.extend(found.switch.map(|switch| format!("{switch:?}")));
            text.join(", ")
        };
        let mut lines: Vec<String> = comparison.differences.iter().map(line).collect();
        lines.extend(comparison.records.iter().map(shown));
        lines
    }

    fn shown(change: &RecordChange<'_>) -> String {
        let sign = if change.is_added { '+' } else { '-' };
        format!("{sign}{}", change.record.value().escape_ascii())
    }

    #[test]
    fn crawlers_with_the_same_changes_are_together() {
        let before = "User-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /x\n\nUser-agent: c\nAllow: /\n";
        let after = "User-agent: a\nDisallow: /y\n\nUser-agent: c\nAllow: /\n\nUser-agent: b\nDisallow: /y\n";
        assert_eq!(found(before, after), ["a, b, opened /x, closed /y"]);
    }

    #[test]
    fn a_crawler_that_ignores_the_files_sees_no_change() {
        let [before, after] =
            ["/a", "/b"].map(|path| Robots::parse(&format!("User-agent: *\nDisallow: {path}\n")));
        let crawlers = [Crawler::new("a"), Crawler::new("b").without_robots()];
        let comparison = compare_files(&before, &after, &crawlers, &mut Budget::default());
        assert_eq!(
            (&*comparison.differences[0].crawlers, &*comparison.unchanged),
            (&[0][..], &[1][..])
        );
    }

    #[test]
    fn a_managed_block_in_front_keeps_the_rules_for_others() {
        // Both groups for `*` apply.
        let origin = "User-agent: *\nDisallow: /admin\n";
        let block = "User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\n\
                     User-agent: GPTBot\nDisallow: /\n\n";
        let both = format!("{block}{origin}");
        assert_eq!(
            found(origin, &both),
            ["GPTBot, closed /, ToOwnGroups", "other, +search=yes,ai-train=no",]
        );
        let [before, after] = [origin, &both].map(Robots::parse);
        assert_eq!(
            compare_files(&before, &after, &["x"], &mut Budget::default()).text,
            TextChange::Prepended(block.len())
        );
    }

    #[test]
    fn rules_before_the_first_group_join_the_last_group_of_a_block_in_front() {
        let origin = "Disallow: /old\n\nUser-agent: *\nDisallow: /admin\n";
        let block = "User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /shop\n";
        assert_eq!(
            found(origin, &format!("{block}{origin}")),
            ["GPTBot, closed /old, closed /shop, opened /admin, ToOwnGroups"]
        );
    }

    #[test]
    fn an_own_group_drops_the_rules_for_others() {
        let before = "User-agent: *\nDisallow: /admin\n";
        let after = "User-agent: *\nDisallow: /admin\n\nUser-agent: a\nCrawl-delay: 5\n";
        let changes = ["a, opened /admin, +5, ToOwnGroups"];
        assert_eq!(found(before, after), changes);
        assert_eq!(found(after, before), ["a, closed /admin, -5, ToStar"]);
    }

    #[test]
    fn records_are_compared_by_their_values() {
        let before = "Sitemap: /a\nUser-agent: *\nCrawl-delay: 1\nDisallow:\nSitemap: /b\nX: 1\n";
        let after = "sitemap: /b\nUser-agent: *\nDisallow:\nCrawl-delay: 2\nSitemap: /b\nSitemap: /c\nx: 1\n";
        assert_eq!(found(before, after), ["other, -1, +2", "-/a", "+/c"]);
        assert_eq!(found(before, before), [""; 0]);
        // Only the first delay and the first valid host count.
        let before = "User-agent: *\nCrawl-delay: 5\nCrawl-delay: 30\nHost: a\nHost: b\n";
        let after = "User-agent: *\nCrawl-delay: 30\nCrawl-delay: 5\nHost: ?\nHost: b\nHost: a\n";
        assert_eq!(found(before, after), ["other, -5, +30", "-a", "+?", "+b"]);
        // Outside of groups, a licence counts for the file, and a statement may.
        for key in ["License", "Content-Signal", "Content-Usage"] {
            let [before, after] =
                ["a:1", "a:2"].map(|it| format!("{key}: {it}\nUser-agent: *\nAllow: /\n"));
            assert_eq!(found(&before, &after), ["-a:1", "+a:2"]);
        }
    }

    #[test]
    fn the_text_is_compared_by_lines() {
        for (before, after, expected) in [
            ("a\n", "a\n", TextChange::Same),
            ("a\n", "b\na\n", TextChange::Prepended(2)),
            ("a\n", "ba\n", TextChange::Other),
            ("a\n", "a\nb", TextChange::Appended(1)),
            ("a", "ab", TextChange::Other),
            ("", "a\n", TextChange::Other),
        ] {
            assert_eq!(TextChange::between(before.as_bytes(), after.as_bytes()), expected);
        }
    }

    #[test]
    fn crawlers_beyond_the_limit_are_counted() {
        let robots = Robots::parse("");
        let crawlers = vec!["x"; CRAWLERS + 2];
        let comparison = compare_files(&robots, &robots, &crawlers, &mut Budget::default());
        assert_eq!((comparison.unchanged.len(), comparison.not_compared), (CRAWLERS, 2));
    }
}
