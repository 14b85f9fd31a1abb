//! Known crawlers. `verger.crawlers` gives them a form.

use pyo3::prelude::*;
use verger_registry::{Field, Registry, Source};

use crate::crawler::Crawler;

#[derive(IntoPyObject)]
pub(crate) struct KnownCrawler {
    token: String,
    aliases: Vec<String>,
    user_agents: Vec<String>,
    operator: Option<String>,
    purpose: &'static str,
    obeys_robots_txt: Option<bool>,
    crawler: Crawler,
    has_documented_tokens: bool,
    reverse_dns: Vec<String>,
    ip_ranges: Vec<String>,
    signature_agent: Option<String>,
    retired: Option<String>,
    documentation: Option<String>,
    note: Option<String>,
    sources: Vec<(String, String, String)>,
    unconfirmed: Vec<String>,
}

/// All known crawlers.
#[pyfunction]
pub(crate) fn known_crawlers() -> Vec<KnownCrawler> {
    Registry::bundled().crawlers().iter().map(KnownCrawler::of).collect()
}

/// The crawler with a token or alias.
#[pyfunction]
pub(crate) fn find_crawler(name: &str) -> Option<KnownCrawler> {
    Registry::bundled().find(name).map(KnownCrawler::of)
}

/// The crawlers whose tokens a User-Agent header contains.
#[pyfunction]
pub(crate) fn identify_crawlers(user_agent: &str) -> Vec<KnownCrawler> {
    Registry::bundled().identify(user_agent).map(KnownCrawler::of).collect()
}

/// The day on which the data was last compared with its sources.
#[pyfunction]
pub(crate) fn crawlers_date() -> String {
    Registry::bundled().date().to_string()
}

impl KnownCrawler {
    fn of(known: &verger_registry::Crawler) -> Self {
        let source = |name: &str, source: &Source| {
            (name.to_owned(), source.url().to_owned(), source.date().to_string())
        };
        let own = Field::ALL.iter().filter_map(|field| {
            let found = known.source_of(*field)?;
            (found != known.source()).then(|| source(field.name(), found))
        });
        let sources = std::iter::once(source("", known.source())).chain(own).collect();
        let unconfirmed = Field::ALL.iter().filter(|field| known.is_unconfirmed(**field));
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Self {
            token: known.token().to_owned(),
            aliases: known.aliases().to_vec(),
            user_agents: known.user_agents().to_vec(),
            operator: owned(known.operator()),
            purpose: known.purpose().name(),
            obeys_robots_txt: match known.robots_policy() {
                verger_registry::RobotsPolicy::Obeys => Some(true),
                verger_registry::RobotsPolicy::Ignores => Some(false),
                _ => None,
            },
            crawler: Crawler(known.rules().clone()),
            has_documented_tokens: known.has_documented_tokens(),
            reverse_dns: known.reverse_dns().to_vec(),
            ip_ranges: known.ip_ranges().to_vec(),
            signature_agent: owned(known.signature_agent()),
            retired: known.retired().map(|date| date.to_string()),
            documentation: owned(known.documentation()),
            note: owned(known.note()),
            sources,
            unconfirmed: unconfirmed.map(|field| field.name().to_owned()).collect(),
        }
    }
}
