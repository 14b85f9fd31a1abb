//! What a robots.txt says, as JSON: the contract of `docs/json.md`.
//!
//! The fields stand in the order in which they are written. Foreign text is as in `foreign.rs`.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use verger::diagnostic::{Diagnostic, DiagnosticKind, Diagnostics, Severity, Sink as _};
use verger::extension::{Extension, Record, RecordKind, RequestRate, Window};
use verger::parse::Encoding;
use verger::{Agent, Group, Span};

use crate::answer::RuleKeys;
use crate::asker::{Asker, AskerKeys};
use crate::foreign::Foreign;
use crate::limits::DIAGNOSED_BYTES;
use crate::robots_file::RobotsFile;

/// Everything a file says, and what is to be noticed about it.
#[derive(Debug, Serialize)]
pub(crate) struct Inspection<'a> {
    pub(crate) file: &'a str,
    pub(crate) dialect: &'static str,
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
    #[serde(serialize_with = "encoding")]
    pub(crate) encoding: Encoding,
    pub(crate) truncated: bool,
    #[serde(skip)]
    pub(crate) counts_as_none: bool,
    pub(crate) groups: Vec<GroupKeys<'a>>,
    /// Rules in no group, which everybody ignores.
    pub(crate) orphans: Vec<OrphanKeys<'a>>,
    pub(crate) records: Vec<RecordKeys<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) crawler: Option<CrawlerKeys<'a>>,
    pub(crate) diagnostics: DiagnosticsKeys<'a>,
}

impl<'a> Inspection<'a> {
    pub(crate) fn of(file: &'a RobotsFile, asker: Option<&'a Asker>) -> Self {
        let robots = file.robots();
        let mut found = Diagnostics::default();
        let mut orphans = Vec::new();
        robots.diagnose(&mut |diagnostic: Diagnostic| {
            // However many there are, beyond the limit of the list too.
            if diagnostic.kind == DiagnosticKind::RuleOutsideGroup {
                orphans.push(OrphanKeys::of(diagnostic.span, file));
            }
            found.report(diagnostic);
        });
        Self {
            file: file.name(),
            dialect: robots.dialect().name,
            bytes: robots.text().len(),
            lines: file.line_count(),
            encoding: robots.encoding(),
            truncated: robots.is_truncated(),
            counts_as_none: file.counts_as_none(),
            groups: robots.groups().map(|group| GroupKeys::of(group, file)).collect(),
            orphans,
            records: robots.records().map(|record| RecordKeys::of(record, file)).collect(),
            crawler: asker.map(|asker| CrawlerKeys::of(asker, file)),
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
            line: file.group_line(group),
            agents: group.agents().map(|agent| AgentKeys::of(agent, file)).collect(),
            rules: group.rules().map(|rule| RuleKeys::of(rule, file)).collect(),
        }
    }
}

/// A rule that stands in no group.
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
    /// What is compared with a crawler's tokens.
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

/// A record that is neither a user-agent line nor a rule.
#[derive(Debug, Serialize)]
pub(crate) struct RecordKeys<'a> {
    /// The usual key in lower case, or `unknown`.
    pub(crate) kind: String,
    #[serde(flatten)]
    pub(crate) key: Foreign<&'a [u8]>,
    #[serde(flatten)]
    pub(crate) value: Foreign<&'a [u8]>,
    pub(crate) line: usize,
    column: usize,
    span: [usize; 2],
    /// Whom it is for.
    pub(crate) scope: Scope,
    /// The place of its group in `groups`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<usize>,
    #[serde(flatten)]
    pub(crate) meaning: Option<Meaning<'a>>,
}

