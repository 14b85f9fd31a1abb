//! The report of `verger audit`: the judgement with its inputs, and its sentences.

use indicatif::HumanCount;
use serde::Serialize;
use verger::access::Timestamp;
use verger_audit::{CrawlerReport, HistoryReport, PathReport, Report, Verdict, VersionReport};
use verger_registry::Registry;

use crate::sentence::{brief, joined};

/// An audit, as `verger audit` writes it in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct AuditReport {
    /// The answer in one sentence.
    pub(crate) answer: String,
    /// The logs in the order of reading.
    pub(crate) logs: Vec<LogKeys>,
    #[serde(flatten)]
    pub(crate) report: Report,
}

/// A log that was read.
#[derive(Debug, Serialize)]
pub(crate) struct LogKeys {
    /// Its name, escaped.
    pub(crate) name: String,
    /// `None` if it is empty.
    pub(crate) format: Option<String>,
    /// Lines with a request.
    pub(crate) requests: u64,
    /// Lines without one, in another format, or too long.
    pub(crate) skipped: u64,
    /// Whether its compressed data is cut off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
}

impl AuditReport {
    pub(crate) fn new(report: Report, logs: Vec<LogKeys>) -> Self {
        Self { answer: answer(&report), logs, report }
    }

    /// Keeps the rows of these tokens and with these verdicts, and their paths; all if none are given.
    pub(crate) fn select(report: &mut Report, agents: &[String], verdicts: &[Verdict]) {
        let is_asked = |row: &CrawlerReport| {
            (agents.is_empty() || agents.iter().any(|it| it.eq_ignore_ascii_case(&row.token)))
                && (verdicts.is_empty() || verdicts.iter().any(|it| row.verdicts.get(*it) > 0))
        };
        report.crawlers.retain(is_asked);
        if !verdicts.is_empty() {
            for row in &mut report.crawlers {
                row.top.retain(|path| verdicts.contains(&path.verdict));
            }
        }
    }

    /// The version of the robots.txt that decided a path of a row.
    pub(crate) fn version(&self, row: &CrawlerReport, path: &PathReport) -> Option<&VersionReport> {
        self.report.history.get(row.origin?)?.versions.get(path.version?)
    }

    /// The name of a row: the crawler, its operator, the site if there are several, and whether it is
    /// unproved.
    pub(crate) fn name(&self, row: &CrawlerReport) -> String {
        let mut name = brief(&row.token).to_string();
        if let Some(operator) = &row.operator {
            name.extend([" (", &brief(operator).to_string(), ")"]);
        }
        let site = row.origin.and_then(|at| self.report.history.get(at));
        if let Some(site) = site.filter(|_| self.report.history.len() > 1) {
            name.extend([" at ", site.origin.host()]);
        }
        if !row.is_proved {
            name += if row.is_accepted { ", accepted" } else { ", unproved" };
        }
        name
    }

    /// Remarks on the whole, each a sentence without an end.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let report = &self.report;
        let mut remarks = Vec::new();
        if report.history.iter().any(is_single) {
            remarks.push(
                "the past was not seen: all requests are judged by one robots.txt, as if it had never changed"
                    .to_owned(),
            );
        }
        let begins_late = |history: &&HistoryReport| {
            history
                .versions
                .first()
                .is_none_or(|first| report.from.is_some_and(|it| it < first.from))
        };
        remarks.extend(report.history.iter().filter(begins_late).map(|history| {
            let first = history.versions.first().map(|first| first.from.to_string());
            let site = &history.origin;
            format!(
                "the history of {site} begins at {}, later than the log",
                first.unwrap_or_default()
            )
        }));
        let truncated = self.logs.iter().filter(|log| log.truncated).map(|log| &*log.name);
        remarks.extend(truncated.map(|name| format!("the compressed data of {name} is cut off")));
        for (number, one, many) in [
            (
                report.skipped,
                "line has no request in the format of its log",
                "lines have no request in the format of their log",
            ),
            (
                report.backwards,
                "request is earlier than a fetch of robots.txt before it",
                "requests are earlier than a fetch of robots.txt before them",
            ),
            (
                report.other_hosts,
                "request is for another host than `--origin`",
                "requests are for other hosts than `--origin`",
            ),
            (report.without_time, "request has no time", "requests have no time"),
            (
                report.without_user_agent,
                "request has no User-Agent header in the log",
                "requests have no User-Agent header in the log",
            ),
        ] {
            if number > 0 {
                let words = if number == 1 { one } else { many };
                remarks.push(format!("{} {words}", HumanCount(number)));
            }
        }
        remarks
    }
}

