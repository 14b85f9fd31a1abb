//! An audit as text: the values of `templates/audit.txt`.

use std::borrow::Borrow;
use std::fmt::Display;
use std::io::{self, Write};

use anstyle::Style;
use askama::Template;
use verger_audit::limits::TOP_PATHS;
use verger_audit::{CrawlerReport, Verdict};

use crate::audit_report::{AuditReport, COLUMNS, disobeyed, row_remarks};
use crate::console::Palette;
use crate::limits::{PATHS_SHOWN, ROWS_SHOWN};
use crate::sentence::{brief, grouped, many};

/// Writes an audit.
pub(crate) fn write_audit(
    out: &mut impl Write,
    palette: Palette,
    audit: &AuditReport,
) -> io::Result<()> {
    let all = &audit.report.crawlers;
    let rows = &all[..all.len().min(ROWS_SHOWN)];
    let names = rows.iter().map(|row| audit.name(row).chars().count());
    let is_used = |verdict: Verdict| all.iter().any(|row| row.verdicts.get(verdict) > 0);
    let columns = COLUMNS.into_iter().filter(|(verdict, _)| is_used(*verdict));
    let text = Text {
        palette,
        audit,
        rows,
        more: all.len() - rows.len(),
        width: names.max().unwrap_or_default().max("Crawlers".len()),
        columns: columns.map(|(verdict, word)| (verdict, format!("{word:>10}"))).collect(),
    };
    writeln!(out, "{text}")
}

#[derive(Template)]
#[template(path = "audit.txt")]
struct Text<'a> {
    palette: Palette,
    audit: &'a AuditReport,
    rows: &'a [CrawlerReport],
    /// The number of rows that are not shown.
    more: usize,
    /// The width of the names.
    width: usize,
    /// The verdicts that occur, with their words as wide as their columns.
    columns: Vec<(Verdict, String)>,
}

impl Text<'_> {
    fn style_of_answer(&self) -> Style {
        let is_one = self.audit.report.crawlers.iter().any(|row| disobeyed(row) > 0);
        if is_one { self.palette.disallow } else { self.palette.allow }
    }

    fn style_of(&self, verdict: impl Borrow<Verdict>) -> Style {
        let is_known = *verdict.borrow() == Verdict::DisallowedKnown;
        if is_known { self.palette.disallow } else { self.palette.warning }
    }

    fn left(&self, name: impl Display) -> String {
        format!("{name:0$}", self.width)
    }
}

fn right(number: impl Borrow<u64>, width: usize) -> String {
    format!("{:>width$}", grouped(number))
}
