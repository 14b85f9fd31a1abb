//! The inspection of a robots.txt, as in the JSON contract (`docs/json.md`).
//!
//! Fields are written in the order of their declaration.

mod record;

use serde::{Serialize, Serializer};
use verger::diagnostic::{Diagnostic, DiagnosticKind, Severity};
use verger::extension::{Record, RecordKind};
use verger::parse::Encoding;
use verger::{Agent, Group, Span};
use verger_json::{CrawlerKeys, Foreign, NamedCrawler, RuleKeys};

pub(crate) use self::record::{Meaning, OtherRecordKeys, RateKeys, Scope, UsageKeys, WindowKeys};
use crate::limits::DIAGNOSTIC_BYTES;
use crate::robots_file::RobotsFile;

/// The contents of a robots.txt, and diagnostics.
#[derive(Debug, Serialize)]
pub(crate) struct Inspection<'a> {
    pub(crate) file: &'a str,
    pub(crate) dialect: &'static str,
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
    pub(crate) encoding: &'static str,
    pub(crate) truncated: bool,
    #[serde(skip)]
    pub(crate) counts_as_none: bool,
    pub(crate) groups: Vec<GroupKeys<'a>>,
    /// Rules outside of groups, which have no effect.
    pub(crate) orphans: Vec<OrphanKeys<'a>>,
    pub(crate) records: Vec<OtherRecordKeys<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) crawler: Option<CrawlerSection<'a>>,
    pub(crate) diagnostics: DiagnosticsKeys<'a>,
}

impl<'a> Inspection<'a> {
    pub(crate) fn of(file: &'a RobotsFile, crawler: Option<&'a NamedCrawler>) -> Self {
        let robots = file.robots();
        let found = robots.diagnostics();
        let mut orphans = Vec::new();
        robots.diagnose(|diagnostic| {
            // All of them: the list of diagnostics has a limit.
            if diagnostic.kind == DiagnosticKind::RuleOutsideGroup {
                orphans.push(OrphanKeys::of(diagnostic.span, file));
            }
        });
        Self {
            file: file.name(),
            dialect: robots.dialect().name,
            bytes: robots.text().len(),
            lines: file.line_count(),
            encoding: encoding_name(robots.encoding()),
            truncated: robots.is_truncated(),
            counts_as_none: file.counts_as_none(),
            groups: robots.groups().map(|group| GroupKeys::of(group, file)).collect(),
            orphans,
            records: robots.records().map(|record| OtherRecordKeys::of(record, file)).collect(),
            crawler: crawler.map(|crawler| CrawlerSection::of(crawler, file)),
            diagnostics: DiagnosticsKeys {
                total: found.total,
                list: found.list.iter().map(|found| DiagnosticKeys::of(found, file)).collect(),
            },
        }
    }
}

/// A group and its rules.
#[derive(Debug, Serialize)]
pub(crate) struct GroupKeys<'a> {
    pub(crate) line: usize,
    pub(crate) agents: Vec<AgentKeys<'a>>,
    pub(crate) rules: Vec<RuleKeys<'a>>,
}

impl<'a> GroupKeys<'a> {
    fn of(group: Group<'a>, file: &RobotsFile) -> Self {
        Self {
            line: group.position().line,
            agents: group.agents().map(|agent| AgentKeys::of(agent, file)).collect(),
            rules: group.rules().map(RuleKeys::of).collect(),
        }
    }
}

/// A rule outside of groups.
#[derive(Debug, Serialize)]
pub(crate) struct OrphanKeys<'a> {
    /// The line without white space around it.
    #[serde(flatten)]
    pub(crate) text: Foreign<&'a [u8]>,
    pub(crate) line: usize,
    column: usize,
    span: [usize; 2],
}

impl<'a> OrphanKeys<'a> {
    fn of(span: Span, file: &'a RobotsFile) -> Self {
        let position = file.position(span.start);
        let text = &file.robots().text()[span.range()];
        Self {
            text: Foreign::new("text", text),
            line: position.line,
            column: position.column,
            span: [span.start, span.end],
        }
    }
}

/// A name on a user-agent line.
#[derive(Debug, Serialize)]
pub(crate) struct AgentKeys<'a> {
    /// The text that is compared with a crawler's tokens.
    #[serde(flatten)]
    pub(crate) name: Foreign<&'a [u8]>,
    #[serde(flatten)]
    pub(crate) value: Foreign<&'a [u8]>,
    line: usize,
    column: usize,
}

impl<'a> AgentKeys<'a> {
    fn of(agent: Agent<'a>, file: &RobotsFile) -> Self {
        let position = file.position(agent.span().start);
        Self {
            name: Foreign::new("name", agent.name()),
            value: Foreign::new("value", agent.value()),
            line: position.line,
            column: position.column,
        }
    }
}

/// The name of an encoding.
const fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Utf16Le => "utf-16le",
        Encoding::Utf16Be => "utf-16be",
        Encoding::Utf32 => "utf-32",
        _ => "utf-8",
    }
}

/// The groups and values of a file for one crawler.
#[derive(Debug, Serialize)]
pub(crate) struct CrawlerSection<'a> {
    #[serde(flatten)]
    pub(crate) crawler: CrawlerKeys<'a>,
    /// Indices in the list of groups.
    pub(crate) groups: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) crawl_delay: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) request_rates: Vec<RateKeys>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) visit_times: Vec<WindowKeys>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) licenses: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) content_signals: Vec<ContentStatementKeys<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) content_usage: Vec<ContentStatementKeys<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) ignores_robots: bool,
}

/// A valid line about the use of content.
#[derive(Debug, Serialize)]
pub(crate) struct ContentStatementKeys<'a> {
    pub(crate) line: usize,
    #[serde(flatten)]
    meaning: Meaning<'a>,
    #[serde(skip)]
    pub(crate) record: Record<'a>,
}

