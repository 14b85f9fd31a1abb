//! An inspection for people: the file as it was understood, group by group.

use std::io::{self, Write};

use verger::limits::QUOTED_CHARS;
use verger::{RuleKind, Untrusted};

use crate::console::Palette;
use crate::inspection::{
    AgentKeys, CrawlerKeys, GroupKeys, Inspection, Meaning, RateKeys, RecordKeys, Scope, WindowKeys,
};

/// Writes an inspection as text.
pub(crate) fn write_inspection(
    out: &mut impl Write,
    palette: Palette,
    inspection: &Inspection<'_>,
) -> io::Result<()> {
    let Inspection { file, dialect, bytes, lines, encoding, truncated, .. } = inspection;
    let cut = if *truncated { ", cut at the limit" } else { "" };
    let encoding = if *encoding == "utf-8" { String::new() } else { format!(", in {encoding}") };
    writeln!(out, "{file}: {bytes} bytes{encoding}{cut}, {lines} lines, read as {dialect}")?;
    for (index, group) in inspection.groups.iter().enumerate() {
        writeln!(out, "\ngroup {} for {} (line {})", index + 1, names(group), group.line)?;
        write_group(out, palette, index, group, inspection)?;
    }
    for (scope, title) in [(Scope::File, "for the whole file"), (Scope::None, "in no group")] {
        let mut records =
            inspection.records.iter().filter(|record| record.scope == scope).peekable();
        if records.peek().is_some() {
            writeln!(out, "\n{title}")?;
        }
        for record in records {
            writeln!(out, "{}", line(record.line, &told(record)))?;
        }
    }
    if let Some(crawler) = &inspection.crawler {
        write_crawler(out, crawler, inspection)?;
    }
    write_diagnostics(out, palette, inspection)
}

/// Rules and records of a group, as they stand in the file.
fn write_group(
    out: &mut impl Write,
    palette: Palette,
    index: usize,
    group: &GroupKeys<'_>,
    inspection: &Inspection<'_>,
) -> io::Result<()> {
    let rules = group.rules.iter().map(|rule| {
        let style = match rule.rule.kind() {
            RuleKind::Allow => palette.allow,
            RuleKind::Disallow => palette.disallow,
        };
        (rule.line, format!("{style}{}{style:#}", rule.rule))
    });
    let records = inspection.records.iter().filter(|record| record.group == Some(index));
    let records = records.map(|record| (record.line, told(record)));
    let mut all: Vec<_> = rules.chain(records).collect();
    all.sort_by_key(|(line, _)| *line);
    if all.is_empty() {
        return writeln!(out, "  without rules: everything is allowed");
    }
    all.iter().try_for_each(|(number, text)| writeln!(out, "{}", line(*number, text)))
}

fn write_crawler(
    out: &mut impl Write,
    crawler: &CrawlerKeys<'_>,
    inspection: &Inspection<'_>,
) -> io::Result<()> {
    writeln!(out, "\nfor {}", crawler.asker)?;
    let groups: Vec<_> = crawler
        .groups
        .iter()
        .map(|&index| format!("group {} (line {})", index + 1, inspection.groups[index].line))
        .collect();
    match (crawler.ignores_robots, groups.is_empty()) {
        (true, _) => writeln!(out, "  it does not follow robots.txt: everything is allowed")?,
        (false, true) => writeln!(out, "  no group applies: everything is allowed")?,
        (false, false) => writeln!(out, "  {}", groups.join(", "))?,
    }
    if let Some(seconds) = crawler.crawl_delay {
        writeln!(out, "  crawl-delay: {seconds} s")?;
    }
    for rate in &crawler.request_rates {
        writeln!(out, "  request-rate: {}", rate_words(rate))?;
    }
    for window in &crawler.visit_times {
        writeln!(out, "  visit-time: {}", window_words(window))?;
    }
    for license in &crawler.licenses {
        writeln!(out, "  license: {}", quoted(license))?;
    }
    Ok(())
}

fn write_diagnostics(
    out: &mut impl Write,
    palette: Palette,
    inspection: &Inspection<'_>,
) -> io::Result<()> {
    let diagnostics = &inspection.diagnostics;
    if diagnostics.total == 0 {
        return writeln!(out, "\nnothing to notice");
    }
    writeln!(out)?;
    for found in &diagnostics.list {
        let style = match found.severity {
            "error" => palette.disallow,
            _ => palette.hint,
        };
        let (file, severity, code) = (inspection.file, found.severity, found.code);
        let (line, column, message) = (found.line, found.column, &found.message);
        writeln!(out, "{file}:{line}:{column}: {style}{severity}{style:#}: {message} [{code}]")?;
    }
    match diagnostics.total - diagnostics.list.len() {
        0 => Ok(()),
        more => writeln!(out, "and {more} more"),
    }
}

fn names(group: &GroupKeys<'_>) -> String {
    if group.agents.is_empty() {
        return "everybody".to_owned();
    }
    let name = |agent: &AgentKeys<'_>| format!("`{}`", quoted(agent.value.0));
    group.agents.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn told(record: &RecordKeys<'_>) -> String {
    let text = format!("{}: {}", quoted(record.key.0), quoted(record.value.0));
    let meaning = match &record.meaning {
        Some(Meaning::Invalid { error }) => error.clone(),
        Some(Meaning::Seconds { seconds }) => format!("{seconds} s"),
        Some(Meaning::Rate(rate)) => rate_words(rate),
        Some(Meaning::Window(window)) => window_words(window),
        _ => return text,
    };
    format!("{text}  ({meaning})")
}

fn rate_words(rate: &RateKeys) -> String {
    let RateKeys { documents, seconds, window } = rate;
    let window = window.as_ref().map(|window| format!(", {}", window_words(window)));
    format!("{documents} per {seconds} s{}", window.unwrap_or_default())
}

fn window_words(window: &WindowKeys) -> String {
    format!("from {} to {} UTC", window.from, window.to)
}

fn line(number: usize, text: &str) -> String {
    format!("{number:>6}  {text}")
}

fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> Untrusted<'_> {
    Untrusted::new(text).limited_to(QUOTED_CHARS)
}
