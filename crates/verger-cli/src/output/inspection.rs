//! An inspection as text: groups, other records, the crawler's values, diagnostics.

use std::collections::BTreeMap;
use std::io::{self, Write};

use verger::{RuleKind, Untrusted, quoted};

use crate::console::Palette;
use crate::inspection::{
    AgentKeys, ContentStatementKeys, CrawlerSection, GroupKeys, Inspection, Meaning,
    OtherRecordKeys, RateKeys, Scope, WindowKeys,
};
use crate::sentence::{brief, counted};
use crate::uses::Uses;

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
    write_statements(out, "content-signal", &crawler.content_signals)?;
    write_statements(out, "content-usage", &crawler.content_usage)
}

fn write_diagnostics(
    out: &mut impl Write,
    palette: Palette,
    inspection: &Inspection<'_>,
) -> io::Result<()> {
    let diagnostics = &inspection.diagnostics;
    if diagnostics.total == 0 {
        return writeln!(out, "\nno syntax errors");
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

/// Writes statements about the use of content with their lines, and for each path with several
/// statements what they state together.
fn write_statements(
    out: &mut impl Write,
    name: &str,
    statements: &[ContentStatementKeys<'_>],
) -> io::Result<()> {
    let mut by_path = BTreeMap::<_, Vec<_>>::new();
    for ContentStatementKeys { line, record, .. } in statements {
        let Some((path, uses)) = record.extension().ok().as_ref().and_then(Uses::of_line) else {
            continue;
        };
        let words = uses.words_with_reasons(record.value());
        writeln!(out, "  {name}: {}{words} (line {line})", before_uses(path))?;
        by_path.entry(path).or_default().push((*line, uses));
    }
    for (path, all) in by_path.into_iter().filter(|(_, all)| all.len() > 1) {
        let lines: Vec<_> = all.iter().map(|(line, _)| line.to_string()).collect();
        let uses = all.into_iter().map(|(_, uses)| uses).reduce(Uses::and);
        if let Some(uses) = uses.filter(|uses| !uses.stated().is_empty()) {
            let (path, words, lines) = (before_uses(path), uses.words(), lines.join(", "));
            writeln!(out, "  {name}, combined: {path}{words} (lines {lines})")?;
        }
    }
    Ok(())
}

fn before_uses(path: Option<&[u8]>) -> String {
    path.map(|path| format!("{} ", brief(path))).unwrap_or_default()
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
