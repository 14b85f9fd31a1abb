//! An audit as one HTML page.
//!
//! `html.rs` has the form of the page.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use quick_xml::escape::escape;
use verger::access::Timestamp;
use verger_audit::{Counts, CrawlerReport, FetchReport, HistoryReport, Verdict};

use super::html::{AUDIT_STYLE, STYLE, WIDTH, width, with_code, write_head};
use super::numbers::{grouped, percent};
use crate::audit_report::{AuditReport, COLUMNS, many, path_shown, row_remarks};
use crate::limits::ROWS_SHOWN;
use crate::sentence::brief;

/// Writes an audit.
pub(crate) fn write_audit_html(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    let report = &audit.report;
    let sites: Vec<String> =
        report.history.iter().map(|it| code(it.origin.to_string().as_bytes())).collect();
    let sites = sites.join(", ");
    write_head(out, "Did they obey?", &[STYLE, AUDIT_STYLE])?;
    writeln!(
        out,
        "<header><h1>Did they obey? {sites}</h1>\n<p class=\"answer\">{}</p>\n<p>{}{}, {} by browsers \
         and tools.</p></header>",
        with_code(&audit.answer),
        many(report.requests, "request"),
        span(report.from, report.to),
        grouped(report.verdicts.get(Verdict::NotACrawler)),
    )?;
    write_summary(out, audit)?;
    write_crawlers(out, audit)?;
    write_details(out, audit)?;
    report.history.iter().try_for_each(|history| write_history(out, history))?;
    writeln!(
        out,
        "<footer>Made by Verger {}. A request is judged by the robots.txt that its crawler had received. Only \
         crawlers are accused whose identity is proved, or that the owner of the site accepts without a proof.</footer>\n</main>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION")
    )
}

/// A bar of all verdicts of crawlers, its legend, and the remarks.
fn write_summary(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    let verdicts = &audit.report.verdicts;
    let total = of_crawlers(verdicts);
    writeln!(out, "<section>\n<h2>Requests of crawlers: {}</h2>", grouped(total))?;
    writeln!(out, "{}", bar(verdicts, total, 28, "whole"))?;
    writeln!(out, "<ul class=\"legend\">")?;
    for (verdict, word) in used(verdicts) {
        let number = verdicts.get(verdict);
        writeln!(
            out,
            "<li>{} {word} <small>(<code>{}</code>)</small>: {}, {}</li>",
            swatch(verdict),
            verdict.name(),
            grouped(number),
            escape(percent(number, total))
        )?;
    }
    writeln!(out, "</ul>")?;
    for log in &audit.logs {
        let format = log.format.as_deref().unwrap_or("empty");
        let requests = many(log.requests, "request");
        writeln!(out, "<p class=\"note\">{}: {format}, {requests}</p>", code(log.name.as_bytes()))?;
    }
    for remark in audit.remarks() {
        writeln!(out, "<p class=\"note\">{}.</p>", with_code(&remark))?;
    }
    writeln!(out, "</section>")
}

/// The table of crawlers, each with a bar.
fn write_crawlers(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    let crawlers = &audit.report.crawlers;
    if crawlers.is_empty() {
        return writeln!(out, "<section><p>No crawler was found.</p></section>");
    }
    writeln!(
        out,
        "<section>\n<h2>Crawlers</h2>\n<table>\n<thead><tr><th scope=\"col\" class=\"name\">Crawler</th>\
         <th scope=\"col\" class=\"number\">Requests</th><th scope=\"col\" class=\"number\">Disobeyed</th>\
         <th class=\"chart\" aria-hidden=\"true\"></th></tr></thead><tbody>"
    )?;
    for row in crawlers.iter().take(ROWS_SHOWN) {
        let total = of_crawlers(&row.verdicts);
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"chart\" aria-hidden=\"true\">{}</td></tr>",
            escape(audit.name(row)),
            grouped(total),
            grouped(row.verdicts.get(Verdict::DisallowedKnown)),
            bar(&row.verdicts, total, 12, "")
        )?;
    }
    writeln!(out, "</tbody></table>")?;
    if let Some(more @ 1..) = crawlers.len().checked_sub(ROWS_SHOWN) {
        writeln!(out, "<p class=\"note\">And {more} more.</p>")?;
    }
    writeln!(out, "</section>")
}

