//! Known crawlers as the JSON of `verger crawlers`. `verger.crawlers` gives them a form.

use pyo3::prelude::*;
use verger_json::known_crawler::KnownCrawlerKeys;
use verger_registry::{Crawler, Registry};

use crate::text::value_error;

/// All known crawlers.
#[pyfunction]
pub(crate) fn known_crawlers() -> PyResult<Vec<String>> {
    Registry::bundled().crawlers().iter().map(json).collect()
}

/// The crawler with a token or alias.
#[pyfunction]
pub(crate) fn find_crawler(name: &str) -> PyResult<Option<String>> {
    Registry::bundled().find(name).map(json).transpose()
}

/// The crawlers whose tokens a User-Agent header contains.
#[pyfunction]
pub(crate) fn identify_crawlers(user_agent: &str) -> PyResult<Vec<String>> {
    Registry::bundled().identify(user_agent).map(json).collect()
}

/// The day on which the data was last compared with its sources.
#[pyfunction]
pub(crate) fn crawlers_date() -> String {
    Registry::bundled().date().to_string()
}

/// The identity of the client of a request, both as JSON.
#[cfg(feature = "client")]
#[pyfunction]
pub(crate) fn identify(request: &str, now: u64) -> PyResult<String> {
    use std::sync::LazyLock;
    use verger_identity::{Identifier, Request};

    static IDENTIFIER: LazyLock<Identifier> = LazyLock::new(Identifier::default);
    let request = Request::of_log_line(request.as_bytes()).map_err(value_error)?;
    let identity = IDENTIFIER.identify(&request, verger::access::Timestamp::from_seconds(now));
    serde_json::to_string(&identity).map_err(value_error)
}

fn json(known: &Crawler) -> PyResult<String> {
    serde_json::to_string(&KnownCrawlerKeys::of(known)).map_err(value_error)
}