impl<'a> CrawlerSection<'a> {
    fn of(named: &'a NamedCrawler, file: &'a RobotsFile) -> Self {
        let (robots, crawler) = (file.robots(), named.crawler());
        Self {
            crawler: named.keys(),
            groups: robots.groups_for(crawler).map(|group| group.index()).collect(),
            crawl_delay: robots.crawl_delay(crawler).map(|delay| delay.as_secs_f64()),
            request_rates: robots.request_rates(crawler).into_iter().map(RateKeys::of).collect(),
            visit_times: robots.visit_times(crawler).into_iter().map(WindowKeys::of).collect(),
            licenses: robots.licenses(crawler).into_iter().map(|license| license.uri).collect(),
            content_signals: Self::statements(RecordKind::ContentSignal, named, file),
            content_usage: Self::statements(RecordKind::ContentUsage, named, file),
            ignores_robots: crawler.ignores_robots(),
        }
    }

    /// The statements of the crawler's groups, in file order.
    fn statements(
        kind: RecordKind,
        crawler: &'a NamedCrawler,
        file: &'a RobotsFile,
    ) -> Vec<ContentStatementKeys<'a>> {
        let records = file.robots().records_for(crawler.crawler());
        let records = records.filter(|record| record.kind() == kind && record.extension().is_ok());
        let statement = |record: Record<'a>| {
            let line = file.position(record.span().start).line;
            Some(ContentStatementKeys { line, meaning: Meaning::of(&record)?, record })
        };
        records.filter_map(statement).collect()
    }
}

/// Diagnostics, up to the limit of the engine, and their total number.
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticsKeys<'a> {
    pub(crate) total: usize,
    pub(crate) list: Vec<DiagnosticKeys<'a>>,
}

/// A diagnostic with its position.
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticKeys<'a> {
    pub(crate) code: &'static str,
    #[serde(serialize_with = "severity")]
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    span: [usize; 2],
    /// Beginning of the text.
    #[serde(flatten)]
    pub(crate) text: Foreign<Option<&'a [u8]>>,
    /// Whether the text is longer.
    #[serde(skip)]
    pub(crate) is_cut: bool,
}

impl<'a> DiagnosticKeys<'a> {
    fn of(found: &Diagnostic, file: &'a RobotsFile) -> Self {
        let position = file.position(found.span.start);
        let whole = &file.robots().text()[found.span.range()];
        let text = Some(beginning(whole)).filter(|text| !text.is_empty());
        let message = match found.kind {
            // This sentence contains the limit.
            DiagnosticKind::Truncated | DiagnosticKind::CountsAsNone => file.truncation(),
            _ => None,
        };
        Self {
            code: found.code(),
            severity: found.severity(),
            message: message.unwrap_or_else(|| found.to_string()),
            line: position.line,
            column: position.column,
            span: [found.span.start, found.span.end],
            text: Foreign::new("text", text),
            is_cut: text.is_some_and(|text| text.len() < whole.len()),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn severity<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

/// The beginning of a text that is shown with a diagnostic. It ends between characters.
fn beginning(text: &[u8]) -> &[u8] {
    let Some(short) = text.get(..DIAGNOSTIC_BYTES) else {
        return text;
    };
    let is_inside = |byte: &u8| (0x80..0xC0).contains(byte);
    match text.get(DIAGNOSTIC_BYTES) {
        Some(next) if is_inside(next) => {
            let tail = short.iter().rev().take(3).take_while(|byte| is_inside(byte)).count();
            &short[..DIAGNOSTIC_BYTES - tail - 1]
        }
        _ => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use verger::Dialect;

    #[test]
    fn every_foreign_string_keeps_its_bytes() {
        let robots = b"User-agent: \xff\nH\xffst: \xff\nClean-param: \xff&b /\xff\n\
                       Content-Signal: /\xff \xff=\xff\nContent-Usage: /\xff search=y\n\
                       Disallow: /\xff\nSitemap: \xff\n";
        let mut ever = BTreeSet::new();
        for dialect in Dialect::PUBLISHED {
            let file = RobotsFile::parse("x".into(), robots, &dialect);
            let json = serde_json::to_value(Inspection::of(&file, None)).unwrap();
            let mut keys = BTreeSet::new();
            lost(&json, &mut keys);
            let all = ["key", "parameters", "path", "pattern", "signals", "text", "value"];
            assert!(all.iter().all(|key| keys.contains(*key)), "{dialect}: {keys:?}");
            ever.append(&mut keys);
        }
        // Not every dialect permits such bytes in a name.
        assert!(ever.contains("name"), "{ever:?}");
    }

    /// Collects the keys of strings that lost bytes, and checks that each has a twin in base64.
    fn lost(json: &Value, keys: &mut BTreeSet<String>) {
        match json {
            Value::Array(list) => list.iter().for_each(|value| lost(value, keys)),
            Value::Object(map) => {
                for (key, value) in map {
                    let is_foreign = !value.to_string().contains('{') && key != "message";
                    if is_foreign && value.to_string().contains('\u{fffd}') {
                        assert!(map.contains_key(&format!("{key}_b64")), "{key}: {map:?}");
                        keys.insert(key.clone());
                    }
                    lost(value, keys);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn the_beginning_of_a_text_ends_between_characters() {
        let shown = |before: usize| {
            let text = format!("{}日本", "a".repeat(before));
            beginning(text.as_bytes()).len()
        };
        assert_eq!([90, 96, 97, 98, 99, 100].map(shown), [96, 99, 100, 98, 99, 100]);
        assert_eq!(beginning(&[0x80; 200]).len(), 96);
    }
}
