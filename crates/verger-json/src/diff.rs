//! The differences between two robots.txt files (feature `analysis`): the JSON of `verger diff`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use verger::{
    Crawler, LineIndex, Origin, ProductToken, Reason, Robots, Rule, Verdict, without_credentials,
};
use verger_analysis::{
    Analysis, Budget, Change, ChangedUrl, CrawlerDifferences, Direction, FileComparison,
    GroupSwitch, OTHERS, RecordChange, TextChange, UrlChanges, compare_files, compared_crawler,
    compared_names,
};
use verger_registry::Registry;

use crate::answer::RuleKeys;
use crate::foreign::Foreign;
use crate::limits::TOP_URLS;

/// A file that is compared.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a file is a name, a text and its lines")]
pub struct ComparedFile<'r> {
    /// Path or URL, escaped.
    pub name: &'r str,
    /// The parsed file.
    pub robots: &'r Robots,
    /// The lines of its text.
    pub lines: &'r LineIndex,
}

impl ComparedFile<'_> {
    /// Number of lines, without an empty one after a final line end.
    fn line_count(&self) -> usize {
        let text = self.robots.text();
        let ends_with_line_end = text.ends_with(b"\n") || text.ends_with(b"\r");
        self.lines.line_count() - usize::from(ends_with_line_end || text.is_empty())
    }
}

/// The differences between two files.
///
/// # Examples
///
/// ```
/// use verger::{Crawler, LineIndex, Robots};
/// use verger_analysis::{Budget, Direction, compare_files, unnamed_crawler};
/// use verger_json::diff::{ComparedFile, DiffReport};
///
/// let files = ["User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /cart\n"].map(Robots::parse);
/// let lines = files.each_ref().map(|robots| LineIndex::new(robots.text()));
/// let [before, after] = [0, 1].map(|at| ComparedFile {
///     name: ["old", "new"][at],
///     robots: &files[at],
///     lines: &lines[at],
/// });
/// let (names, crawlers) = (["*".to_owned()], [unnamed_crawler(&[&files[0], &files[1]])]);
/// let comparison = compare_files(&files[0], &files[1], &crawlers, &mut Budget::default());
/// let report = DiffReport::of([before, after], &names, &crawlers, &comparison, None);
/// assert!(report.has(Direction::Closed));
/// let json = serde_json::to_string(&report)?;
/// assert!(json.contains(r#""changes":[{"direction":"closed","target":"/cart","#), "{json}");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct DiffReport<'r> {
    /// The old file.
    pub before: FileKeys<'r>,
    /// The new file.
    pub after: FileKeys<'r>,
    /// The name of the dialect.
    pub dialect: &'static str,
    /// Whether a part of a name is enough in it, so that a group is for others than the named ones.
    #[serde(skip)]
    pub agent_match: verger::dialect::AgentMatch,
    /// The change of the text: `same`, `prepended`, `appended` or `changed`.
    pub text: &'static str,
    /// The lines that were added in front of the file or after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_lines: Option<[usize; 2]>,
    /// The tokens of known crawlers with others than their name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tokens: BTreeMap<&'r str, Vec<&'r str>>,
    /// Remarks on known crawlers, for people.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<&'r str, String>,
    /// Crawlers with differences.
    pub crawlers: Vec<CrawlersKeys<'r>>,
    /// Crawlers for which both files are proved to mean the same.
    pub unchanged: Vec<&'r str>,
    /// Whether each of them has groups by name in the new file.
    #[serde(skip)]
    pub are_named: bool,
    /// Those of them with groups by name in the added lines, and the lines.
    #[serde(skip)]
    pub added_groups: Vec<(&'r str, [usize; 2])>,
    /// Number of crawlers that were not compared.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_compared: usize,
    /// Changed records for all crawlers.
    pub records: Vec<RecordKeys<'r>>,
}

/// A compared file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = ComparedFile))]
#[non_exhaustive]
pub struct FileKeys<'r> {
    /// Path or URL, escaped.
    pub file: &'r str,
    lines: usize,
}

