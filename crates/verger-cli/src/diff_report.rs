//! The differences between two robots.txt files, as in the JSON contract (`docs/json.md`).

use serde::Serialize;
use verger::{Crawler, Origin, Reason, Rule, Verdict};
use verger_analysis::{
    Analysis, Change, ChangedUrl, Comparison, Count, CrawlerDifferences, Direction, FileComparison,
    GroupSwitch, RecordChange, TextChange, Undecided, UrlChanges,
};
use verger_json::{Foreign, RuleKeys};

use crate::limits::TOP_URLS;
use crate::robots_file::RobotsFile;
use crate::site_urls::Totals;

/// The name of all crawlers that no group names.
pub(crate) const OTHERS: &str = "*";

/// The differences between two files.
#[derive(Debug, Serialize)]
pub(crate) struct DiffReport<'r> {
    pub(crate) before: FileKeys<'r>,
    pub(crate) after: FileKeys<'r>,
    pub(crate) dialect: &'static str,
    pub(crate) text: &'static str,
    /// The lines that were added in front of the file or after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) added_lines: Option<[usize; 2]>,
    /// Crawlers with differences.
    pub(crate) crawlers: Vec<CrawlersKeys<'r>>,
    /// Crawlers for which both files are proved to mean the same.
    pub(crate) unchanged: Vec<&'r str>,
    /// Those of them with groups by name in the added lines, and the lines.
    #[serde(skip)]
    pub(crate) added_groups: Vec<(&'r str, [usize; 2])>,
    /// Number of crawlers that were not compared.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) not_compared: usize,
    /// Changed records for all crawlers.
    pub(crate) records: Vec<RecordKeys<'r>>,
}

/// A compared file.
#[derive(Debug, Serialize)]
pub(crate) struct FileKeys<'r> {
    pub(crate) file: &'r str,
    lines: usize,
}

/// Crawlers with the same differences.
#[derive(Debug, Serialize)]
pub(crate) struct CrawlersKeys<'r> {
    /// The crawlers. Lines are those of the first.
    pub(crate) crawlers: Vec<&'r str>,
    #[serde(skip)]
    pub(crate) switch: Option<GroupSwitch>,
    #[serde(rename = "switch", skip_serializing_if = "Option::is_none")]
    switch_name: Option<&'static str>,
    /// The answer for all URLs after the change, if there is only one.
    #[serde(skip)]
    pub(crate) all_now: Option<Direction>,
    /// Whether all URLs had the opposite answer before.
    #[serde(skip)]
    pub(crate) is_reversed: bool,
    /// Lines of the groups.
    pub(crate) groups_before: Vec<usize>,
    pub(crate) groups_after: Vec<usize>,
    pub(crate) changes: Vec<ChangeKeys<'r>>,
    /// The reason why changes can be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) undecided: Option<UndecidedKeys>,
    pub(crate) records: Vec<RecordKeys<'r>>,
    /// The changed ones of the given URLs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) urls: Option<UrlsKeys>,
}

/// A class of changed URLs.
#[derive(Debug, Serialize)]
pub(crate) struct ChangeKeys<'r> {
    #[serde(serialize_with = "direction")]
    pub(crate) direction: Direction,
    /// Path and query of the shortest URL.
    target: String,
    /// The same for people: a URL if the path looks like a host.
    #[serde(skip)]
    pub(crate) shown: String,
    #[serde(skip_serializing_if = "is_true")]
    shortest: bool,
    pub(crate) before: DeciderKeys<'r>,
    pub(crate) after: DeciderKeys<'r>,
}

/// The reason of an answer.
#[derive(Debug, Serialize)]
pub(crate) struct DeciderKeys<'r> {
    reason: &'static str,
    #[serde(skip)]
    pub(crate) has_group: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<RuleKeys<'r>>,
}

/// The reason why something is unknown.
#[derive(Debug, Serialize)]
pub(crate) struct UndecidedKeys {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

/// A changed record.
#[derive(Debug, Serialize)]
pub(crate) struct RecordKeys<'r> {
    pub(crate) change: &'static str,
    #[serde(flatten)]
    pub(crate) key: Foreign<&'r [u8]>,
    #[serde(flatten)]
    pub(crate) value: Foreign<&'r [u8]>,
    pub(crate) line: usize,
}

