//! An inspection as text: groups, other records, the crawler's values, diagnostics.

use std::io::{self, Write};

use verger::{RuleKind, Untrusted};

use crate::console::Palette;
use crate::inspection::{
    AgentKeys, ContentStatementKeys, CrawlerSection, GroupKeys, Inspection, Meaning,
    OtherRecordKeys, RateKeys, Scope, WindowKeys,
};
use crate::sentence::{brief, counted, quoted};

/// Writes an inspection as text.
pub(crate) fn write_inspection(
    out: &mut impl Write,
    palette: Palette,
    inspection: &Inspection<'_>,
) -> io::Result<()> {
    let Inspection { file, dialect, bytes, lines, encoding, truncated, .. } = inspection;
    let cut = match (truncated, inspection.counts_as_none) {
        (false, _) => "",
        (true, false) => ", cut at the limit",
        (true, true) => ", longer than the limit",
    };
    let encoding = match *encoding {
        "utf-8" => String::new(),
        other => format!(", in {other}"),
    };
    let (bytes, lines) = (counted(*bytes, "byte"), counted(*lines, "line"));
    writeln!(out, "{file}: {bytes}{encoding}{cut}, {lines}, read as {dialect}")?;
    if inspection.counts_as_none {
        writeln!(out, "\nthe whole file is ignored: everything is allowed")?;
    } else if inspection.groups.is_empty() {
        writeln!(out, "\nno groups: everything is allowed")?;
    }
    for (index, (group, records)) in inspection.groups.iter().zip(by_group(inspection)).enumerate()
    {
        writeln!(out, "\ngroup {} for {} (line {})", index + 1, names(group), group.line)?;
        write_group(out, palette, group, &records)?;
    }
    let of_scope = |scope| {
        let records = inspection.records.iter().filter(move |record| record.scope == scope);
        records.map(|record| (record.line, record_text(record)))
    };
    write_section(out, "for the whole file", of_scope(Scope::File).collect())?;
    let orphans = inspection.orphans.iter();
    let orphans = orphans.map(|orphan| (orphan.line, brief(orphan.text.text).to_string()));
    let ignored = orphans.chain(of_scope(Scope::None)).collect();
    write_section(out, "outside of groups, without effect", ignored)?;
    if let Some(crawler) = &inspection.crawler {
        write_crawler(out, crawler, inspection)?;
    }
    write_diagnostics(out, palette, inspection)
}

/// Writes lines under a title, in the order of the file; nothing if there are none.
fn write_section(
    out: &mut impl Write,
    title: &str,
    mut lines: Vec<(usize, String)>,
) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    lines.sort_by_key(|(line, _)| *line);
    writeln!(out, "\n{title}")?;
    lines.iter().try_for_each(|(number, text)| writeln!(out, "{}", line(*number, text)))
}

/// The records of each group, in one pass: there can be as many groups as records.
fn by_group<'i, 'a>(inspection: &'i Inspection<'a>) -> Vec<Vec<&'i OtherRecordKeys<'a>>> {
    let mut all = vec![Vec::new(); inspection.groups.len()];
    for record in &inspection.records {
        if let Some(records) = record.group.and_then(|group| all.get_mut(group)) {
            records.push(record);
        }
    }
    all
}

/// Writes rules and records of a group, in the order of the file.
fn write_group(
    out: &mut impl Write,
    palette: Palette,
    group: &GroupKeys<'_>,
    records: &[&OtherRecordKeys<'_>],
) -> io::Result<()> {
    let rules = group.rules.iter().map(|rule| {
        let style = match rule.rule.kind() {
            RuleKind::Allow => palette.allow,
            RuleKind::Disallow => palette.disallow,
        };
        (rule.line, format!("{style}{}{style:#}", rule.rule))
    });
    let records = records.iter().map(|record| (record.line, record_text(record)));
    let mut all: Vec<_> = rules.chain(records).collect();
    all.sort_by_key(|(line, _)| *line);
    if all.is_empty() {
        return writeln!(out, "  without rules: everything is allowed");
    }
    all.iter().try_for_each(|(number, text)| writeln!(out, "{}", line(*number, text)))
}

fn write_crawler(
    out: &mut impl Write,
    crawler: &CrawlerSection<'_>,
    inspection: &Inspection<'_>,
) -> io::Result<()> {
    writeln!(out, "\nfor {}", crawler.crawler)?;
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
        writeln!(out, "  license: {}", brief(license))?;
    }
    for signal in &crawler.content_signals {
        writeln!(out, "  content-signal: {}", statement(signal))?;
    }
    for usage in &crawler.content_usage {
        writeln!(out, "  content-usage: {}", statement(usage))?;
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
        return writeln!(out, "\nno problems");
    }
    writeln!(out)?;
    for found in &diagnostics.list {
        let style = palette.severity(found.severity);
        let (file, severity, code) = (inspection.file, found.severity, found.code);
        let (line, column, message) = (found.line, found.column, &found.message);
        write!(out, "{file}:{line}:{column}: {style}{severity}{style:#}: {message}")?;
        if let Some(text) = found.text.text {
            let more = if found.is_cut { "…" } else { "" };
            write!(out, ": {}", Untrusted::new(&format!("{}{more}", brief(text))).quoted())?;
        }
        writeln!(out, " [{code}]")?;
    }
    match diagnostics.total - diagnostics.list.len() {
        0 => Ok(()),
        more => writeln!(out, "and {more} more"),
    }
}

fn names(group: &GroupKeys<'_>) -> String {
    if group.agents.is_empty() {
        return "all crawlers".to_owned();
    }
    let name = |agent: &AgentKeys<'_>| quoted(agent.value.text);
    group.agents.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn record_text(record: &OtherRecordKeys<'_>) -> String {
    let text = format!("{}: {}", brief(record.key.text), brief(record.value.text));
    let meaning = match &record.meaning {
        Some(Meaning::Invalid { error }) => error.clone(),
        Some(Meaning::Seconds { seconds }) => format!("{seconds} s"),
        Some(Meaning::Rate(rate)) => rate_words(rate),
        Some(Meaning::Window(window)) => window_words(window),
        _ => return text,
    };
    format!("{text}  ({meaning})")
}

/// A statement about the use of content, with its line.
fn statement(statement: &ContentStatementKeys<'_>) -> String {
    let (path, stated) = match &statement.meaning {
        Meaning::Signals { path, signals } => {
            let pair = |&(key, word): &(&[u8], &[u8])| format!("{}={}", brief(key), brief(word));
            (path.text, signals.text.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        Meaning::Usage { path, usage } => (path.text, usage.to_string()),
        _ => (None, String::new()),
    };
    let path = path.map(|path| format!("{} ", brief(path))).unwrap_or_default();
    format!("{path}{stated} (line {})", statement.line)
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
