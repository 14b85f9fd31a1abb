//! An audit as text.

use std::io::{self, Write};

use verger_audit::limits::TOP_PATHS;
use verger_audit::{CrawlerReport, Verdict};

use crate::audit_report::{AuditReport, COLUMNS, path_shown, row_remarks};
use crate::console::Palette;
use crate::limits::{PATHS_SHOWN, ROWS_SHOWN};
use crate::sentence::{brief, grouped, many};

/// Writes an audit.
pub(crate) fn write_audit(
    out: &mut impl Write,
    palette: Palette,
    audit: &AuditReport,
) -> io::Result<()> {
    let number = |row: &CrawlerReport| row.verdicts.get(Verdict::DisallowedKnown);
    let disobeyed = audit.report.crawlers.iter().any(|row| row.is_accepted && number(row) > 0);
    let style = if disobeyed { palette.disallow } else { palette.allow };
    writeln!(out, "{style}{}{style:#}", audit.answer)?;
    writeln!(out, "  {}", audit.scope())?;
    for log in &audit.logs {
        writeln!(out, "  {}: {}", log.name, log.facts())?;
    }
    for remark in audit.remarks() {
        writeln!(out, "  {remark}")?;
    }
    write_table(out, audit)?;
    write_paths(out, palette, audit)
}

/// The table of crawlers, with columns for the verdicts that occur.
fn write_table(out: &mut impl Write, audit: &AuditReport) -> io::Result<()> {
    let crawlers = &audit.report.crawlers;
    if crawlers.is_empty() {
        return writeln!(out, "\nNo crawler was found");
    }
    let is_used = |verdict| crawlers.iter().any(|row| row.verdicts.get(verdict) > 0);
    let columns: Vec<_> = COLUMNS.into_iter().filter(|(verdict, _)| is_used(*verdict)).collect();
    let names: Vec<String> = crawlers.iter().map(|row| audit.name(row)).collect();
    let shown = names.iter().take(ROWS_SHOWN);
    let width = shown.map(|name| name.chars().count()).max().unwrap_or_default().max(8);
    write!(out, "\n{:width$}  {:>10}", "Crawlers", "requests")?;
    for (_, word) in &columns {
        write!(out, "  {word:>COLUMN$}")?;
    }
    writeln!(out)?;
    for (row, name) in crawlers.iter().zip(&names).take(ROWS_SHOWN) {
        write!(out, "{name:width$}  {:>10}", grouped(row.verdicts.total()))?;
        for (verdict, word) in &columns {
            let width = word.len().max(COLUMN);
            write!(out, "  {:>width$}", grouped(row.verdicts.get(*verdict)))?;
        }
        writeln!(out)?;
    }
    match crawlers.len().checked_sub(ROWS_SHOWN) {
        Some(more @ 1..) => writeln!(out, "and {more} more"),
        _ => Ok(()),
    }
}

/// The paths of each crawler that somebody should look at, with the rules that decide them.
fn write_paths(out: &mut impl Write, palette: Palette, audit: &AuditReport) -> io::Result<()> {
    for row in audit.report.crawlers.iter().take(ROWS_SHOWN) {
        let remarks = row_remarks(row);
        let is_forbidden = |verdict| {
            !matches!(verdict, Verdict::Allowed | Verdict::RobotsTxt | Verdict::UserTriggered)
        };
        let paths: Vec<_> = row.top.iter().filter(|path| is_forbidden(path.verdict)).collect();
        let more = paths.len().saturating_sub(PATHS_SHOWN);
        let paths = &paths[..paths.len() - more];
        if remarks.is_empty() && paths.iter().all(|path| path.rule.is_none()) {
            continue;
        }
        writeln!(out, "\n{}", audit.name(row))?;
        for remark in remarks {
            writeln!(out, "  {remark}")?;
        }
        for path in paths {
            let (number, name) = (grouped(path.requests), path.verdict.name());
            let style = match path.verdict {
                Verdict::DisallowedKnown => palette.disallow,
                _ => palette.warning,
            };
            write!(out, "  {number:>10}  {style}{name}{style:#}  {}", path_shown(path))?;
            if let Some(rule) = &path.rule {
                write!(out, "  by `{}`", brief(rule))?;
                if let Some(line) = path.line {
                    write!(out, " on line {line}")?;
                }
            }
            match audit.version(row, path) {
                Some(version) => writeln!(out, " of {}", brief(&version.name))?,
                None => writeln!(out)?,
            }
        }
        if more > 0 {
            let least = if row.top.len() < TOP_PATHS { "" } else { "at least " };
            let more = many(more as u64, "further path");
            writeln!(out, "              and {least}{more}")?;
        }
    }
    Ok(())
}

/// The width of a column of numbers.
const COLUMN: usize = 10;