/// Given URLs.
#[derive(Debug, Serialize)]
pub(crate) struct UrlsKeys {
    pub(crate) total: u64,
    pub(crate) opened: u64,
    pub(crate) closed: u64,
    /// URLs or requests.
    #[serde(skip)]
    pub(crate) unit: &'static str,
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) not_urls: u64,
    /// Requests of crawlers that groups name, which the changes for `*` do not concern.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) own_group: u64,
    /// The most frequent changed URLs.
    pub(crate) top: Vec<TopUrlKeys>,
}

/// A changed URL.
#[derive(Debug, Serialize)]
pub(crate) struct TopUrlKeys {
    #[serde(serialize_with = "direction")]
    pub(crate) direction: Direction,
    #[serde(flatten, serialize_with = "url")]
    pub(crate) url: Vec<u8>,
    pub(crate) count: u64,
}

impl<'r> DiffReport<'r> {
    pub(crate) fn of(
        before: &'r RobotsFile,
        after: &'r RobotsFile,
        names: &'r [String],
        crawlers: &'r [Crawler],
        comparison: &FileComparison<'r>,
        origin: Option<&Origin>,
    ) -> Self {
        let lines_of = |start: usize, end: usize| {
            let [first, last] = [start, end.saturating_sub(1)].map(|at| after.position(at).line);
            Some([first, last])
        };
        let length = after.robots().text().len();
        let (text, added_lines) = match comparison.text {
            TextChange::Same => ("same", None),
            TextChange::Prepended(bytes) => ("prepended", lines_of(0, bytes)),
            TextChange::Appended(bytes) => ("appended", lines_of(length - bytes, length)),
            _ => ("changed", None),
        };
        let record = |change: &RecordChange<'r>| RecordKeys::of(change, before, after);
        let of_crawlers = comparison.differences.iter().map(|found| {
            let sides = analyses([before, after], crawlers, found);
            let (all_now, is_reversed) = whole(&sides);
            let changes = found.comparison.changes().iter();
            let mut changes: Vec<_> =
                changes.map(|change| ChangeKeys::of(change, origin)).collect();
            changes.sort_by_key(|change| change.direction == Direction::Closed);
            CrawlersKeys {
                crawlers: found.crawlers.iter().map(|&index| &*names[index]).collect(),
                switch: found.switch,
                switch_name: found.switch.map(GroupSwitch::name),
                all_now,
                is_reversed,
                groups_before: found.groups_before.iter().map(|it| it.position().line).collect(),
                groups_after: found.groups_after.iter().map(|it| it.position().line).collect(),
                changes,
                undecided: undecided(found).map(UndecidedKeys::of),
                records: found.records.iter().map(record).collect(),
                urls: None,
            }
        });
        let added_groups = comparison.unchanged.iter().filter_map(|&index| {
            Some((&*names[index], added_group(after, &crawlers[index], added_lines?)?))
        });
        Self {
            before: FileKeys { file: before.name(), lines: before.line_count() },
            after: FileKeys { file: after.name(), lines: after.line_count() },
            dialect: after.robots().dialect().name,
            text,
            added_lines,
            crawlers: of_crawlers.collect(),
            unchanged: comparison.unchanged.iter().map(|&index| &*names[index]).collect(),
            added_groups: added_groups.collect(),
            not_compared: comparison.not_compared,
            records: comparison.records.iter().map(record).collect(),
        }
    }

    /// Adds the changes of given URLs, in the order of the crawlers; with `only`, for this crawler.
    pub(crate) fn add_urls(
        &mut self,
        changes: &[UrlChanges<'_, '_, '_>],
        totals: Totals,
        only: Option<&str>,
    ) {
        for (keys, changes) in self.crawlers.iter_mut().zip(changes) {
            let is_wanted = |name: &&str| only.is_none_or(|only| name.eq_ignore_ascii_case(only));
            if keys.crawlers.iter().any(is_wanted) {
                let has_others = keys.crawlers.contains(&OTHERS);
                keys.urls = Some(UrlsKeys {
                    unit: totals.unit(),
                    own_group: if has_others { totals.own_group } else { 0 },
                    ..UrlsKeys::of(changes)
                });
            }
        }
    }

    /// Whether anything was opened or closed.
    pub(crate) fn has(&self, wanted: Direction) -> bool {
        let changes = self.crawlers.iter().flat_map(|crawlers| &crawlers.changes);
        changes.into_iter().any(|change| change.direction == wanted)
    }

    /// Whether records changed.
    pub(crate) fn has_records(&self) -> bool {
        let records = self.crawlers.iter().flat_map(|crawlers| &crawlers.records);
        records.chain(&self.records).next().is_some()
    }

    /// Whether the report can miss a change.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.not_compared > 0 || self.crawlers.iter().any(|it| it.undecided.is_some())
    }
}

