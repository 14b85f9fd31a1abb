//! Known crawlers, as in the JSON contract (`docs/json.md`).

use std::collections::BTreeMap;

use serde::Serialize;
use verger_registry::{Crawler, Field, Source};

/// A known crawler.
#[derive(Debug, Serialize)]
pub(crate) struct CrawlerReport<'a> {
    pub(crate) token: &'a str,
    pub(crate) aliases: &'a [String],
    pub(crate) user_agents: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operator: Option<&'a str>,
    pub(crate) purpose: &'static str,
    pub(crate) robots: &'static str,
    pub(crate) tokens: &'a [String],
    pub(crate) star: bool,
    pub(crate) documented: bool,
    pub(crate) reverse_dns: &'a [String],
    pub(crate) ip_ranges: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signature_agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retired: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) documentation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<&'a str>,
    pub(crate) unconfirmed: Vec<String>,
    pub(crate) source: SourceKeys<'a>,
    /// Sources of the known fields, by the name of the key.
    pub(crate) sources: BTreeMap<String, SourceKeys<'a>>,
}

/// The source of a row or of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SourceKeys<'a> {
    pub(crate) url: &'a str,
    pub(crate) date: String,
    pub(crate) dated: bool,
    pub(crate) read: String,
}

impl<'a> CrawlerReport<'a> {
    pub(crate) fn of(crawler: &'a Crawler) -> Self {
        let sources = Field::ALL
            .iter()
            .copied()
            .filter_map(|field| Some((key(field), SourceKeys::of(crawler.source_of(field)?))));
        let unconfirmed = Field::ALL.iter().copied().filter(|field| crawler.is_unconfirmed(*field));
        Self {
            token: crawler.token(),
            aliases: crawler.aliases(),
            user_agents: crawler.user_agents(),
            operator: crawler.operator(),
            purpose: crawler.purpose().name(),
            robots: crawler.robots_policy().name(),
            tokens: crawler.tokens(),
            star: crawler.falls_back_to_star(),
            documented: crawler.has_documented_tokens(),
            reverse_dns: crawler.reverse_dns(),
            ip_ranges: crawler.ip_ranges(),
            signature_agent: crawler.signature_agent(),
            retired: crawler.retired().map(|date| date.to_string()),
            documentation: crawler.documentation(),
            note: crawler.note(),
            unconfirmed: unconfirmed.map(key).collect(),
            source: SourceKeys::of(crawler.source()),
            sources: sources.collect(),
        }
    }
}

impl<'a> SourceKeys<'a> {
    fn of(source: &'a Source) -> Self {
        Self {
            url: source.url(),
            date: source.date().to_string(),
            dated: source.is_dated(),
            read: source.read().to_string(),
        }
    }
}

/// The key of a field in a report.
fn key(field: Field) -> String {
    match field {
        Field::Chain => "tokens".to_owned(),
        _ => field.name().replace('-', "_"),
    }
}