/// The time line and the paths of each crawler. Those that need attention are open.
fn write_details(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    let crawlers = &audit.report.crawlers;
    if crawlers.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section>\n<h2>Over time</h2>\n<p class=\"note\">Above the line: fetches of robots.txt, dashed if they \
         failed. Below: requests, coloured as above. Dashed over the whole height: changes of robots.txt.</p>"
    )?;
    for row in crawlers.iter().take(ROWS_SHOWN) {
        let disobeyed = row.verdicts.get(Verdict::DisallowedKnown);
        let needs_look = disobeyed > 0 || row.verdicts.get(Verdict::CouldNotRead) > 0;
        let parts = used(&row.verdicts)
            .map(|(verdict, word)| format!("{word} {}", grouped(row.verdicts.get(verdict))));
        writeln!(
            out,
            "<details{}><summary><h3>{}</h3> <span class=\"line words\">{}</span></summary>",
            if needs_look { " open" } else { "" },
            escape(audit.name(row)),
            parts.collect::<Vec<_>>().join(", ")
        )?;
        for remark in row_remarks(row) {
            writeln!(out, "<p class=\"note\">{}.</p>", with_code(&remark))?;
        }
        write_time_line(out, audit, row)?;
        write_paths(out, audit, row)?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "</section>")
}

/// Fetches of robots.txt above, requests below, and changes of robots.txt as marks.
fn write_time_line(
    out: &mut impl Write,
    audit: &AuditReport,
    row: &CrawlerReport,
) -> io::Result<()> {
    let report = &audit.report;
    let (Some(from), Some(to)) = (report.from, report.to) else { return Ok(()) };
    let length = to.since(from).as_secs().max(1);
    let x = |time: Timestamp| width(time.since(from).as_secs().min(length), length);
    let versions = report.history.iter().flat_map(|history| history.versions.iter().skip(1));
    let changes: Vec<_> = versions.filter(|it| it.from > from && it.from < to).collect();
    let label = format!(
        "{}: {}, {}, {}",
        audit.name(row),
        many(row.verdicts.total(), "request"),
        many(row.fetches_total, "fetch") + " of robots.txt",
        many(changes.len() as u64, "change") + " of robots.txt"
    );
    write!(
        out,
        "<svg class=\"time\" role=\"img\" viewBox=\"0 0 {WIDTH} 80\" preserveAspectRatio=\"none\" aria-label=\"{}\">",
        escape(label)
    )?;
    let most = row.timeline.iter().map(|bucket| of_visits(&bucket.verdicts)).max().unwrap_or(1);
    for bucket in &row.timeline {
        let start = x(bucket.from);
        let end = x(bucket.from.after(Duration::from_secs(row.bucket_seconds))).max(start + 6);
        let mut top = 80;
        for (verdict, word) in used(&bucket.verdicts).filter(|it| it.0 != Verdict::RobotsTxt) {
            let number = bucket.verdicts.get(verdict);
            let height = (number * 52 / most.max(1)).max(2);
            top -= height.min(top);
            write!(
                out,
                "<rect class=\"{}\" x=\"{start}\" y=\"{top}\" width=\"{}\" height=\"{height}\"><title>{}: {word} {}</title></rect>",
                verdict.name(),
                (end - start).saturating_sub(1).max(1),
                bucket.from,
                grouped(number)
            )?;
        }
    }
    write!(out, "<line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"24\" y2=\"24\"/>")?;
    for version in changes {
        let at = x(version.from);
        write!(
            out,
            "<line class=\"change\" x1=\"{at}\" x2=\"{at}\" y1=\"0\" y2=\"80\"><title>{}: robots.txt changed ({})</title></line>",
            version.from,
            escape(brief(&version.name).to_string())
        )?;
    }
    for FetchReport { at: time, status, .. } in &row.fetches {
        let at = x(*time);
        let class = if matches!(status, Some(200 | 206 | 304)) { "received" } else { "failed" };
        let status = status.map_or_else(String::new, |status| format!(", status {status}"));
        write!(
            out,
            "<line class=\"{class}\" x1=\"{at}\" x2=\"{at}\" y1=\"4\" y2=\"20\"><title>{time}: robots.txt fetched{status}</title></line>"
        )?;
    }
    writeln!(out, "</svg>\n<p class=\"ends\"><span>{from}</span><span>{to}</span></p>")
}

