//! Known keys and values, for explanations and completion.

use verger::extension::{Category, RecordKind};

/// The keys of groups and rules, with their meaning.
pub(crate) const KEYS: [(&str, &str); 3] = [
    ("User-agent", "Begins a group: the crawlers to which the rules below apply."),
    ("Disallow", "URLs that the crawlers of the group may not fetch."),
    ("Allow", "URLs that they may fetch although a shorter rule disallows them."),
];

/// The meaning of a record, in a sentence.
pub(crate) const fn meaning(kind: RecordKind) -> &'static str {
    use RecordKind as Kind;
    match kind {
        Kind::Sitemap => "absolute URL of a list of pages to crawl, for all crawlers.",
        Kind::CrawlDelay => {
            "seconds between two requests. Bing and others obey it, Google does not."
        }
        Kind::ContentSignal => {
            "preferences for the use of content (Content Signals). No fetch is allowed or disallowed."
        }
        Kind::ContentUsage => {
            "preferences for the use of content (IETF draft). No fetch is allowed or disallowed."
        }
        Kind::CleanParam => "parameters of queries that do not change a page, for Yandex.",
        Kind::Host => "the main host of several mirrors, for Yandex until 2018.",
        Kind::License => "URL of a licence for the content (Really Simple Licensing).",
        Kind::RequestRate => "documents per time, such as `1/10s`. Few crawlers read it.",
        Kind::MaxCrawlRate => "maximum rate of requests. Few crawlers read it.",
        Kind::VisitTime => "time of day in UTC for crawling. Few crawlers read it.",
        Kind::Noindex => "no crawler obeys it. Use the page directive `noindex`.",
        Kind::Nofollow => "no crawler obeys it. Use the page directive `nofollow`.",
        Kind::Agentmap => "URL of a description of agents and APIs, a proposal.",
        Kind::Schemamap => "URL of a list of structured data, a proposal.",
        Kind::SignatureAgent => "origin with the keys that sign requests, a proposal.",
        Kind::RobotVersion | Kind::Comment => "a proposal of 1996 that no crawler reads.",
        _ => "no crawler that verger knows reads this key.",
    }
}

/// The statements that a file may need today.
pub(crate) const STATEMENTS: [RecordKind; 5] = [
    RecordKind::Sitemap,
    RecordKind::CrawlDelay,
    RecordKind::ContentSignal,
    RecordKind::ContentUsage,
    RecordKind::License,
];

/// The uses of content that a statement allows or disallows, with their meaning.
pub(crate) fn uses(kind: RecordKind) -> Vec<(&'static str, &'static str)> {
    match kind {
        RecordKind::ContentSignal => vec![
            ("search", "an index with links and short excerpts"),
            ("ai-input", "input of a model that answers questions"),
            ("ai-train", "training of a model"),
        ],
        RecordKind::ContentUsage => Category::ALL.iter().map(|it| (it.key, it.covers)).collect(),
        _ => Vec::new(),
    }
}
