//! The coverage of a robots.txt as text.

use std::io::{self, Write};

use verger::{RuleKind, quoted};

use super::coverage_words::{
    crawler_remark, label, not_counted, own_group_remark, remark, unused, used,
};
use super::numbers::percent;
use crate::console::Palette;
use crate::coverage_report::{CoverageReport, CoveredRule};
use crate::limits::RULES_SHOWN;
use crate::sentence::{brief, grouped};

/// The crawlers of the groups for `*`.
pub(super) const EVERY_OTHER: &str = "crawlers that no group names (`*`)";

/// Writes a coverage.
pub(crate) fn write_coverage(
    out: &mut impl Write,
    palette: Palette,
    report: &CoverageReport<'_>,
) -> io::Result<()> {
    let (total, allowed, disallowed) = (report.urls, report.allowed, report.disallowed);
    let who = report.crawler.as_ref().map_or(EVERY_OTHER.to_owned(), ToString::to_string);
    let (number, unit) = (grouped(total), report.unit);
    writeln!(out, "{}, for {who}: {number} {unit}", quoted(report.file))?;
    let (allow, disallow) = (palette.allow, palette.disallow);
    writeln!(
        out,
        "  {allow}allowed{allow:#}     {:>12}  {:>6}\n  {disallow}disallowed{disallow:#}  {:>12}  {:>6}",
        grouped(allowed),
        percent(allowed, total),
        grouped(disallowed),
        percent(disallowed, total)
    )?;
    let not_counted = not_counted(report);
    if !not_counted.is_empty() {
        writeln!(out, "  not counted: {}", not_counted.join("; "))?;
    }
    if let Some(remark) = own_group_remark(report) {
        writeln!(out, "  {remark}")?;
    }
    write_crawlers(out, palette, report)?;
    let used = used(report);
    writeln!(out, "\nDeciding rules")?;
    let mut line = |urls: u64, text: &str| {
        writeln!(out, "  {:>12}  {:>6}  {text}", grouped(urls), percent(urls, total))
    };
    for rule in used.iter().take(RULES_SHOWN) {
        line(rule.urls, &rule_text(rule, palette))?;
    }
    if let Some(more @ 1..) = used.len().checked_sub(RULES_SHOWN) {
        let urls = used[RULES_SHOWN..].iter().map(|rule| rule.urls).sum();
        line(urls, &format!("other rules: {more}"))?;
    }
    for (urls, text) in [
        (report.no_rule, "allowed, because no rule matches"),
        (report.robots_txt, "allowed, because robots.txt itself may always be fetched"),
    ] {
        if urls > 0 {
            line(urls, text)?;
        }
    }
    let unused = unused(report);
    if !unused.is_empty() {
        writeln!(out, "\nRules that decide none of these {}", report.unit)?;
    }
    for rule in unused.iter().take(RULES_SHOWN) {
        writeln!(out, "  {}", rule_text(rule, palette))?;
    }
    if let Some(more @ 1..) = unused.len().checked_sub(RULES_SHOWN) {
        writeln!(out, "  and {more} more")?;
    }
    if !report.unmentioned.is_empty() {
        writeln!(out, "\nFrequent paths that no rule mentions")?;
    }
    for found in &report.unmentioned {
        let (urls, part) = (grouped(found.urls), percent(found.urls, total));
        writeln!(out, "  {urls:>12}  {part:>6}  {}", brief(&found.prefix.text))?;
    }
    Ok(())
}

/// The table of crawlers, if the report has it.
fn write_crawlers(
    out: &mut impl Write,
    palette: Palette,
    report: &CoverageReport<'_>,
) -> io::Result<()> {
    let labels: Vec<String> = report.crawlers.iter().map(label).collect();
    let Some(width) = labels.iter().map(|it| it.chars().count().max(8)).max() else {
        return Ok(());
    };
    writeln!(out, "\n{:width$}        requests    disallowed by its own rules", "Crawlers")?;
    for (row, label) in report.crawlers.iter().zip(labels) {
        let (urls, disallowed) = (grouped(row.urls), grouped(row.disallowed));
        let part = percent(row.disallowed, row.urls);
        writeln!(out, "  {label:width$}  {urls:>12}  {disallowed:>12}  {part:>6}")?;
        if let Some(remark) = crawler_remark(row) {
            writeln!(out, "    {remark}")?;
        }
        for rule in &row.rules {
            writeln!(
                out,
                "  {:width$}  {:>12}  {}",
                "",
                grouped(rule.urls),
                rule_text(rule, palette)
            )?;
        }
    }
    Ok(())
}

fn rule_text(rule: &CoveredRule<'_>, palette: Palette) -> String {
    let of = rule.rule.rule;
    let style = if of.kind() == RuleKind::Allow { palette.allow } else { palette.disallow };
    let (kind, pattern) = (of.kind().key(), brief(of.pattern()));
    let remark = remark(rule.usefulness).map(|text| format!(": {text}")).unwrap_or_default();
    format!("{style}{kind}{style:#}: {pattern} (line {}){remark}", rule.rule.line)
}