impl<'a> RecordKeys<'a> {
    fn of(record: Record<'a>, file: &RobotsFile) -> Self {
        let position = file.position(record.span().start);
        let is_early_license = record.kind() == RecordKind::License && record.is_before_agents();
        let scope = match record.group() {
            _ if record.kind().is_for_file() || is_early_license => Scope::File,
            Some(_) => Scope::Group,
            None => Scope::None,
        };
        let kind = match record.kind() {
            RecordKind::Unknown => "unknown".to_owned(),
            kind => kind.key().to_ascii_lowercase(),
        };
        Self {
            kind,
            key: Foreign::new("key", record.key()),
            value: Foreign::new("value", record.value()),
            line: position.line,
            column: position.column,
            span: [record.span().start, record.span().end],
            scope,
            group: record.group().filter(|_| scope == Scope::Group),
            meaning: Meaning::of(&record),
        }
    }
}

/// Whom a record is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// The crawlers of its group.
    Group,
    /// Everybody.
    File,
    /// Nobody: it is for a group and stands in none.
    None,
}

/// What a value says; absent where it says no more than its text.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Meaning<'a> {
    Invalid {
        error: String,
    },
    Seconds {
        seconds: f64,
    },
    Rate(RateKeys),
    Window(WindowKeys),
    Url {
        url: &'a str,
    },
    CleanParam {
        #[serde(flatten)]
        parameters: Foreign<Vec<&'a [u8]>>,
        #[serde(flatten)]
        path: Foreign<Option<&'a [u8]>>,
    },
    Signals {
        #[serde(flatten)]
        path: Foreign<Option<&'a [u8]>>,
        #[serde(flatten)]
        signals: Foreign<Vec<(&'a [u8], &'a [u8])>>,
    },
    Usage {
        #[serde(flatten)]
        path: Foreign<Option<&'a [u8]>>,
        usage: BTreeMap<&'static str, &'static str>,
    },
}

impl<'a> Meaning<'a> {
    fn of(record: &Record<'a>) -> Option<Self> {
        Some(match record.extension() {
            Err(error) => Self::Invalid { error: error.to_string() },
            Ok(Extension::CrawlDelay(delay)) => Self::Seconds { seconds: delay.as_secs_f64() },
            Ok(Extension::RequestRate(rate)) => Self::Rate(RateKeys::of(rate)),
            Ok(Extension::VisitTime(window)) => Self::Window(WindowKeys::of(window)),
            Ok(Extension::Sitemap(sitemap)) => Self::Url { url: sitemap.url()? },
            Ok(Extension::License(license)) => Self::Url { url: license.uri },
            Ok(Extension::CleanParam(clean)) => Self::CleanParam {
                parameters: Foreign::new("parameters", clean.parameters),
                path: Foreign::new("path", Some(clean.path).filter(|path| !path.is_empty())),
            },
            Ok(Extension::ContentSignal(line)) => Self::Signals {
                path: Foreign::new("path", line.path),
                signals: Foreign::new("signals", line.entries),
            },
            Ok(Extension::ContentUsage(line)) => {
                let stated = [("train-ai", line.usage.train_ai), ("search", line.usage.search)];
                Self::Usage {
                    path: Foreign::new("path", line.path),
                    usage: stated
                        .into_iter()
                        .filter_map(|(key, preference)| Some((key, preference.token()?)))
                        .collect(),
                }
            }
            Ok(_) => return None,
        })
    }
}

/// A request rate.
#[derive(Debug, Serialize)]
pub(crate) struct RateKeys {
    pub(crate) documents: u32,
    pub(crate) seconds: u64,
    #[serde(flatten)]
    pub(crate) window: Option<WindowKeys>,
}

impl RateKeys {
    fn of(rate: RequestRate) -> Self {
        Self {
            documents: rate.documents,
            seconds: rate.period.as_secs(),
            window: rate.window.map(WindowKeys::of),
        }
    }
}

/// Times of the day, in UTC, `HHMM`, both ends included.
#[derive(Debug, Serialize)]
pub(crate) struct WindowKeys {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl WindowKeys {
    fn of(window: Window) -> Self {
        Self { from: window.from.to_string(), to: window.to.to_string() }
    }
}

/// What the file gives to one crawler.
#[derive(Debug, Serialize)]
pub(crate) struct CrawlerKeys<'a> {
    #[serde(flatten)]
    pub(crate) asker: AskerKeys<'a>,
    /// Places in `groups`.
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
    pub(crate) content_signals: Vec<StatementKeys<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) content_usage: Vec<StatementKeys<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) ignores_robots: bool,
}

