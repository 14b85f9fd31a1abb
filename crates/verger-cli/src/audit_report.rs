//! The report of `verger audit`: the judgement with its inputs, and its sentences.

use std::borrow::Borrow;
use std::fmt;

use askama::Template;
use serde::Serialize;
use verger_audit::log::LogTotals;
use verger_audit::{CrawlerReport, HistoryReport, PathReport, Report, Verdict, Version};

use crate::proof::is_in;
use crate::sentence::{brief, grouped, joined, many};

/// An audit, as `verger audit` writes it in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct AuditReport {
    /// The answer in one sentence, about all crawlers.
    pub(crate) answer: String,
    /// The logs in the order of reading.
    pub(crate) logs: Vec<LogKeys>,
    /// The warnings on standard error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    #[serde(flatten)]
    pub(crate) report: Report,
    /// Remarks on the whole, each a sentence without an end.
    #[serde(skip)]
    pub(crate) remarks: Vec<String>,
}

/// Parts that at least one line of the logs has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogTraits {
    pub(crate) host: bool,
    /// A request for robots.txt, by anybody.
    pub(crate) robots_txt: bool,
    /// The header field in which proxies write the address of their client.
    pub(crate) proxy_field: bool,
}

/// A log that was read.
#[derive(Debug, Serialize)]
pub(crate) struct LogKeys {
    /// Its name, escaped.
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) totals: LogTotals,
}

impl LogKeys {
    /// The format and the number of requests.
    pub(crate) fn facts(&self) -> String {
        let format = self.totals.format.unwrap_or("empty");
        format!("{format}, {}", many(self.totals.requests, "request"))
    }
}

impl AuditReport {
    pub(crate) fn new(
        report: Report,
        logs: Vec<LogKeys>,
        traits: LogTraits,
        warnings: Vec<String>,
    ) -> Self {
        let (answer, remarks) = (answer(&report, traits), remarks(&report, traits));
        Self { answer, logs, warnings, report, remarks }
    }

    /// Keeps the rows of these tokens and with these verdicts; all if none are given.
    pub(crate) fn select(&mut self, agents: &[String], verdicts: &[Verdict]) {
        let is_asked = |row: &CrawlerReport| {
            is_in(agents, &row.token)
                && (verdicts.is_empty() || verdicts.iter().any(|it| row.verdicts.get(*it) > 0))
        };
        self.report.crawlers.retain(is_asked);
    }

    /// The site of a row.
    pub(crate) fn site(&self, row: &CrawlerReport) -> Option<&HistoryReport> {
        self.report.history.get(row.origin?)
    }

    /// The version of the robots.txt that decided a path of a row.
    pub(crate) fn version(&self, row: &CrawlerReport, path: &PathReport) -> Option<&Version> {
        self.site(row)?.versions.get(path.version?)
    }

    /// The name of a row: the crawler, its operator, the site unless there is only one, and whether
    /// it is unproved.
    pub(crate) fn name(&self, row: &CrawlerReport) -> String {
        let mut name = brief(&row.token).to_string();
        if let Some(operator) = &row.operator {
            name.extend([" (", &brief(operator).to_string(), ")"]);
        }
        match self.site(row) {
            Some(site) if self.report.history.len() > 1 => {
                name.extend([" at ", site.origin.host()]);
            }
            Some(_) => {}
            None => name += " at another origin",
        }
        if !row.is_proved {
            name += if is_believed(row) { BELIEVED } else { ", unproved" };
        }
        name
    }

    /// The number of requests of everybody and their time.
    pub(crate) fn scope(&self) -> String {
        let Report { from, to, .. } = self.report;
        let span = from.zip(to).map(|(from, to)| format!(" from {from} to {to}"));
        let others = grouped(self.report.verdicts.get(Verdict::NotACrawler));
        let (requests, span) = (many(self.report.requests, "request"), span.unwrap_or_default());
        format!("{requests}{span}, {others} by browsers and other programs")
    }
}

fn remarks(report: &Report, traits: LogTraits) -> Vec<String> {
    let begins_late = |site: &&HistoryReport| {
        let first = site.versions.first().map(|first| first.from);
        first.is_some_and(|first| report.from.is_some_and(|from| from < first))
    };
    let is_proved = report.crawlers.iter().any(|row| row.is_proved);
    lines(&Remarks {
        late: report.history.iter().filter(begins_late).collect(),
        is_nobody_proved: report.verdicts.get(Verdict::Impostor) > 0 && !is_proved,
        traits,
        report,
    })
}

#[derive(Template)]
#[template(path = "remarks.txt")]
struct Remarks<'a> {
    /// The sites whose history begins after the log.
    late: Vec<&'a HistoryReport>,
    /// Whether there are only impostors.
    is_nobody_proved: bool,
    traits: LogTraits,
    report: &'a Report,
}

fn lines(template: &impl fmt::Display) -> Vec<String> {
    template.to_string().lines().map(str::to_owned).collect()
}

/// The answer in one sentence.
#[derive(Template)]
#[template(path = "answer.txt")]
struct Answer<'a> {
    report: &'a Report,
    traits: LogTraits,
    is_unjudged: bool,
    is_single: bool,
    known: Found,
    unknown: Found,
    others: Found,
    failed: Found,
    refused: Found,
    unread: Found,
    unproved: Found,
    impostors: Found,
}

