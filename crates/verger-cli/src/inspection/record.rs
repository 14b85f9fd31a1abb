//! Records other than user-agent lines and rules, and their values.

use std::collections::BTreeMap;

use serde::Serialize;
use verger::extension::{
    Extension, Preference, Record, RecordKind, RequestRate, Signals, Usage, Window,
};
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
        /// Keys as written that state nothing.
        #[serde(flatten)]
        without_effect: Foreign<Option<Vec<&'a [u8]>>>,
    },
    Usage {
        #[serde(flatten)]
        path: Foreign<Option<&'a [u8]>>,
        #[serde(flatten)]
        usage: UsageKeys,
    },
}

impl<'a> Meaning<'a> {
    pub(super) fn of(record: &Record<'a>) -> Option<Self> {
        Some(match record.extension() {
            Err(error) => Self::Invalid { error: error.to_string() },
            Ok(Extension::CrawlDelay(delay)) => Self::Seconds { seconds: delay.as_secs_f64() },
            Ok(Extension::RequestRate(rate) | Extension::MaxCrawlRate(rate)) => {
                Self::Rate(RateKeys::of(rate))
            }
            Ok(Extension::VisitTime(window)) => Self::Window(WindowKeys::of(window)),
            Ok(Extension::Sitemap(map) | Extension::Agentmap(map) | Extension::Schemamap(map)) => {
                Self::Url { url: map.url()? }
            }
            Ok(Extension::License(license)) => Self::Url { url: license.uri },
            Ok(Extension::SignatureAgent(agent)) => Self::Url { url: agent.origin },
            Ok(Extension::CleanParam(clean)) => Self::CleanParam {
                parameters: Foreign::new("parameters", clean.parameters),
                path: Foreign::new("path", Some(clean.path).filter(|path| !path.is_empty())),
            },
            Ok(Extension::ContentSignal(line)) => {
                let states_nothing = |(key, word): &(&[u8], &[u8])| {
                    let parsed = Signals::parse(&[key, &b"="[..], word].concat());
                    parsed.is_ok_and(|signals| signals.stated().next().is_none())
                };
                let without_effect = line.entries.iter().filter(|it| states_nothing(it));
                let without_effect: Vec<_> = without_effect.map(|(key, _)| *key).collect();
                let without_effect = Some(without_effect).filter(|keys| !keys.is_empty());
                Self::Signals {
                    path: Foreign::new("path", line.path),
                    without_effect: Foreign::new("without_effect", without_effect),
                    signals: Foreign::new("signals", line.entries),
                }
            }
            Ok(Extension::ContentUsage(line)) => {
                // Keys of a valid line are ASCII.
                let unknown = line.unknown.into_iter();
                let unknown = unknown.filter_map(|(key, it)| Some((str::from_utf8(key).ok()?, it)));
                let usage = UsageKeys::of(line.usage, unknown);
                Self::Usage { path: Foreign::new("path", line.path), usage }
            }
            Ok(_) => return None,
        })
    }
}

/// Preferences for the use of content.
#[derive(Debug, Serialize)]
pub(crate) struct UsageKeys {
    #[serde(rename = "usage")]
    stated: BTreeMap<String, &'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overridden_by_search: Vec<&'static str>,
    /// Keys outside of the vocabulary.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without_effect: Vec<String>,
}

impl UsageKeys {
    /// `unknown` has keys outside of the vocabulary.
    pub(crate) fn of<'k>(
        usage: Usage,
        unknown: impl Iterator<Item = (&'k str, Preference)>,
    ) -> Self {
        let mut stated: BTreeMap<_, _> =
            usage.stated().map(|(key, token)| (key.to_owned(), token)).collect();
        let mut without_effect = Vec::new();
        for (key, preference) in unknown {
            stated.extend(preference.token().map(|token| (key.to_owned(), token)));
            without_effect.push(key.to_owned());
        }
        Self {
            stated,
            overridden_by_search: usage.overridden_by_search().collect(),
            without_effect,
        }
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