/// Crawlers with the same differences.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = ComparedCrawlers))]
#[non_exhaustive]
pub struct CrawlersKeys<'r> {
    /// The crawlers. Lines are those of the first.
    pub crawlers: Vec<&'r str>,
    /// A change between the groups for `*` and groups by name.
    #[serde(skip)]
    pub switch: Option<GroupSwitch>,
    #[serde(rename = "switch", skip_serializing_if = "Option::is_none")]
    switch_name: Option<&'static str>,
    /// The answer for all URLs after the change, if there is only one.
    #[serde(skip)]
    pub all_now: Option<Direction>,
    /// Whether all URLs had the opposite answer before.
    #[serde(skip)]
    pub is_reversed: bool,
    /// Lines of the groups in the old file.
    pub groups_before: Vec<usize>,
    /// Lines of the groups in the new file.
    pub groups_after: Vec<usize>,
    /// Classes of changed URLs, the opened ones first.
    pub changes: Vec<ChangeKeys<'r>>,
    /// The reason why changes can be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<UndecidedKeys>,
    /// Changed records of the groups.
    pub records: Vec<RecordKeys<'r>>,
    /// The changed ones of the given URLs, and of the requests of these crawlers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "_openapi", schema(ignore))]
    pub urls: Option<UrlsKeys>,
}

/// A class of changed URLs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Change))]
#[non_exhaustive]
pub struct ChangeKeys<'r> {
    /// The effect.
    #[serde(serialize_with = "direction")]
    #[cfg_attr(feature = "_openapi", schema(value_type = String))]
    pub direction: Direction,
    /// Path and query of the shortest URL.
    target: String,
    /// The same for people: a URL if the path looks like a host.
    #[serde(skip)]
    pub shown: String,
    #[serde(skip_serializing_if = "Clone::clone")]
    shortest: bool,
    /// The reason of the old answer.
    pub before: DeciderKeys<'r>,
    /// The reason of the new answer.
    pub after: DeciderKeys<'r>,
}

/// The reason of an answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Decider))]
#[non_exhaustive]
pub struct DeciderKeys<'r> {
    reason: &'static str,
    /// Whether a group applies.
    #[serde(skip)]
    pub has_group: bool,
    /// The deciding rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleKeys<'r>>,
}

/// The reason why something is unknown.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Undecided))]
#[non_exhaustive]
pub struct UndecidedKeys {
    /// The name of the reason.
    pub code: &'static str,
    /// The reason as the end of a sentence.
    pub message: String,
}

/// A changed record.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = ChangedRecord))]
#[non_exhaustive]
pub struct RecordKeys<'r> {
    /// `added` or `removed`.
    pub change: &'static str,
    /// The key as it is written.
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::key))]
    pub key: Foreign<&'r [u8]>,
    /// The value.
    #[serde(flatten)]
    #[cfg_attr(feature = "_openapi", schema(schema_with = crate::schema::value))]
    pub value: Foreign<&'r [u8]>,
    /// The line in the file that has it.
    pub line: usize,
}

/// Given URLs.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct UrlsKeys {
    /// All that were counted.
    pub total: u64,
    /// Those that were opened.
    pub opened: u64,
    /// Those that were closed.
    pub closed: u64,
    /// Words for the counted ones, such as `given URLs`.
    #[serde(skip)]
    pub unit: &'static str,
    /// Texts that are not URLs.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_urls: u64,
    /// The most frequent changed URLs.
    pub top: Vec<TopUrlKeys>,
}

/// A changed URL.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct TopUrlKeys {
    /// The effect.
    #[serde(serialize_with = "direction")]
    pub direction: Direction,
    /// The URL, as it was given, without user name and password.
    #[serde(flatten)]
    pub url: Foreign<Cow<'static, [u8]>>,
    /// How often it was given, at least.
    pub count: u64,
}

