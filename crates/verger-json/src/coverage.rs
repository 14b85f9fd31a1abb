//! The coverage of a robots.txt (feature `analysis`): the JSON of `verger coverage`.

use std::collections::HashSet;

use serde::Serialize;
use verger::Rule;
use verger_analysis::{Analysis, Budget, Count, Coverage};

use crate::answer::RuleKeys;
use crate::crawler::{CrawlerKeys, NamedCrawler};
use crate::foreign::Foreign;
use crate::limits::UNMENTIONED;

/// Numbers of URLs by the rules that decide them. The caller adds the origin of the URLs, and the
/// numbers of those that were not counted.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::Analysis;
/// use verger_json::coverage::CoverageReport;
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /cart\n");
/// let analysis = Analysis::new(&robots, "ExampleBot");
/// let coverage = analysis.coverage([("/cart/1", 1), ("/about", 1)]);
/// let report = CoverageReport::of("robots.txt", None, &analysis, &coverage);
/// assert_eq!((report.urls, report.disallowed, report.no_rule), (2, 1, 1));
/// let json = serde_json::to_string(&report)?;
/// assert!(json.contains(r#""urls":1,"usefulness":"needed"}"#), "{json}");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct CoverageReport<'a> {
    /// Path or URL of the robots.txt, escaped.
    pub file: &'a str,
    /// The name of the dialect.
    pub dialect: &'static str,
    /// The crawler; absent for all that no group names.
    #[serde(flatten)]
    pub crawler: Option<CrawlerKeys<'a>>,
    /// The names of the inputs, escaped.
    pub inputs: Vec<String>,
    /// The text of `--log-agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_agent: Option<&'a str>,
    /// The word for what was counted: URLs or requests.
    #[serde(skip)]
    pub unit: &'static str,
    /// URLs that a rule or the absence of one decides.
    pub urls: u64,
    /// Allowed URLs.
    pub allowed: u64,
    /// Disallowed URLs.
    pub disallowed: u64,
    /// URLs that are allowed because no rule matches.
    pub no_rule: u64,
    /// URLs of the robots.txt itself.
    pub robots_txt: u64,
    /// Texts that are no URLs.
    pub not_urls: u64,
    /// URLs of other sites.
    pub other_sites: u64,
    /// Requests of other user agents.
    pub other_agents: u64,
    /// Requests that are counted by the rules for `*`, of crawlers that groups name.
    pub own_group: u64,
    /// Lines of logs without a request.
    pub skipped_lines: u64,
    /// Sitemaps of indexes that could not be read, or not to their end.
    pub unread_sitemaps: u64,
    /// All rules of the crawler, in file order.
    pub rules: Vec<CoveredRule<'a>>,
    /// Frequent beginnings of paths that no rule mentions.
    pub unmentioned: Vec<PrefixKeys>,
    /// The requests by crawler, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crawlers: Vec<CrawlerCoverage<'a>>,
}

/// The requests of a crawler, judged by its own rules.
#[derive(Debug, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "an input of a report")]
pub struct CrawlerCoverage<'a> {
    /// The crawlers that the User-Agent header names, escaped. None for browsers and unknown
    /// crawlers, and one empty name for requests without a header: both are judged by the rules for
    /// `*`.
    pub names: Vec<String>,
    /// The product tokens by which groups are selected. None if the rules for `*` apply to all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<String>,
    /// A remark on the known crawler, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its requests.
    pub urls: u64,
    /// Its disallowed requests.
    pub disallowed: u64,
    /// The rules that decide the most of its requests, those with the most first.
    pub rules: Vec<CoveredRule<'a>>,
}

/// A rule with its URLs.
#[derive(Debug, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "a part of the input")]
pub struct CoveredRule<'a> {
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleKeys<'a>,
    /// URLs that it decides.
    pub urls: u64,
    /// Its effect on all URLs; absent in the rules of a [`CrawlerCoverage`].
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "use_name")]
    pub usefulness: Option<Use>,
}

/// The effect of a rule on all URLs, not only on the given ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Use {
    /// Without it, answers would change.
    Needed,
    /// It decides URLs, but its removal would change no answer.
    Redundant,
    /// It decides no URL at all.
    Dead,
    /// The analysis exceeded a limit.
    Unknown,
}

/// A beginning of paths.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct PrefixKeys {
    /// The beginning.
    #[serde(flatten, serialize_with = "prefix")]
    pub prefix: Vec<u8>,
    /// URLs that begin with it.
    pub urls: u64,
}

impl<'a> CoverageReport<'a> {
    /// The report of a coverage. `crawler` is `None` for all crawlers that no group names.
    pub fn of(
        file: &'a str,
        crawler: Option<&'a NamedCrawler>,
        analysis: &Analysis<'a>,
        coverage: &Coverage<'_, 'a>,
    ) -> Self {
        let number = |count: Count| count.urls;
        let dead = analysis.dead_rules(&mut Budget::default());
        let redundant = analysis.redundant_rules(&mut Budget::default());
        let lines = |rules: &mut dyn Iterator<Item = Rule<'_>>| -> HashSet<usize> {
            rules.map(|rule| rule.position().line).collect()
        };
        let undecided = dead.undecided.iter().chain(&redundant.undecided);
        let unknown = lines(&mut undecided.map(|(rule, _)| *rule));
        let dead = lines(&mut dead.found.iter().map(|found| found.rule));
        let redundant = lines(&mut redundant.found.iter().map(|found| found.rule));
        let usefulness = |line: usize| match line {
            _ if dead.contains(&line) => Use::Dead,
            _ if redundant.contains(&line) => Use::Redundant,
            _ if unknown.contains(&line) => Use::Unknown,
            _ => Use::Needed,
        };
        let rules = coverage.rules().map(|(rule, count)| {
            let rule = RuleKeys::of(rule);
            let usefulness = usefulness(rule.line);
            CoveredRule { rule, urls: number(count), usefulness: Some(usefulness) }
        });
        let unmentioned = coverage.unmentioned_prefixes().into_iter();
        let unmentioned = unmentioned.filter(|it| it.count.urls > 1).take(UNMENTIONED);
        Self {
            file,
            dialect: analysis.robots().dialect().name,
            crawler: crawler.map(NamedCrawler::keys),
            inputs: Vec::new(),
            log_agent: None,
            unit: "URLs",
            urls: number(coverage.total()),
            allowed: number(coverage.allowed()),
            disallowed: number(coverage.disallowed()),
            no_rule: number(coverage.no_rule()),
            robots_txt: number(coverage.robots_txt()),
            not_urls: number(coverage.not_urls()),
            other_sites: 0,
            other_agents: 0,
            own_group: 0,
            skipped_lines: 0,
            unread_sitemaps: 0,
            rules: rules.collect(),
            unmentioned: unmentioned
                .map(|found| PrefixKeys { prefix: found.prefix, urls: found.count.urls })
                .collect(),
            crawlers: Vec::new(),
        }
    }
}

impl Use {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Needed => "needed",
            Self::Redundant => "redundant",
            Self::Dead => "dead",
            Self::Unknown => "unknown",
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "serde calls it so")]
fn use_name<S: serde::Serializer>(it: &Option<Use>, serializer: S) -> Result<S::Ok, S::Error> {
    it.map(Use::name).serialize(serializer)
}

fn prefix<S: serde::Serializer>(prefix: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Foreign::new("prefix", prefix).serialize(serializer)
}
