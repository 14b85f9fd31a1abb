//! The coverage of a robots.txt as one HTML page.
//!
//! `html.rs` has the form of the page.

use std::io::{self, Write};

use quick_xml::escape::escape;
use verger::RuleKind;

use super::coverage::EVERY_OTHER;
use super::coverage_words::{
    crawler_remark, label, not_counted, own_group_remark, remark, unused, used,
};
use super::html::{STYLE, WIDTH, width, with_code, write_head};
use super::numbers::percent;
use crate::coverage_report::{CoverageReport, CoveredRule, PrefixKeys};
use crate::limits::RULES_SHOWN;
use crate::sentence::{brief, grouped, joined};

/// Writes a coverage.
pub(crate) fn write_coverage_html(
    out: &mut impl Write,
    report: &CoverageReport<'_>,
) -> io::Result<()> {
    let who = report.crawler.as_ref().map_or(EVERY_OTHER.to_owned(), ToString::to_string);
    let file = brief(report.file).to_string();
    let (file, who) = (escape(&file), with_code(&who));
    write_head(out, &format!("Coverage of {file}"), &[STYLE])?;
    write!(
        out,
        "<header><h1>Coverage of <code>{file}</code></h1>\n<p>For {who}, in dialect {}. {}</p></header>\n",
        report.dialect,
        inputs(report)
    )?;
    write_summary(out, report)?;
    write_crawlers(out, report)?;
    write_rules(out, report)?;
    write_unused(out, report)?;
    write_unmentioned(out, report)?;
    writeln!(
        out,
        "<footer>Made by Verger {}. Percentages are of all {} {}.</footer>\n</main>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION"),
        grouped(report.urls),
        report.unit
    )
}

/// A sentence about the inputs, as HTML.
fn inputs(report: &CoverageReport<'_>) -> String {
    let code = |text: &str| format!("<code>{}</code>", escape(brief(text).to_string()));
    let names: Vec<String> = report.inputs.iter().map(|name| code(name)).collect();
    let unit = heading_of(report.unit);
    let mut text = format!("{unit} from {}", joined(&names, "and").unwrap_or_default());
    if let Some(agent) = report.log_agent {
        text += ", only requests with ";
        text += &code(agent);
        text += " in their User-Agent header";
    }
    text + "."
}

/// The sums, and a bar of both answers.
fn write_summary(out: &mut impl Write, report: &CoverageReport<'_>) -> io::Result<()> {
    let total = report.urls;
    let share = |part: u64| percent(part, total);
    let used = report.rules.iter().filter(|rule| rule.urls > 0).count();
    let cards = [
        ("", heading_of(report.unit), grouped(total), String::new()),
        ("allow", "Allowed", grouped(report.allowed), share(report.allowed)),
        ("disallow", "Disallowed", grouped(report.disallowed), share(report.disallowed)),
        ("", "Rules in use", format!("{used} of {}", report.rules.len()), String::new()),
    ];
    writeln!(out, "<section aria-label=\"Summary\">\n<dl class=\"cards\">")?;
    for (class, label, value, note) in cards {
        writeln!(
            out,
            "<div class=\"card {class}\"><dt>{label}</dt><dd>{value} <small>{}</small></dd></div>",
            escape(&note)
        )?;
    }
    let allowed = width(report.allowed, total);
    writeln!(
        out,
        "</dl>\n<svg class=\"whole\" role=\"img\" viewBox=\"0 0 {WIDTH} 28\" preserveAspectRatio=\"none\" \
         aria-label=\"{} allowed, {} disallowed\">\
         <rect class=\"disallow\" width=\"{WIDTH}\" height=\"28\"/>\
         <rect class=\"allow\" width=\"{allowed}\" height=\"28\"/></svg>",
        escape(share(report.allowed)),
        escape(share(report.disallowed))
    )?;
    let not_counted = not_counted(report);
    if !not_counted.is_empty() {
        writeln!(out, "<p class=\"note\">Not counted: {}.</p>", escape(not_counted.join("; ")))?;
    }
    if let Some(remark) = own_group_remark(report) {
        writeln!(out, "<p class=\"note\">{}.</p>", with_code(&remark))?;
    }
    writeln!(out, "</section>")
}

/// The crawlers of a log, each with a bar, if the report has them.
fn write_crawlers(out: &mut impl Write, report: &CoverageReport<'_>) -> io::Result<()> {
    let Some(most) = report.crawlers.iter().map(|it| it.urls).max() else { return Ok(()) };
    let head = head("Crawler", report.unit);
    writeln!(out, "<section>\n<h2>Crawlers, each by its own rules</h2>\n<table>\n{head}")?;
    for it in &report.crawlers {
        let (name, disallowed) = (with_code(&label(it)), grouped(it.disallowed));
        let remark = crawler_remark(it).map(|it| format!("; {it}")).unwrap_or_default();
        let remark = with_code(&format!("{disallowed} disallowed{remark}"));
        let cell = format!("{name} <span class=\"remark\">{remark}</span>");
        writeln!(out, "{}", row(&cell, it.urls, most, report.urls, "none"))?;
    }
    writeln!(out, "</tbody></table>\n</section>")
}

