//! Words of a coverage, for text and HTML.

use crate::coverage_report::{CoverageReport, CoveredRule, CrawlerCoverage, Use};
use crate::sentence::{brief, grouped};

/// The rules that decide given URLs, those with the most first.
pub(super) fn used<'k, 'a>(report: &'k CoverageReport<'a>) -> Vec<&'k CoveredRule<'a>> {
    let mut used: Vec<_> = report.rules.iter().filter(|rule| rule.urls > 0).collect();
    used.sort_by_key(|rule| std::cmp::Reverse(rule.urls));
    used
}

/// The rules that decide none of the given URLs, in file order.
pub(super) fn unused<'k, 'a>(report: &'k CoverageReport<'a>) -> Vec<&'k CoveredRule<'a>> {
    report.rules.iter().filter(|rule| rule.urls == 0).collect()
}

/// Remarks on text that was not counted, as sentences without an end.
pub(super) fn not_counted(report: &CoverageReport<'_>) -> Vec<String> {
    let totals = &report.totals;
    let parts = [
        (report.not_urls, "line is not a URL", "lines are not URLs"),
        (totals.other_sites, "URL is not of this site", "URLs are not of this site"),
        (
            totals.other_agents,
            "request is of another user agent",
            "requests are of other user agents",
        ),
        (totals.skipped_lines, "line is without a request", "lines are without a request"),
        (totals.unread_sitemaps, "sitemap could not be read", "sitemaps could not be read"),
    ];
    let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
    parts
        .map(|(number, one, many)| {
            format!("{} {}", grouped(number), if number == 1 { one } else { many })
        })
        .collect()
}

/// A remark on requests that are counted by the wrong rules.
pub(super) fn own_group_remark(report: &CoverageReport<'_>) -> Option<String> {
    let words = match report.own_group {
        0 => return None,
        _ if !report.crawlers.is_empty() => return None,
        1 => "1 request names a crawler that has its own group".to_owned(),
        number => format!("{} requests name a crawler that has its own group", grouped(number)),
    };
    Some(format!("{words}; `--log-agent NAME` counts those of one crawler by its rules"))
}

/// The name of the requests of a crawler.
pub(super) fn label(row: &CrawlerCoverage<'_>) -> String {
    match &*row.names {
        [] => "browsers and others (`*`)".to_owned(),
        [name] if name.is_empty() => "no User-Agent header (`*`)".to_owned(),
        names => brief(&names.join(", ")).to_string(),
    }
}

/// The tokens of a crawler beyond its name, and the remark on it.
pub(super) fn crawler_remark(row: &CrawlerCoverage<'_>) -> Option<String> {
    let tokens = brief(&row.tokens.join(", ")).to_string();
    let tokens = (row.tokens.len() > 1).then(|| format!("tokens: {tokens}"));
    let parts: Vec<String> = tokens.into_iter().chain(row.note.clone()).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The effect in words; `None` if there is no remark.
pub(super) const fn remark(usefulness: Option<Use>) -> Option<&'static str> {
    match usefulness {
        Some(Use::Redundant) => Some("removing it changes no answer"),
        Some(Use::Dead) => Some("it can decide no URL at all"),
        _ => None,
    }
}
