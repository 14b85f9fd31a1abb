//! Words and numbers of a coverage, for text and HTML.

use indicatif::HumanCount;

use crate::coverage_report::{CoverageReport, CoveredRule, CrawlerCoverage, Use};
use crate::sentence::brief;

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
        (totals.other_sites, "URL is of another site", "URLs are of other sites"),
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

/// A number with commas between groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A part of a total in per cent, with one digit after the point.
pub(super) fn percent(part: u64, total: u64) -> String {
    let (part, total) = (u128::from(part), u128::from(total.max(1)));
    match (2000 * part + total) / (2 * total) {
        0 if part > 0 => "<0.1%".to_owned(),
        1000.. if part < total => ">99.9%".to_owned(),
        thousandths => format!("{}.{}%", thousandths / 10, thousandths % 10),
    }
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