/// The rules that decide URLs, each with a bar.
fn write_rules(out: &mut impl Write, report: &CoverageReport<'_>) -> io::Result<()> {
    let used = used(report);
    let most = used.iter().map(|rule| rule.urls).chain([report.no_rule]).max().unwrap_or(1);
    writeln!(out, "<section>\n<h2>Deciding rules</h2>\n<table>\n{}", head("Rule", report.unit))?;
    let mut rows: Vec<(u64, String)> = used
        .iter()
        .take(RULES_SHOWN)
        .map(|rule| {
            let class = if is_allow(rule) { "allow" } else { "disallow" };
            (rule.urls, row(&rule_cell(rule), rule.urls, most, report.urls, class))
        })
        .collect();
    if let Some(more @ 1..) = used.len().checked_sub(RULES_SHOWN) {
        let urls = used[RULES_SHOWN..].iter().map(|rule| rule.urls).sum();
        rows.push((urls, row(&format!("other rules: {more}"), urls, most, report.urls, "none")));
    }
    for (urls, text) in [
        (report.no_rule, "<em>no rule matches: allowed</em>"),
        (report.robots_txt, "<em>robots.txt itself: always allowed</em>"),
    ] {
        if urls > 0 {
            rows.push((urls, row(text, urls, most, report.urls, "none")));
        }
    }
    rows.sort_by_key(|(urls, _)| std::cmp::Reverse(*urls));
    rows.iter().try_for_each(|(_, row)| writeln!(out, "{row}"))?;
    writeln!(out, "</tbody></table>\n</section>")
}

fn write_unused(out: &mut impl Write, report: &CoverageReport<'_>) -> io::Result<()> {
    let unused = unused(report);
    if unused.is_empty() {
        return Ok(());
    }
    let number = unused.len();
    let words = if number == 1 { "rule decides" } else { "rules decide" };
    writeln!(
        out,
        "<section>\n<h2>Rules that decide nothing here</h2>\n<details><summary>{number} {words} none of these {}</summary>\n<ul>",
        report.unit
    )?;
    for rule in unused.iter().take(RULES_SHOWN) {
        writeln!(out, "<li>{}</li>", rule_cell(rule))?;
    }
    if let Some(more @ 1..) = number.checked_sub(RULES_SHOWN) {
        writeln!(out, "<li>and {more} more</li>")?;
    }
    writeln!(out, "</ul></details>\n</section>")
}

fn write_unmentioned(out: &mut impl Write, report: &CoverageReport<'_>) -> io::Result<()> {
    if report.unmentioned.is_empty() {
        return Ok(());
    }
    let most = report.unmentioned.iter().map(|found| found.urls).max().unwrap_or(1);
    writeln!(
        out,
        "<section>\n<h2>Frequent paths that no rule mentions</h2>\n<table>\n{}",
        head("Path", report.unit)
    )?;
    for PrefixKeys { prefix, urls } in &report.unmentioned {
        let cell = format!("<code>{}</code>", escape(brief(&prefix.text).to_string()));
        writeln!(out, "{}", row(&cell, *urls, most, report.urls, "none"))?;
    }
    writeln!(out, "</tbody></table>\n</section>")
}

fn head(first: &str, unit: &str) -> String {
    let unit = heading_of(unit);
    format!(
        "<thead><tr><th scope=\"col\">{first}</th><th scope=\"col\" class=\"number\">{unit}</th>\
         <th scope=\"col\" class=\"number\">%</th><th class=\"chart\" aria-hidden=\"true\"></th></tr></thead><tbody>"
    )
}

/// The unit at the beginning of a heading.
fn heading_of(unit: &str) -> &str {
    if unit == "requests" { "Requests" } else { unit }
}

/// A row with a bar. `cell` is HTML.
fn row(cell: &str, urls: u64, most: u64, total: u64, class: &str) -> String {
    let (number, part) = (grouped(urls), percent(urls, total));
    let length = width(urls, most).max(1);
    format!(
        "<tr><th scope=\"row\">{cell}</th><td class=\"number\">{number}</td><td class=\"number\">{}</td>\
         <td class=\"chart\" aria-hidden=\"true\"><svg viewBox=\"0 0 {WIDTH} 12\" preserveAspectRatio=\"none\">\
         <rect class=\"{class}\" width=\"{length}\" height=\"12\"/></svg></td></tr>",
        escape(&part)
    )
}

/// The HTML of a rule.
fn rule_cell(rule: &CoveredRule<'_>) -> String {
    let of = rule.rule.rule;
    let class = if is_allow(rule) { "allow" } else { "disallow" };
    let pattern = brief(of.pattern()).to_string();
    let remark = match remark(rule.usefulness) {
        Some(text) => format!(" <span class=\"remark\">{}</span>", escape(text)),
        None => String::new(),
    };
    format!(
        "<code><span class=\"kind {class}\">{}:</span> {}</code> <span class=\"line\">line {}</span>{remark}",
        of.kind().key(),
        escape(&pattern),
        rule.rule.line
    )
}

fn is_allow(rule: &CoveredRule<'_>) -> bool {
    rule.rule.rule.kind() == RuleKind::Allow
}
