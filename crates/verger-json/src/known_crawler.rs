//! Known crawlers (feature `registry`): the JSON of `verger crawlers`.

use std::collections::BTreeMap;

use serde::Serialize;
use verger_registry::{Crawler, FactSource, Field};

/// A known crawler.
///
/// # Examples
///
/// ```
/// use verger_json::known_crawler::KnownCrawlerKeys;
/// use verger_registry::Registry;
///
/// let crawler = Registry::bundled().find("GPTBot").expect("a known crawler");
/// let json = serde_json::to_string(&KnownCrawlerKeys::of(crawler))?;
/// assert!(json.starts_with(r#"{"token":"GPTBot","aliases":[],"user_agents":["GPTBot"],"operator":"OpenAI","#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = KnownCrawler))]
pub struct KnownCrawlerKeys<'a> {
    token: &'a str,
    aliases: &'a [String],
    user_agents: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    operator: Option<&'a str>,
    purpose: &'static str,
    robots: &'static str,
    tokens: &'a [String],
    star: bool,
    documented: bool,
    access_profile: &'static str,
    /// Whether the data has only name, operator, purpose, page and end.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    name_only: bool,
    reverse_dns: &'a [String],
    ip_ranges: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    signature_agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retired: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    unconfirmed: Vec<String>,
    source: SourceKeys<'a>,
    /// Sources of the known fields, by the name of the key.
    sources: BTreeMap<String, SourceKeys<'a>>,
}

/// The source of a row or of a field.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = KnownCrawlerSource))]
struct SourceKeys<'a> {
    url: &'a str,
    date: String,
    dated: bool,
    read: String,
}

impl<'a> KnownCrawlerKeys<'a> {
    /// The keys of a crawler.
    pub fn of(crawler: &'a Crawler) -> Self {
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
            access_profile: crawler.access_profile().name,
            name_only: crawler.is_name_only(),
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
    fn of(source: &'a FactSource) -> Self {
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