/// What one valid line states about the use of content.
#[derive(Debug, Serialize)]
pub(crate) struct StatementKeys<'a> {
    pub(crate) line: usize,
    #[serde(flatten)]
    pub(crate) meaning: Meaning<'a>,
}

impl<'a> CrawlerKeys<'a> {
    fn of(asker: &'a Asker, file: &'a RobotsFile) -> Self {
        let (robots, crawler) = (file.robots(), asker.crawler());
        Self {
            asker: asker.keys(),
            groups: robots.groups_for(crawler).map(|group| group.index()).collect(),
            crawl_delay: robots.crawl_delay(crawler).map(|delay| delay.as_secs_f64()),
            request_rates: robots.request_rates(crawler).into_iter().map(RateKeys::of).collect(),
            visit_times: robots.visit_times(crawler).into_iter().map(WindowKeys::of).collect(),
            licenses: robots.licenses(crawler).into_iter().map(|license| license.uri).collect(),
            content_signals: Self::statements(RecordKind::ContentSignal, asker, file),
            content_usage: Self::statements(RecordKind::ContentUsage, asker, file),
            ignores_robots: crawler.ignores_robots(),
        }
    }

    /// The statements of the crawler's groups, in file order.
    fn statements(
        kind: RecordKind,
        asker: &'a Asker,
        file: &'a RobotsFile,
    ) -> Vec<StatementKeys<'a>> {
        let records = file.robots().records_for(asker.crawler());
        let records = records.filter(|record| record.kind() == kind && record.extension().is_ok());
        let statement = |record: Record<'a>| {
            let line = file.position(record.span().start).line;
            Some(StatementKeys { line, meaning: Meaning::of(&record)? })
        };
        records.filter_map(statement).collect()
    }
}

/// What there is to notice, up to the engine's limit, and how much there is in all.
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticsKeys<'a> {
    pub(crate) total: usize,
    pub(crate) list: Vec<DiagnosticKeys<'a>>,
}

/// One thing noticed.
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticKeys<'a> {
    pub(crate) code: &'static str,
    #[serde(serialize_with = "severity")]
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    span: [usize; 2],
    /// What it is about, as far as it is shown.
    #[serde(flatten)]
    pub(crate) text: Foreign<Option<&'a [u8]>>,
    /// Whether the span has more of it.
    #[serde(skip)]
    pub(crate) is_cut: bool,
}

impl<'a> DiagnosticKeys<'a> {
    fn of(found: &Diagnostic, file: &'a RobotsFile) -> Self {
        let position = file.position(found.span.start);
        let whole = &file.robots().text()[found.span.range()];
        let text = Some(beginning(whole)).filter(|text| !text.is_empty());
        let message = match found.kind {
            // The one sentence for it, which knows the limit.
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

/// The name of an encoding.
pub(crate) const fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Utf16Le => "utf-16le",
        Encoding::Utf16Be => "utf-16be",
        Encoding::Utf32 => "utf-32",
        _ => "utf-8",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn encoding<S: Serializer>(encoding: &Encoding, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(encoding_name(*encoding))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn severity<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

/// As much of a text as is shown beside a diagnostic; no character is cut.
fn beginning(text: &[u8]) -> &[u8] {
    let Some(short) = text.get(..DIAGNOSED_BYTES) else {
        return text;
    };
    let is_inside = |byte: &u8| (0x80..0xC0).contains(byte);
    match text.get(DIAGNOSED_BYTES) {
        Some(next) if is_inside(next) => {
            let tail = short.iter().rev().take(3).take_while(|byte| is_inside(byte)).count();
            &short[..DIAGNOSED_BYTES - tail - 1]
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
        // Not every dialect takes such bytes into a name.
        assert!(ever.contains("name"), "{ever:?}");
    }

    /// The keys whose strings have lost bytes, each of which must have a twin.
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
