//! The coverage of a robots.txt, as `verger coverage` writes it in JSON.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use verger::Rule;
use verger_analysis::{Analysis, Budget, Coverage};
use verger_json::{CrawlerKeys, Foreign, NamedCrawler, RuleKeys};

use crate::limits::UNMENTIONED;
use crate::site_urls::Totals;

/// Numbers of URLs by the rules that decide them. The caller adds the origin of the URLs, and the
/// requests by crawler.
#[derive(Debug, Serialize)]
pub(crate) struct CoverageReport<'a> {
    /// Path or URL of the robots.txt, escaped.
    pub(crate) file: &'a str,
    pub(crate) dialect: &'static str,
    /// The crawler; absent for all that no group names.
    #[serde(flatten)]
    pub(crate) crawler: Option<CrawlerKeys<'a>>,
    /// The names of the inputs, escaped.
    pub(crate) inputs: Vec<String>,
    /// The text of `--log-agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) log_agent: Option<&'a str>,
    /// The word for what was counted: URLs or requests.
    #[serde(skip)]
    pub(crate) unit: &'static str,
    /// URLs that a rule or the absence of one decides.
    pub(crate) urls: u64,
    pub(crate) allowed: u64,
    pub(crate) disallowed: u64,
    /// URLs that are allowed because no rule matches.
    pub(crate) no_rule: u64,
    /// URLs of the robots.txt itself.
    pub(crate) robots_txt: u64,
    /// Texts that are not URLs.
    pub(crate) not_urls: u64,
    /// Those that were not counted.
    #[serde(flatten)]
    pub(crate) totals: Totals,
    /// Requests that are counted by the rules for `*`, of crawlers that groups name.
    pub(crate) own_group: u64,
    /// All rules of the crawler, in file order.
    pub(crate) rules: Vec<CoveredRule<'a>>,
    /// Frequent beginnings of paths that no rule mentions.
    pub(crate) unmentioned: Vec<PrefixKeys>,
    /// The requests by crawler, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) crawlers: Vec<CrawlerCoverage<'a>>,
}

/// The requests of a crawler, judged by its own rules.
#[derive(Debug, Serialize)]
pub(crate) struct CrawlerCoverage<'a> {
    /// The crawlers that the User-Agent header names, escaped. None for browsers and unknown
    /// crawlers, and one empty name for requests without a header: both are judged by the rules for
    /// `*`.
    pub(crate) names: Vec<String>,
    /// The product tokens by which groups are selected. None if the rules for `*` apply to all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tokens: Vec<String>,
    /// A remark on the known crawler, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    pub(crate) urls: u64,
    pub(crate) disallowed: u64,
    /// The rules that decide the most of its requests, those with the most first.
    pub(crate) rules: Vec<CoveredRule<'a>>,
}

/// A rule with its URLs.
#[derive(Debug, Serialize)]
pub(crate) struct CoveredRule<'a> {
    #[serde(flatten)]
    pub(crate) rule: RuleKeys<'a>,
    /// URLs that it decides.
    pub(crate) urls: u64,
    /// Its effect on all URLs; absent in the rules of a [`CrawlerCoverage`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usefulness: Option<Use>,
}

/// The effect of a rule on all URLs, not only on the given ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Use {
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
pub(crate) struct PrefixKeys {
    #[serde(flatten)]
    pub(crate) prefix: Foreign<Cow<'static, [u8]>>,
    /// URLs that begin with it.
    pub(crate) urls: u64,
}

impl<'a> CoverageReport<'a> {
    /// The report of a coverage. `crawler` is `None` for all crawlers that no group names.
    pub(crate) fn of(
        file: &'a str,
        crawler: Option<&'a NamedCrawler>,
        analysis: &Analysis<'a>,
        coverage: &Coverage<'_, 'a>,
        totals: Totals,
    ) -> Self {
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
            CoveredRule { rule, urls: count.urls, usefulness: Some(usefulness) }
        });
        let unmentioned = coverage.unmentioned_prefixes().into_iter();
        let unmentioned = unmentioned.filter(|it| it.count.urls > 1).take(UNMENTIONED);
        Self {
            file,
            dialect: analysis.robots().dialect().name,
            crawler: crawler.map(NamedCrawler::keys),
            inputs: Vec::new(),
            log_agent: None,
            unit: if totals.are_requests { "requests" } else { "URLs" },
            urls: coverage.total().urls,
            allowed: coverage.allowed().urls,
            disallowed: coverage.disallowed().urls,
            no_rule: coverage.no_rule().urls,
            robots_txt: coverage.robots_txt().urls,
            not_urls: coverage.not_urls().urls,
            totals,
            own_group: 0,
            rules: rules.collect(),
            unmentioned: unmentioned
                .map(|found| PrefixKeys {
                    prefix: Foreign::new("prefix", found.prefix.into()),
                    urls: found.count.urls,
                })
                .collect(),
            crawlers: Vec::new(),
        }
    }
}