/// The answer for all URLs after a change, if there is only one, and whether all had the opposite
/// answer before.
fn whole([before, after]: &[Analysis<'_>; 2]) -> (Option<Direction>, bool) {
    if after.blocks_all() {
        return (Some(Direction::Closed), before.allows_all());
    }
    if after.allows_all() {
        return (Some(Direction::Opened), before.blocks_all());
    }
    (None, false)
}

/// The first and the last line of the groups that name a crawler, among added lines.
fn added_group(
    file: &RobotsFile,
    crawler: &Crawler,
    [first, last]: [usize; 2],
) -> Option<[usize; 2]> {
    let mut lines: Vec<usize> = Vec::new();
    for group in file.robots().groups_for(crawler) {
        if group.found_by().is_some_and(|agent| !agent.is_star()) {
            lines.push(group.position().line);
            lines.extend(group.rules().map(|rule| rule.position().line));
        }
    }
    lines.retain(|line| (first..=last).contains(line));
    Some([*lines.iter().min()?, *lines.iter().max()?])
}

/// The reason why changes can be missing.
fn undecided(found: &CrawlerDifferences<'_>) -> Option<Undecided> {
    match &found.comparison {
        Comparison::Undecided(reason) => Some(*reason),
        Comparison::Different(differences) => differences.incomplete,
        _ => None,
    }
}

/// The analyses of both files for the first of some crawlers.
pub(crate) fn analyses<'r>(
    files: [&'r RobotsFile; 2],
    crawlers: &'r [Crawler],
    found: &CrawlerDifferences<'_>,
) -> [Analysis<'r>; 2] {
    let crawler = &crawlers[found.crawlers[0]];
    files.map(|file| Analysis::new(file.robots(), crawler))
}

impl<'r> ChangeKeys<'r> {
    fn of(change: &Change<'r, 'r>, origin: Option<&Origin>) -> Self {
        let witness = change.witness();
        let target = witness.target();
        let shown = match origin {
            Some(origin) if target.starts_with("//") => format!("{origin}{target}"),
            _ => witness.shown_target().to_owned(),
        };
        let decider = |rule: Option<Rule<'r>>, verdict: &Verdict<'r>| DeciderKeys {
            reason: verdict.reason().name(),
            has_group: verdict.reason() != Reason::NoGroup,
            rule: rule.map(RuleKeys::of),
        };
        Self {
            direction: change.direction(),
            target: target.to_owned(),
            shown,
            shortest: witness.is_shortest(),
            before: decider(change.rule_before(), &change.verdict_before()),
            after: decider(change.rule_after(), &change.verdict_after()),
        }
    }
}

impl UndecidedKeys {
    pub(crate) fn of(undecided: Undecided) -> Self {
        Self { code: undecided.name(), message: undecided.to_string() }
    }
}

impl<'r> RecordKeys<'r> {
    fn of(change: &RecordChange<'r>, before: &RobotsFile, after: &RobotsFile) -> Self {
        let file = if change.is_added { after } else { before };
        Self {
            change: if change.is_added { "added" } else { "removed" },
            key: Foreign::new("key", change.record.key()),
            value: Foreign::new("value", change.record.value()),
            line: file.position(change.record.span().start).line,
        }
    }
}

impl UrlsKeys {
    fn of(changes: &UrlChanges<'_, '_, '_>) -> Self {
        let number = |count: Count| count.urls;
        let top = changes.top(TOP_URLS).into_iter();
        Self {
            unit: "URLs",
            own_group: 0,
            total: number(changes.total()),
            opened: number(changes.opened()),
            closed: number(changes.closed()),
            not_urls: number(changes.not_urls()),
            top: top
                .map(|ChangedUrl { url, direction, count, .. }| TopUrlKeys {
                    direction,
                    url,
                    count: count.urls,
                })
                .collect(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn direction<S: serde::Serializer>(it: &Direction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(it.name())
}

fn url<S: serde::Serializer>(url: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Foreign::new("url", url).serialize(serializer)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_true(it: &bool) -> bool {
    *it
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_none(number: &u64) -> bool {
    *number == 0
}