/// Whether one file counts for all times.
fn is_single(history: &HistoryReport) -> bool {
    history.is_single || history.versions.iter().any(|it| it.from == Timestamp::EPOCH)
}

/// A number with commas and its noun.
pub(crate) fn many(number: u64, noun: &str) -> String {
    let plural = match number {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", HumanCount(number))
}

/// The crawlers with a number of requests of a kind, in rows of a kind.
struct Found {
    names: Vec<String>,
    requests: u64,
}

impl Found {
    fn new(
        report: &Report,
        is_asked: impl Fn(&CrawlerReport) -> bool,
        requests: impl Fn(&CrawlerReport) -> u64,
    ) -> Self {
        let rows = report.crawlers.iter().filter(|row| is_asked(row) && requests(row) > 0);
        let mut names: Vec<String> = Vec::new();
        for row in rows.clone() {
            let is_unproved = row.is_accepted && !row.is_proved;
            let remark = if is_unproved { ", unproved" } else { "" };
            let name = format!("{}{remark}", brief(&row.token));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Self { names, requests: rows.map(&requests).sum() }
    }

    fn verdict(report: &Report, verdict: Verdict, is_accepted: bool) -> Self {
        let is_asked = |row: &CrawlerReport| row.is_accepted == is_accepted;
        Self::new(report, is_asked, |row| row.verdicts.get(verdict))
    }

    const fn count(&self) -> u64 {
        self.names.len() as u64
    }

    /// The first names.
    fn names(&self) -> String {
        let mut names = self.names.iter().take(NAMES).cloned().collect::<Vec<_>>();
        if let Some(more @ 1..) = self.names.len().checked_sub(NAMES) {
            names.push(format!("{more} more"));
        }
        joined(&names, "and").unwrap_or_default()
    }

    /// `(6 requests by GPTBot)`
    fn requests(&self) -> String {
        format!("({} by {})", many(self.requests, "request"), self.names())
    }
}

/// The answer in one sentence, about the rows of the report.
fn answer(report: &Report) -> String {
    let total: u64 = report.crawlers.iter().map(|row| row.verdicts.total()).sum();
    let is_selected = total + report.verdicts.get(Verdict::NotACrawler) < report.verdicts.total();
    let all = Found::new(report, |_| true, |row| row.verdicts.total());
    if is_selected && all.count() == 0 {
        return "No request of the selected crawlers was found.".to_owned();
    }
    if report.requests > 0 && report.without_user_agent == report.requests {
        return "Nothing could be judged: the log has no User-Agent headers.".to_owned();
    }
    let is_single = report.history.iter().any(is_single);
    let unknown = |is_host: bool| {
        let is_asked = |row: &CrawlerReport| row.origin.is_some() == is_host;
        Found::new(report, is_asked, |row| row.verdicts.get(Verdict::Unknown)).requests
    };
    let (unknown, other_hosts) = (unknown(true), unknown(false));
    let unjudged = [
        (
            unknown,
            [
                "the robots.txt in force at its time is not known",
                "the robots.txt in force at their times is not known",
            ],
        ),
        (
            other_hosts,
            ["it is for another host than `--origin`", "they are for other hosts than `--origin`"],
        ),
    ];
    let unjudged = unjudged.into_iter().filter(|(number, _)| *number > 0);
    let unjudged = unjudged.map(|(number, [one, more])| {
        let why = if number == 1 { one } else { more };
        format!("{} could not be judged, because {why}", many(number, "request"))
    });
    let judged = Found::new(
        report,
        |_| true,
        |row| {
            Verdict::ALL[Verdict::Allowed as usize..].iter().map(|it| row.verdicts.get(*it)).sum()
        },
    );
    let known = Found::verdict(report, Verdict::DisallowedKnown, true);
    let number = known.count();
    let first = if judged.requests == 0 && unknown + other_hosts > 0 {
        "nothing could be judged".to_owned()
    } else if number == 0 {
        if is_single {
            "by today's robots.txt, no proved crawler requested forbidden URLs after a fetch of robots.txt".to_owned()
        } else {
            "no proved crawler disobeyed a rule that it had read".to_owned()
        }
    } else {
        let crawlers = many(number, "crawler");
        let they = if number == 1 { "it" } else { "they" };
        let what = if is_single {
            "requested forbidden URLs after a fetch of robots.txt".to_owned()
        } else {
            format!("disobeyed rules that {they} had read")
        };
        let when = if is_single { "by today's robots.txt, " } else { "" };
        format!("{when}{crawlers} {what} {}", known.requests())
    };
    let of = |verdict| Found::new(report, |_| true, |row| row.verdicts.get(verdict));
    let failed = of(Verdict::CouldNotRead);
    let refused = Found::new(report, |_| true, |row| row.refused_robots_txt);
    let unread = Found::verdict(report, Verdict::DisallowedUnread, true);
    let unproved = Found::new(
        report,
        |row| !row.is_accepted,
        |row| {
            row.verdicts.get(Verdict::DisallowedKnown) + row.verdicts.get(Verdict::DisallowedUnread)
        },
    );
    let impostors = of(Verdict::Impostor);
    let parts = [
        (failed.count() > 0).then(|| {
            let crawlers = many(failed.count(), "crawler");
            format!("{crawlers} could not read your robots.txt because your server failed {}", failed.requests())
        }),
        (refused.count() > 0).then(|| {
            let crawlers = many(refused.count(), "crawler");
            let status = refusal(report).map(|status| format!(" with status {status}")).unwrap_or_default();
            format!(
                "you refused robots.txt to {crawlers}{status}, which most crawlers read as permission {}",
                refused.requests()
            )
        }),
        (unread.count() > 0).then(|| {
            let crawlers = many(unread.count(), "crawler");
            format!("{crawlers} requested forbidden URLs without a current robots.txt {}", unread.requests())
        }),
        (unproved.count() > 0).then(|| {
            let (accuse, names) = (
                if unproved.requests == 1 { "accuses" } else { "accuse" },
                unproved.names(),
            );
            let number = many(unproved.requests, "request");
            format!("{number} for forbidden URLs, by the name of {names}, {accuse} nobody, because the identity is not proved")
        }),
        (impostors.count() > 0).then(|| {
            let were = if impostors.requests == 1 { "was" } else { "were" };
            format!("{} {were} by impostors of {}", many(impostors.requests, "request"), impostors.names())
        }),
    ];
    let whom = is_selected.then(|| format!("for {}: ", all.names()));
    let parts = std::iter::once(first).chain(unjudged).chain(parts.into_iter().flatten());
    let answer = whom.unwrap_or_default() + &parts.collect::<Vec<_>>().join("; ") + ".";
    let (start, rest) = answer.split_at(1);
    start.to_uppercase() + rest
}

/// The last status with which robots.txt was refused.
fn refusal(report: &Report) -> Option<u16> {
    let rows = report.crawlers.iter().filter(|row| row.refused_robots_txt > 0);
    let mut fetches = rows.flat_map(|row| row.fetches.iter().rev());
    fetches.find(|fetch| fetch.is_refusal())?.status
}

/// Names of crawlers in a part of the answer.
const NAMES: usize = 3;

/// Remarks on a row, each a phrase.
pub(crate) fn row_remarks(row: &CrawlerReport) -> Vec<String> {
    let requests =
        |number| format!("{} {}", many(number, "request"), if number == 1 { "is" } else { "are" });
    let number = |verdict| row.verdicts.get(verdict);
    let accusations = number(Verdict::DisallowedKnown) + number(Verdict::DisallowedUnread);
    let parts = [
        (if row.is_proved { 0 } else { accusations }, why_unproved(row)),
        (
            number(Verdict::CouldNotRead),
            "your server failed to send it robots.txt, so it did not know your rules".to_owned(),
        ),
        (row.too_fast, format!("{} faster than robots.txt asks", requests(row.too_fast))),
        (
            row.refused_robots_txt,
            format!(
                "{} after a status such as 403 for robots.txt, which most crawlers read as permission",
                requests(row.refused_robots_txt)
            ),
        ),
        (
            row.preferences,
            format!(
                "{} for pages whose use for training the site does not want",
                requests(row.preferences)
            ),
        ),
    ];
    parts.into_iter().filter(|(number, _)| *number > 0).map(|(_, text)| text).collect()
}

/// Why the identity of a row is not proved.
fn why_unproved(row: &CrawlerReport) -> String {
    let Some(crawler) = Registry::bundled().find(&row.token) else {
        return "not proved: the registry does not have this crawler".to_owned();
    };
    let (lists, names) = (!crawler.ip_ranges().is_empty(), !crawler.reverse_dns().is_empty());
    if lists || names || crawler.signature_agent().is_some() {
        "not proved: no proof that its operator publishes was found, for the requests or for the fetch of robots.txt"
            .to_owned()
    } else {
        "not proved: the registry knows no proof of identity that its operator publishes".to_owned()
    }
}

/// A path as reports show it: a rule with a query decided about the query, too.
pub(crate) fn path_shown(path: &PathReport) -> String {
    let has_query = path.rule.as_deref().is_some_and(|rule| rule.contains('?'));
    format!("{}{}", brief(&path.path), if has_query { "?…" } else { "" })
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