/// Crawlers with requests of a kind. As text: `(6 requests by GPTBot)`.
struct Found {
    names: Vec<String>,
    requests: u64,
}

/// After the name of a crawler.
const BELIEVED: &str = ", accepted without proof";

/// Whether a row has requests without a proof that are accepted. Those whose proof failed never
/// are.
fn is_believed(row: &CrawlerReport) -> bool {
    let impostors = row.verdicts.get(Verdict::Impostor);
    row.is_accepted && !row.is_proved && row.verdicts.total() > impostors
}

impl Found {
    /// The crawlers of all rows for which `requests` returns a number.
    /// `has_remarks`: also whether a crawler is accepted without proof.
    fn new(report: &Report, requests: impl Fn(&CrawlerReport) -> u64, has_remarks: bool) -> Self {
        let rows = report.crawlers.iter().filter(|row| requests(row) > 0);
        let mut names: Vec<String> = Vec::new();
        for row in rows.clone() {
            let remark = if has_remarks && is_believed(row) { BELIEVED } else { "" };
            let name = format!("{}{remark}", brief(&row.token));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Self { names, requests: rows.map(&requests).sum() }
    }

    fn crawlers(&self) -> String {
        many(self.names.len() as u64, "crawler")
    }

    fn number(&self) -> String {
        many(self.requests, "request")
    }

    /// The first names.
    fn names(&self) -> String {
        let mut names = self.names.iter().take(NAMES).cloned().collect::<Vec<_>>();
        if let Some(more @ 1..) = self.names.len().checked_sub(NAMES) {
            names.push(format!("{more} more"));
        }
        joined(&names, "and").unwrap_or_default()
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} by {})", self.number(), self.names())
    }
}

fn answer(report: &Report, traits: LogTraits) -> String {
    let found = |requests: &dyn Fn(&CrawlerReport) -> u64| Found::new(report, requests, true);
    let of = |verdict| found(&|row| row.verdicts.get(verdict));
    let of_rows = |is_row: fn(&CrawlerReport) -> bool, verdicts: &[Verdict]| {
        let sum = |row: &CrawlerReport| verdicts.iter().map(|it| row.verdicts.get(*it)).sum();
        found(&|row| if is_row(row) { sum(row) } else { 0 })
    };
    let unknown = of_rows(|row| row.origin.is_some(), &[Verdict::Unknown]);
    let others = of_rows(|row| row.origin.is_none(), &[Verdict::Unknown]);
    let judged = of_rows(|_| true, &Verdict::ALL[Verdict::Allowed as usize..]).requests;
    let answer = Answer {
        report,
        traits,
        is_unjudged: judged == 0 && unknown.requests + others.requests > 0,
        is_single: report.history.iter().any(|it| it.is_single),
        known: found(&disobeyed),
        unknown,
        others,
        failed: of(Verdict::CouldNotRead),
        refused: found(&|row| row.refused_robots_txt),
        unread: of_rows(|row| row.is_accepted, &[Verdict::DisallowedUnread]),
        unproved: found(&|row| if row.is_accepted { 0 } else { accusations(row) }),
        impostors: Found::new(report, |row| row.verdicts.get(Verdict::Impostor), false),
    };
    let answer = answer.to_string();
    let (start, rest) = answer.split_at(1);
    start.to_uppercase() + rest
}

/// Names of crawlers in a part of the answer.
const NAMES: usize = 3;

/// Remarks on a row, each a phrase.
pub(crate) fn row_remarks(row: &CrawlerReport) -> Vec<String> {
    lines(&RowRemarks { row, is_unproved: !row.is_proved && accusations(row) > 0 })
}

/// The requests with which a row disobeyed.
pub(crate) const fn disobeyed(row: &CrawlerReport) -> u64 {
    if row.is_accepted { row.verdicts.get(Verdict::DisallowedKnown) } else { 0 }
}

fn accusations(row: &CrawlerReport) -> u64 {
    row.verdicts.iter().filter(|(verdict, _)| verdict.is_accusation()).map(|(_, it)| it).sum()
}

#[derive(Template)]
#[template(path = "row_remarks.txt")]
struct RowRemarks<'a> {
    row: &'a CrawlerReport,
    is_unproved: bool,
}

/// `1 request is`, `2 requests are`.
fn requests(number: impl Borrow<u64>) -> String {
    let number = *number.borrow();
    format!("{} {}", many(number, "request"), if number == 1 { "is" } else { "are" })
}

/// The verdicts of crawlers in the order of tables, with their short words. The first ones need the
/// attention of a person.
pub(crate) const COLUMNS: [(Verdict, &str); 9] = [
    (Verdict::CouldNotRead, "could not read"),
    (Verdict::DisallowedKnown, "disobeyed"),
    (Verdict::DisallowedUnread, "unread"),
    (Verdict::Grace, "grace"),
    (Verdict::Unknown, "unknown"),
    (Verdict::Allowed, "allowed"),
    (Verdict::RobotsTxt, "robots.txt"),
    (Verdict::UserTriggered, "for users"),
    (Verdict::Impostor, "impostor"),
];
