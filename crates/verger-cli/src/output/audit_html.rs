//! An audit as one HTML page: the values of `templates/audit.html`.
//!
//! `html.rs` has the form of the page.

use std::borrow::Borrow;
use std::io::{self, Write};
use std::time::Duration;

use askama::Template;
use verger::access::Timestamp;
use verger_audit::limits::TOP_PATHS;
use verger_audit::{Counts, CrawlerReport, FetchReport, PathReport, Report, Verdict, Version};

use super::html::{AUDIT_STYLE, STYLE, WIDTH, width, with_code, write_head};
use super::numbers::percent;
use crate::audit_report::{AuditReport, COLUMNS, disobeyed, row_remarks};
use crate::limits::ROWS_SHOWN;
use crate::sentence::{brief, grouped, many};

/// Writes an audit.
pub(crate) fn write_audit_html(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    write_head(out, "Did crawlers obey robots.txt?", &[STYLE, AUDIT_STYLE])?;
    Page { audit, report: &audit.report }.write_into(out)?;
    writeln!(out)
}

#[derive(Template)]
#[template(path = "audit.html")]
struct Page<'a> {
    audit: &'a AuditReport,
    report: &'a Report,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The requests with one verdict in a part of the time.
struct Visits {
    class: &'static str,
    x: u64,
    y: u64,
    width: u64,
    height: u64,
    title: String,
}

impl Page<'_> {
    fn rows(&self) -> impl Iterator<Item = &CrawlerReport> {
        self.report.crawlers.iter().take(ROWS_SHOWN)
    }

    /// The place of a time on a time line.
    fn x(&self, time: impl Borrow<Timestamp>) -> u64 {
        let from = self.report.from.unwrap_or_default();
        let length = self.report.to.unwrap_or_default().since(from).as_secs().max(1);
        width(time.borrow().since(from).as_secs().min(length), length)
    }

    /// The changes of the robots.txt of a row in the time of the log.
    fn changes(&self, row: &CrawlerReport) -> Vec<&Version> {
        let versions = self.audit.site(row).into_iter().flat_map(|it| it.versions.iter().skip(1));
        let (from, to) = (self.report.from, self.report.to);
        versions.filter(|it| Some(it.from) > from && Some(it.from) < to).collect()
    }

    /// The requests of a row on its time line.
    fn visits(&self, row: &CrawlerReport) -> Vec<Visits> {
        // Without those for robots.txt itself.
        let number = |it: &Counts| of_crawlers(it) - it.get(Verdict::RobotsTxt);
        let most = row.timeline.iter().map(|bucket| number(&bucket.verdicts)).max();
        let mut visits = Vec::new();
        for bucket in &row.timeline {
            let start = self.x(bucket.from);
            let end = bucket.from.after(Duration::from_secs(row.bucket_seconds));
            let end = self.x(end).max(start + 6);
            let mut y = 80_u64;
            let parts = parts_of(&bucket.verdicts, row).into_iter();
            for part in parts.filter(|part| part.class != Verdict::RobotsTxt.name()) {
                let height = (part.number * 52 / most.unwrap_or(1).max(1)).max(2);
                y = y.saturating_sub(height);
                let title = format!("{}: {} {}", bucket.from, part.word, grouped(part.number));
                let (class, width) = (part.class, (end - start).saturating_sub(1).max(1));
                visits.push(Visits { class, x: start, y, width, height, title });
            }
        }
        visits
    }
}

/// The requests with one verdict: a part of a bar.
struct Part {
    /// The verdict, or `unproved`.
    class: &'static str,
    word: &'static str,
    number: u64,
    share: String,
    x: u64,
    width: u64,
}

/// The verdicts that occur, in the order of bars. Those which accuse nobody, because the identity
/// is not proved, are a part of their own.
fn parts(accepted: &Counts, unproved: &Counts) -> Vec<Part> {
    let (total, mut sum) = (of_crawlers(accepted) + of_crawlers(unproved), 0);
    let of_verdicts = COLUMNS.into_iter().map(|(verdict, word)| {
        let more = if verdict.is_accusation() { 0 } else { unproved.get(verdict) };
        (verdict.name(), word, accepted.get(verdict) + more)
    });
    let accusations = unproved.iter().filter(|(verdict, _)| verdict.is_accusation());
    let of_nobody =
        ("unproved", "forbidden, unproved", accusations.map(|(_, number)| number).sum::<u64>());
    let all = of_verdicts.chain([of_nobody]).map(|(class, word, number)| {
        let x = width(sum, total);
        sum += number;
        let width = (width(sum, total) - x).max(1);
        Part { class, word, number, share: percent(number, total), x, width }
    });
    all.filter(|part| part.number > 0).collect()
}

/// Those of a row, or of a part of its time.
fn parts_of(counts: &Counts, row: &CrawlerReport) -> Vec<Part> {
    let none = Counts::default();
    if row.is_accepted { parts(counts, &none) } else { parts(&none, counts) }
}

/// Those of all rows.
fn parts_of_all(report: &Report) -> Vec<Part> {
    let mut counts = [Counts::default(); 2];
    for row in &report.crawlers {
        counts[usize::from(!row.is_accepted)].merge(&row.verdicts);
    }
    parts(&counts[0], &counts[1])
}

const fn class_of(fetch: &FetchReport) -> &'static str {
    if matches!(fetch.status, Some(200 | 206 | 304)) { "received" } else { "failed" }
}

/// The class of a path in a row.
const fn class(path: &PathReport, row: &CrawlerReport) -> &'static str {
    if path.verdict.is_accusation() && !row.is_accepted { "unproved" } else { path.verdict.name() }
}

fn of_all(report: &Report) -> u64 {
    report.crawlers.iter().map(|row| of_crawlers(&row.verdicts)).sum()
}

fn of_crawlers(counts: &Counts) -> u64 {
    COLUMNS.iter().map(|(verdict, _)| counts.get(*verdict)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_accuses_nobody_is_a_part_of_its_own() {
        let mut counts = Counts::default();
        for verdict in [Verdict::DisallowedKnown, Verdict::Allowed, Verdict::DisallowedUnread] {
            counts.add(verdict);
        }
        let found = |accepted: &Counts, unproved: &Counts| {
            let parts = parts(accepted, unproved).into_iter();
            parts.map(|part| (part.class, part.number, part.x)).collect::<Vec<_>>()
        };
        let none = Counts::default();
        assert_eq!(found(&none, &counts), [("allowed", 1, 0), ("unproved", 2, 333)]);
        let both = [("disallowed_known", 1_u64, 0_u64), ("disallowed_unread", 1, 166)];
        let others = [("allowed", 2_u64, 333_u64), ("unproved", 2, 666)];
        assert_eq!(found(&counts, &counts), [both, others].concat());
        assert!(found(&none, &none).is_empty());
    }
}
