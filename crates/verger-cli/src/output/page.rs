//! The report on a page as text: effective directives, their statements, and statements without
//! effect.

use std::io::{self, Write};

use verger::Untrusted;

use super::text::DecisionText;
use crate::answer::Answer;
use crate::console::Palette;
use crate::page_report::{CombinedKeys, NoSnippetKeys, PageFetchKeys, PageReport, StatementKeys};

/// Writes the report on a page.
pub(crate) fn write_page(
    out: &mut impl Write,
    palette: Palette,
    report: &PageReport<'_>,
    answer: Option<&Answer<'_>>,
) -> io::Result<()> {
    let (words, style) = match (&*report.restricts, report.until) {
        ([], None) => ("restricts neither indexing nor following".to_owned(), palette.allow),
        ([], Some(time)) => {
            (format!("restricts neither indexing nor following until {time}"), palette.allow)
        }
        (all, None) => (format!("restricts {}", all.join(" and ")), palette.disallow),
        (all, Some(time)) => (
            format!("restricts {}, and indexing after {time}", all.join(" and ")),
            palette.disallow,
        ),
    };
    let url = report.url.text.as_deref();
    let url = url.map(|url| format!("  {}", Untrusted::new(url))).unwrap_or_default();
    let crawler = report.crawler.as_ref().map(ToString::to_string);
    let crawler = crawler.unwrap_or_else(|| "every crawler".to_owned());
    let combine = report.combine;
    writeln!(out, "{style}{words}{style:#}{url}  for {crawler}, as {combine} combines")?;
    for effective in &report.directives {
        for (index, statement) in effective.from.iter().enumerate() {
            let by = if index == 0 { "by" } else { "and by" };
            let directive = effective.directive;
            writeln!(out, "  {directive}  {by} {statement}")?;
        }
    }
    let invalid: Vec<_> = report.statements.iter().filter(|it| it.error.is_some()).collect();
    section(out, "invalid, without effect", &invalid, |out, it| {
        let error = it.error.unwrap_or_default();
        writeln!(out, "  {}: {error}", it.statement)
    })?;
    let others: Vec<_> = report.statements.iter().filter(|it| is_for_others(it)).collect();
    section(out, "for other crawlers", &others, |out, it| {
        writeln!(out, "  {}: {}", it.statement.subject, it.statement)
    })?;
    section(out, "excluded from snippets", &report.nosnippet, |out, found| {
        let NoSnippetKeys { element, line, column, end } = found;
        match end {
            Some(end) => {
                writeln!(out, "  `{element}` at {line}:{column} to {}:{}", end.line, end.column)
            }
            None => writeln!(out, "  `{element}` at {line}:{column} to the end of the page"),
        }
    })?;
    let PageReport { content_usage, content_signals, licenses, tdm, robots_tag, .. } = report;
    let uses = [content_usage, content_signals, licenses, tdm];
    let uses: Vec<_> = uses.into_iter().flatten().collect();
    section(out, "use of the content", &uses, |out, it| writeln!(out, "  {it}"))?;
    for CombinedKeys { name, uses, .. } in &report.combined {
        writeln!(out, "  {name}, combined: {}", uses.words())?;
    }
    section(out, "draft `Robots-Tag`, without effect", robots_tag, |out, it| {
        writeln!(out, "  {it}")
    })?;
    match (report.evidence.as_ref().and_then(|evidence| evidence.fetch.as_ref()), answer) {
        (Some(fetch), Some(answer)) => write_page_fetch(out, fetch, answer),
        _ => Ok(()),
    }
}

/// Writes the redirects, the status and the answer of robots.txt.
fn write_page_fetch(
    out: &mut impl Write,
    fetch: &PageFetchKeys<'_>,
    answer: &Answer<'_>,
) -> io::Result<()> {
    writeln!(out, "fetched")?;
    for hop in &fetch.hops {
        writeln!(out, "  redirect: {} {}", hop.status, Untrusted::new(hop.url))?;
    }
    writeln!(out, "  from: {}", Untrusted::new(fetch.final_url))?;
    if let Some(status) = fetch.status {
        writeln!(out, "  status: {status}")?;
    }
    write!(out, "  robots.txt: {}", answer.verdict)?;
    match answer.decision {
        Some(decision) => writeln!(out, " ({})", DecisionText { decision, offline: false })?,
        None => writeln!(out)?,
    }
    writeln!(out, "  waited: {:.1} s", fetch.waited)
}

fn is_for_others(statement: &StatementKeys<'_>) -> bool {
    !statement.applies && statement.error.is_none()
}

fn section<W: Write, T>(
    out: &mut W,
    title: &str,
    all: &[T],
    write: impl Fn(&mut W, &T) -> io::Result<()>,
) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "{title}")?;
    all.iter().try_for_each(|it| write(out, it))
}
