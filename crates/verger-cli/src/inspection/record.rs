//! Records other than user-agent lines and rules, and their values.

use std::collections::BTreeMap;

use serde::Serialize;
use verger::extension::{Category, Extension, Record, RecordKind, RequestRate, Window};
use verger_json::Foreign;
use verger_json::limits::ANSWER_AGENTS;

use crate::robots_file::RobotsFile;

/// A record that is neither a user-agent line nor a rule.
#[derive(Debug, Serialize)]
pub(crate) struct OtherRecordKeys<'a> {
    /// The usual key in lower case, or `unknown`.
    pub(crate) kind: String,
    #[serde(flatten)]
    pub(crate) key: Foreign<&'a [u8]>,
    #[serde(flatten)]
    pub(crate) value: Foreign<&'a [u8]>,
    pub(crate) line: usize,
    column: usize,
    span: [usize; 2],
    pub(crate) scope: Scope,
    /// Index of its group in the list of groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<usize>,
    /// Values of the user-agent lines that the record is for, unless it is for the whole group.
    #[serde(flatten)]
    agents: Foreign<Option<Vec<&'a [u8]>>>,
    #[serde(flatten)]
    pub(crate) meaning: Option<Meaning<'a>>,
}

impl<'a> OtherRecordKeys<'a> {
    pub(super) fn of(record: Record<'a>, file: &RobotsFile) -> Self {
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
        let is_for_some = scope == Scope::Group && !record.is_for_whole_group();
        let agents = record.agents().take(ANSWER_AGENTS).map(|agent| agent.value());
        let agents = is_for_some.then(|| agents.collect());
        Self {
            kind,
            key: Foreign::new("key", record.key()),
            value: Foreign::new("value", record.value()),
            line: position.line,
            column: position.column,
            span: [record.span().start, record.span().end],
            scope,
            group: record.group().filter(|_| scope == Scope::Group),
            agents: Foreign::new("agents", agents),
            meaning: Meaning::of(&record),
        }
    }
}

/// The crawlers that a record is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// The crawlers of its group.
    Group,
    /// All crawlers.
    File,
    /// None: a record for a group, outside of groups.
    None,
}

/// The meaning of a value; absent if it is the text itself.
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
        usage: BTreeMap<String, &'static str>,
    },
}

impl<'a> Meaning<'a> {
    pub(super) fn of(record: &Record<'a>) -> Option<Self> {
        Some(match record.extension() {
            Err(error) => Self::Invalid { error: error.to_string() },
            Ok(Extension::CrawlDelay(delay)) => Self::Seconds { seconds: delay.as_secs_f64() },
            Ok(Extension::RequestRate(rate)) => Self::Rate(RateKeys::of(rate)),
            Ok(Extension::VisitTime(window)) => Self::Window(WindowKeys::of(window)),
            Ok(Extension::Sitemap(map) | Extension::Agentmap(map) | Extension::Schemamap(map)) => {
                Self::Url { url: map.url()? }
            }
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
                let known = Category::ALL.map(|category| category.key);
                let known = known.map(|key| (key.as_bytes(), line.usage.preference(key)));
                // Keys of a valid line are ASCII.
                let stated =
                    known.into_iter().chain(line.unknown).filter_map(|(key, preference)| {
                        Some((str::from_utf8(key).ok()?.to_owned(), preference.token()?))
                    });
                Self::Usage { path: Foreign::new("path", line.path), usage: stated.collect() }
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
    pub(super) fn of(rate: RequestRate) -> Self {
        Self {
            documents: rate.documents,
            seconds: rate.period.as_secs(),
            window: rate.window.map(WindowKeys::of),
        }
    }
}

/// Times of day in UTC, `HHMM`, both inclusive.
#[derive(Debug, Serialize)]
pub(crate) struct WindowKeys {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl WindowKeys {
    pub(super) fn of(window: Window) -> Self {
        Self { from: window.from.to_string(), to: window.to.to_string() }
    }
}
