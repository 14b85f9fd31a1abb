//! The report on the use of a page as text.

use std::io::{self, Write};

use verger::Untrusted;
use verger_rights::{Document, Outcome, Report, Source, Use};

use crate::console::Palette;
use crate::sentence::time;

/// Writes the report: uses, answers of robots.txt, statements, findings, documents.
pub(crate) fn write_rights(
    out: &mut impl Write,
    palette: Palette,
    report: &Report,
) -> io::Result<()> {
    let (crawler, at) = (report.tokens.join(", "), time(report.at));
    writeln!(out, "{}  for {}, {at}", Untrusted::new(&report.url), Untrusted::new(&crawler))?;
    for row in &report.uses {
        let style = if row.outcome > Outcome::Allowed { palette.disallow } else { palette.allow };
        let (name, outcome) = (row.r#use, row.outcome.name());
        let by: Vec<_> = row.by.iter().map(|at| format!("[{}]", at + 1)).collect();
        let line = format!("  {name:<12} {style}{outcome:<12}{style:#} {}", by.join(" "));
        writeln!(out, "{}", line.trim_end())?;
    }
    if report.uses.iter().any(|row| row.outcome == Outcome::Unstated) {
        writeln!(out, "  unstated: nothing is stated, which is no permission")?;
    }
    writeln!(out, "robots.txt")?;
    for access in &report.access {
        writeln!(out, "  {}  {}", Untrusted::new(&access.url), access.sentence)?;
    }
    if !report.sources.is_empty() {
        writeln!(out, "statements")?;
    }
    for (source, number) in report.sources.iter().zip(1..) {
        write_source(out, source, number)?;
    }
    if !report.findings.is_empty() {
        writeln!(out, "findings")?;
    }
    for finding in &report.findings {
        let place = if finding.place.is_empty() { "" } else { ", " };
        let url = Untrusted::new(&finding.url);
        writeln!(out, "  {url}{place}{}: {}", finding.place, finding.message)?;
    }
    writeln!(out, "documents")?;
    report.documents.iter().try_for_each(|it| write_document(out, it))
}

fn write_source(out: &mut impl Write, source: &Source, number: usize) -> io::Result<()> {
    let Source { source: name, url, place, text, terms, .. } = source;
    let text = match text.as_str() {
        "" => " not read".to_owned(),
        text => format!(": {}", Untrusted::new(text).quoted()),
    };
    let place = if place.is_empty() { String::new() } else { format!("  {place}") };
    writeln!(out, "  [{number}] {name}{text}{place}  {}", Untrusted::new(url))?;
    let stated = Use::ALL.into_iter().filter(|it| terms.of(*it) != Outcome::Unstated);
    let stated = stated.map(|it| format!("{} {}", it.name(), terms.of(it).name()));
    let stated: Vec<_> = stated.collect();
    if !stated.is_empty() {
        writeln!(out, "      {}", stated.join(", "))?;
    }
    terms.conditions.iter().try_for_each(|it| writeln!(out, "      {}", Untrusted::new(it)))
}

fn write_document(out: &mut impl Write, document: &Document) -> io::Result<()> {
    write!(out, "  {}  {}", document.kind, Untrusted::new(&document.url))?;
    if let Some(url) = &document.final_url {
        write!(out, " -> {}", Untrusted::new(url))?;
    }
    // Otherwise the failure names it.
    if let Some(status) = document.status.filter(|_| document.failure.is_none()) {
        write!(out, "  status {status}")?;
    }
    if let Some(at) = document.at {
        write!(out, "  {}", time(at))?;
    }
    if let Some((hash, bytes)) = document.sha256.as_ref().zip(document.bytes) {
        write!(out, "  {bytes} bytes, sha256 {hash}")?;
    }
    match &document.failure {
        Some(failure) => writeln!(out, "  {}", Untrusted::new(failure)),
        None => writeln!(out),
    }
}
