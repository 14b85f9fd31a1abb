//! What a file gives to one crawler.

use serde::Serialize;
use verger::extension::{Record, RecordKind};
use verger_json::CrawlerKeys as AskerKeys;

use super::record::{Meaning, RateKeys, WindowKeys};
use crate::asker::Asker;
use crate::robots_file::RobotsFile;

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
    pub(super) fn of(asker: &'a Asker, file: &'a RobotsFile) -> Self {
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