/// The most frequent paths with the lines that decide them.
fn write_paths(out: &mut impl Write, audit: &AuditReport, row: &CrawlerReport) -> io::Result<()> {
    if row.top.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<table class=\"paths\">\n<thead><tr><th scope=\"col\">Path</th><th scope=\"col\">Verdict</th><th scope=\"col\">\
         Deciding line</th><th scope=\"col\" class=\"number\">Requests</th></tr></thead><tbody>"
    )?;
    for path in &row.top {
        let mut rule = path.rule.as_deref().map(|rule| code(rule.as_bytes())).unwrap_or_default();
        if let Some(line) = path.line {
            let _ = write!(rule, " <span class=\"line\">line {line}</span>");
        }
        if let Some(version) = audit.version(row, path) {
            let name = brief(&version.name).to_string();
            let _ = write!(rule, " <span class=\"line words\">{}</span>", escape(name));
        }
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{} <span class=\"line\">{}</span></td><td>{rule}</td><td class=\"number\">{}</td></tr>",
            format_args!("<code>{}</code>", escape(path_shown(path))),
            swatch(path.verdict),
            path.verdict.name(),
            grouped(path.requests)
        )?;
    }
    writeln!(out, "</tbody></table>")
}

/// The versions of a robots.txt.
fn write_history(out: &mut impl Write, history: &HistoryReport) -> io::Result<()> {
    let origin = code(history.origin.to_string().as_bytes());
    writeln!(out, "<section>\n<h2>robots.txt of {origin}</h2>\n<ul>")?;
    for version in history.versions.iter().rev().take(ROWS_SHOWN) {
        let hash = version.sha256.as_deref().map_or_else(
            || "no file, or unknown".to_owned(),
            |hash| format!("SHA-256 <code>{}</code>", escape(hash)),
        );
        let name = brief(&version.name).to_string();
        writeln!(out, "<li>from {}: {}, {hash}</li>", version.from, escape(name))?;
    }
    if let Some(more @ 1..) = history.versions.len().checked_sub(ROWS_SHOWN) {
        writeln!(out, "<li>and {more} earlier ones</li>")?;
    }
    writeln!(out, "</ul>\n</section>")
}

/// The verdicts that occur, in the order of bars.
fn used(counts: &Counts) -> impl Iterator<Item = (Verdict, &'static str)> {
    COLUMNS.into_iter().filter(|(verdict, _)| counts.get(*verdict) > 0)
}

fn of_crawlers(counts: &Counts) -> u64 {
    COLUMNS.iter().map(|(verdict, _)| counts.get(*verdict)).sum()
}

/// Requests without those for robots.txt itself.
fn of_visits(counts: &Counts) -> u64 {
    of_crawlers(counts) - counts.get(Verdict::RobotsTxt)
}

/// A bar with a part for each verdict.
fn bar(counts: &Counts, total: u64, height: u32, class: &str) -> String {
    let parts: Vec<String> = used(counts)
        .map(|(verdict, word)| format!("{word} {}", percent(counts.get(verdict), total)))
        .collect();
    let mut bar = format!(
        "<svg class=\"{class}\" role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" preserveAspectRatio=\"none\" aria-label=\"{}\">",
        escape(parts.join(", "))
    );
    let mut sum = 0;
    for (verdict, _) in used(counts) {
        let start = width(sum, total);
        sum += counts.get(verdict);
        let length = (width(sum, total) - start).max(1);
        let name = verdict.name();
        let _ = write!(
            bar,
            "<rect class=\"{name}\" x=\"{start}\" width=\"{length}\" height=\"{height}\"/>"
        );
    }
    bar + "</svg>"
}

/// A square in the colour of a verdict.
fn swatch(verdict: Verdict) -> String {
    let name = verdict.name();
    format!(
        "<svg class=\"swatch\" aria-hidden=\"true\" viewBox=\"0 0 8 8\"><rect class=\"{name}\" width=\"8\" height=\"8\"/></svg>"
    )
}

/// Foreign text as code.
fn code(text: &[u8]) -> String {
    format!("<code>{}</code>", escape(brief(text).to_string()))
}

/// The time of all requests.
fn span(from: Option<Timestamp>, to: Option<Timestamp>) -> String {
    match (from, to) {
        (Some(from), Some(to)) => format!(" from {from} to {to}"),
        _ => String::new(),
    }
}