/// Compares two named files for the crawlers that they name, `agents`, and all others, and passes
/// the report to a function. `origin` is the site, if it is known.
pub fn compared<R>(
    files: [(&str, &Robots); 2],
    agents: &[String],
    origin: Option<&Origin>,
    f: impl FnOnce(&DiffReport<'_>) -> R,
) -> R {
    let robots = files.map(|(_, robots)| robots);
    let names = compared_names(agents.iter().map(String::as_str), &robots);
    let crawlers: Vec<_> = names.iter().map(|name| crawler_of(name, &robots)).collect();
    let comparison = compare_files(robots[0], robots[1], &crawlers, &mut Budget::default());
    let lines = robots.map(|robots| LineIndex::new(robots.text()));
    let sides =
        [0, 1].map(|at| ComparedFile { name: files[at].0, robots: robots[at], lines: &lines[at] });
    f(&DiffReport::of(sides, &names, &crawlers, &comparison, origin))
}

/// The crawler with a name, with its documented fallbacks; `*` is one that no group of the files
/// names.
pub fn crawler_of(name: &str, files: &[&Robots]) -> Crawler {
    let reads_headers = files.first().is_none_or(|it| it.dialect().reads_headers);
    let read = |name: &str| Registry::bundled().resolve(name, reads_headers).rules.into_owned();
    compared_crawler(name, files, read)
}

impl<'r> DiffReport<'r> {
    /// The report of a comparison of two files for some crawlers. `names` are their names, with
    /// [`OTHERS`] for an unnamed one. `origin` is the site, if it is known.
    ///
    /// # Panics
    ///
    /// If there are fewer names than crawlers.
    pub fn of(
        [before, after]: [ComparedFile<'r>; 2],
        names: &'r [String],
        crawlers: &'r [Crawler],
        comparison: &FileComparison<'r>,
        origin: Option<&Origin>,
    ) -> Self {
        let lines_of = |start: usize, end: usize| {
            Some([start, end.saturating_sub(1)].map(|at| after.lines.position(at).line))
        };
        let length = after.robots.text().len();
        let (text, added_lines) = match comparison.text {
            TextChange::Same => ("same", None),
            TextChange::Prepended(bytes) => ("prepended", lines_of(0, bytes)),
            TextChange::Appended(bytes) => ("appended", lines_of(length - bytes, length)),
            _ => ("changed", None),
        };
        let record = |change: &RecordChange<'r>| RecordKeys::of(change, before.lines, after.lines);
        let of_crawlers = comparison.differences.iter().map(|found| {
            let sides = analyses([before.robots, after.robots], crawlers, found);
            let (all_now, is_reversed) = whole(&sides);
            let changes = found.comparison.changes.iter();
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
                undecided: (found.comparison.incomplete)
                    .map(|it| UndecidedKeys { code: it.name(), message: it.to_string() }),
                records: found.records.iter().map(record).collect(),
                urls: None,
            }
        });
        let tokens = names.iter().zip(crawlers).filter(|(name, _)| *name != OTHERS);
        let tokens = tokens.map(|(name, crawler)| {
            (name.as_str(), crawler.tokens().iter().map(ProductToken::as_str).collect::<Vec<_>>())
        });
        let reads_headers = after.robots.dialect().reads_headers;
        let note = |(name, crawler): (&'r String, &Crawler)| {
            let known = Registry::bundled().resolve(name, reads_headers).known?;
            Some((name.as_str(), known.caveat().filter(|_| known.rules() == crawler)?))
        };
        let added_groups = comparison.unchanged.iter().filter_map(|&index| {
            Some((&*names[index], named_lines(after.robots, &crawlers[index], added_lines?)?))
        });
        let is_named =
            |&index: &usize| named_lines(after.robots, &crawlers[index], [1, usize::MAX]).is_some();
        Self {
            before: FileKeys { file: before.name, lines: before.line_count() },
            after: FileKeys { file: after.name, lines: after.line_count() },
            dialect: after.robots.dialect().name,
            agent_match: after.robots.dialect().agent_match,
            text,
            added_lines,
            tokens: tokens.filter(|(name, tokens)| *tokens != [*name]).collect(),
            notes: names.iter().zip(crawlers).filter_map(note).collect(),
            crawlers: of_crawlers.collect(),
            unchanged: comparison.unchanged.iter().map(|&index| &*names[index]).collect(),
            are_named: comparison.unchanged.iter().all(is_named),
            added_groups: added_groups.collect(),
            not_compared: comparison.not_compared,
            records: comparison.records.iter().map(record).collect(),
        }
    }

    /// Adds the changes of given URLs, in the order of the crawlers. `unit` has words for them,
    /// such as `given URLs`.
    pub fn add_urls(&mut self, changes: &[UrlChanges<'_, '_, '_>], unit: &'static str) {
        for (keys, changes) in self.crawlers.iter_mut().zip(changes) {
            let urls = UrlsKeys::of(changes, unit);
            keys.urls = Some(urls).filter(|it| it.total + it.not_urls > 0);
        }
    }

    /// Whether anything was opened or closed.
    pub fn has(&self, wanted: Direction) -> bool {
        self.crawlers.iter().flat_map(|it| &it.changes).any(|change| change.direction == wanted)
    }

    /// Whether records changed.
    pub fn has_records(&self) -> bool {
        !self.records.is_empty() || self.crawlers.iter().any(|it| !it.records.is_empty())
    }

    /// Whether the report can miss a change.
    pub fn is_incomplete(&self) -> bool {
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
fn named_lines(
    robots: &Robots,
    crawler: &Crawler,
    [first, last]: [usize; 2],
) -> Option<[usize; 2]> {
    let mut lines: Vec<usize> = Vec::new();
    for group in robots.groups_for(crawler) {
        if group.found_by().is_some_and(|agent| !agent.is_star()) {
            lines.push(group.position().line);
            lines.extend(group.rules().map(|rule| rule.position().line));
        }
    }
    lines.retain(|line| (first..=last).contains(line));
    Some([*lines.iter().min()?, *lines.iter().max()?])
}

/// The analyses of both files for the first crawler of a difference.
///
/// # Panics
///
/// If the list of crawlers is not that of the comparison.
pub fn analyses<'r>(
    files: [&'r Robots; 2],
    crawlers: &'r [Crawler],
    found: &CrawlerDifferences<'_>,
) -> [Analysis<'r>; 2] {
    let crawler = &crawlers[found.crawlers[0]];
    files.map(|robots| Analysis::new(robots, crawler))
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

impl<'r> RecordKeys<'r> {
    fn of(change: &RecordChange<'r>, before: &LineIndex, after: &LineIndex) -> Self {
        let lines = if change.is_added { after } else { before };
        Self {
            change: if change.is_added { "added" } else { "removed" },
            key: Foreign::new("key", change.record.key()),
            value: Foreign::new("value", change.record.value()),
            line: lines.position(change.record.span().start).line,
        }
    }
}

impl UrlsKeys {
    fn of(changes: &UrlChanges<'_, '_, '_>, unit: &'static str) -> Self {
        let top = |ChangedUrl { url, direction, count, .. }| {
            let url = Foreign::new("url", without_credentials(&url).into_owned().into());
            TopUrlKeys { direction, url, count: count.urls }
        };
        Self {
            total: changes.total().urls,
            opened: changes.opened().urls,
            closed: changes.closed().urls,
            unit,
            not_urls: changes.not_urls().urls,
            top: changes.top(TOP_URLS).into_iter().map(top).collect(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn direction<S: serde::Serializer>(it: &Direction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(it.name())
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_changed_urls_are_not_repeated() {
        let files = ["", "User-agent: *\nDisallow: /a\n"].map(Robots::parse);
        let [before, after] = files.each_ref().map(|robots| Analysis::new(robots, "x"));
        let mut changes = UrlChanges::new(&before, &after);
        changes.add("https://u:s3cret@h/a", 1);
        let keys = serde_json::to_value(UrlsKeys::of(&changes, "URLs")).unwrap();
        assert_eq!(keys["top"][0]["url"], "https://h/a");
    }
}
