//! The coverage of a robots.txt, as in the JSON contract (`docs/json.md`).

use std::collections::HashSet;

use serde::Serialize;
use verger::Rule;
use verger_analysis::{Analysis, Count, Coverage};
use verger_json::{CrawlerKeys, Foreign, NamedCrawler, RuleKeys};

use crate::args::UrlArgs;
use crate::limits::UNMENTIONED_SHOWN;
use crate::robots_file::RobotsFile;
use crate::site_urls::Totals;

/// Numbers of URLs by the rules that decide them.
#[derive(Debug, Serialize)]
pub(crate) struct CoverageReport<'a> {
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
    /// URLs or requests.
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
    /// Texts that are no URLs.
    pub(crate) not_urls: u64,
    /// URLs of other sites.
    pub(crate) other_sites: u64,
    /// Requests of other user agents.
    pub(crate) other_agents: u64,
    /// Requests that are counted by the rules for `*`, of crawlers that groups name.
    pub(crate) own_group: u64,
    /// Lines of logs without a request.
    pub(crate) skipped_lines: u64,
    /// All rules of the crawler, in file order.
    pub(crate) rules: Vec<CoveredRule<'a>>,
    /// Frequent beginnings of paths that no rule mentions.
    pub(crate) unmentioned: Vec<PrefixKeys>,
}

/// A rule with its URLs.
#[derive(Debug, Serialize)]
pub(crate) struct CoveredRule<'a> {
    #[serde(flatten)]
    pub(crate) rule: RuleKeys<'a>,
    pub(crate) urls: u64,
    #[serde(serialize_with = "use_name")]
    pub(crate) usefulness: Use,
}

/// The effect of a rule on all URLs, not only on the given ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    #[serde(flatten, serialize_with = "prefix")]
    pub(crate) prefix: Vec<u8>,
    pub(crate) urls: u64,
}

impl<'a> CoverageReport<'a> {
    pub(crate) fn of(
        file: &'a RobotsFile,
        crawler: Option<&'a NamedCrawler>,
        analysis: &Analysis<'a>,
        coverage: &Coverage<'_, 'a>,
        totals: Totals,
        given: &'a UrlArgs,
    ) -> Self {
        let number = |count: Count| count.urls;
        let (dead, redundant) = (analysis.dead_rules(), analysis.redundant_rules());
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
            CoveredRule { rule, urls: number(count), usefulness }
        });
        let unmentioned = coverage.unmentioned_prefixes().into_iter();
        let unmentioned = unmentioned.filter(|it| it.count.urls > 1).take(UNMENTIONED_SHOWN);
        Self {
            file: file.name(),
            dialect: file.robots().dialect().name,
            crawler: crawler.map(NamedCrawler::keys),
            inputs: given.names(),
            log_agent: given.log_agent.as_deref(),
            unit: totals.unit(),
            urls: number(coverage.total()),
            allowed: number(coverage.allowed()),
            disallowed: number(coverage.disallowed()),
            no_rule: number(coverage.no_rule()),
            robots_txt: number(coverage.robots_txt()),
            not_urls: number(coverage.not_urls()),
            other_sites: totals.other_sites,
            other_agents: totals.other_agents,
            own_group: if crawler.is_none() { totals.own_group } else { 0 },
            skipped_lines: totals.skipped_lines,
            rules: rules.collect(),
            unmentioned: unmentioned
                .map(|found| PrefixKeys { prefix: found.prefix, urls: found.count.urls })
                .collect(),
        }
    }

    /// The rules that decide given URLs, those with the most first.
    pub(crate) fn used(&self) -> Vec<&CoveredRule<'a>> {
        let mut used: Vec<_> = self.rules.iter().filter(|rule| rule.urls > 0).collect();
        used.sort_by_key(|rule| std::cmp::Reverse(rule.urls));
        used
    }

    /// The rules that decide none of the given URLs, in file order.
    pub(crate) fn unused(&self) -> Vec<&CoveredRule<'a>> {
        self.rules.iter().filter(|rule| rule.urls == 0).collect()
    }

    /// Remarks on text that was not counted, as sentences without an end.
    pub(crate) fn not_counted(&self) -> Vec<String> {
        let parts = [
            (self.not_urls, "line is not a URL", "lines are not URLs"),
            (self.other_sites, "URL is of another site", "URLs are of other sites"),
            (
                self.other_agents,
                "request is of another user agent",
                "requests are of other user agents",
            ),
            (self.skipped_lines, "line is without a request", "lines are without a request"),
        ];
        let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
        parts
            .map(|(number, one, many)| {
                format!("{} {}", grouped(number), if number == 1 { one } else { many })
            })
            .collect()
    }

    /// A remark on requests that are counted by the wrong rules.
    pub(crate) fn own_group_remark(&self) -> Option<String> {
        let words = match self.own_group {
            0 => return None,
            1 => "1 request names a crawler that has its own group".to_owned(),
            number => format!("{} requests name a crawler that has its own group", grouped(number)),
        };
        Some(format!("{words}; `--log-agent NAME` counts those of one crawler by its rules"))
    }
}

impl Use {
    /// The name in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Needed => "needed",
            Self::Redundant => "redundant",
            Self::Dead => "dead",
            Self::Unknown => "unknown",
        }
    }

    /// The effect in words; `None` if there is no remark.
    pub(crate) const fn remark(self) -> Option<&'static str> {
        match self {
            Self::Needed | Self::Unknown => None,
            Self::Redundant => Some("removing it changes no answer"),
            Self::Dead => Some("it can decide no URL at all"),
        }
    }
}

/// A number with commas between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A part of a total in per cent, with one digit after the point.
pub(crate) fn percent(part: u64, total: u64) -> String {
    let (part, total) = (u128::from(part), u128::from(total.max(1)));
    match (2000 * part + total) / (2 * total) {
        0 if part > 0 => "<0.1%".to_owned(),
        1000.. if part < total => ">99.9%".to_owned(),
        thousandths => format!("{}.{}%", thousandths / 10, thousandths % 10),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn use_name<S: serde::Serializer>(it: &Use, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(it.name())
}

fn prefix<S: serde::Serializer>(prefix: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Foreign::new("prefix", prefix).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups_of_three_digits() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn a_small_part_is_not_nothing_and_a_large_one_not_all() {
        for (part, total, expected) in [
            (0, 0, "0.0%"),
            (2, 3, "66.7%"),
            (3, 3, "100.0%"),
            (1, 2001, "<0.1%"),
            (2000, 2001, ">99.9%"),
        ] {
            assert_eq!(percent(part, total), expected);
        }
    }
}
