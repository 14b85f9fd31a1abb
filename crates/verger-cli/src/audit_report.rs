//! The report of `verger audit`: the judgement with its inputs, and its sentences.

use serde::Serialize;
use verger_audit::{CrawlerReport, PathReport, Report, Verdict, VersionReport};

use crate::sentence::{brief, counted};

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
        if report.history.iter().any(|history| history.is_single) {
            remarks.push(
                "the past was not seen: all requests are judged by one robots.txt, as if it had never changed"
                    .to_owned(),
            );
        }
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
                remarks.push(format!("{number} {}", if number == 1 { one } else { many }));
            }
        }
        remarks
    }
}

/// The answer in one sentence.
fn answer(report: &Report) -> String {
    let requests = |number| counted(number, "request");
    let first = match report.with(Verdict::DisallowedKnown, true) {
        (0, _) => "No proved crawler disobeyed a rule that it had read".to_owned(),
        (1, number) => format!("1 crawler disobeyed rules that it had read ({})", requests(number)),
        (crawlers, number) => {
            let number = requests(number);
            format!("{crawlers} crawlers disobeyed rules that they had read ({number})")
        }
    };
    let [refused, unproved_refused] =
        [true, false].map(|proved| report.with(Verdict::CouldNotRead, proved).0);
    let refused = refused.max(unproved_refused);
    let (unread, unread_requests) = report.with(Verdict::DisallowedUnread, true);
    let accusations = [Verdict::DisallowedKnown, Verdict::DisallowedUnread];
    let unproved: u64 = accusations.iter().map(|it| report.with(*it, false).1).sum();
    let impostors = report.verdicts.get(Verdict::Impostor);
    let parts = [
        (refused > 0).then(|| {
            let them = if refused == 1 { "it" } else { "them" };
            format!("{refused} could not read your robots.txt because you refused {them}")
        }),
        (unread > 0).then(|| {
            let number = requests(unread_requests);
            format!("{unread} requested forbidden URLs without a current robots.txt ({number})")
        }),
        (unproved > 0).then(|| {
            let number = requests(unproved);
            format!("{number} for forbidden URLs accuse nobody, because no identity is proved")
        }),
        (impostors > 0).then(|| {
            let are = if impostors == 1 { "was" } else { "were" };
            format!("{} {are} by impostors", requests(impostors))
        }),
    ];
    let parts: Vec<String> = std::iter::once(first).chain(parts.into_iter().flatten()).collect();
    parts.join("; ") + "."
}

/// Remarks on a row, each a phrase.
pub(crate) fn row_remarks(row: &CrawlerReport) -> Vec<String> {
    let is = |number| if number == 1 { "is" } else { "are" };
    let parts = [
        (
            row.verdicts.get(Verdict::CouldNotRead),
            "your server refused it robots.txt, so it did not know your rules".to_owned(),
        ),
        (
            row.too_fast,
            format!(
                "{} {} faster than robots.txt asks",
                counted(row.too_fast, "request"),
                is(row.too_fast)
            ),
        ),
        (
            row.refused_robots_txt,
            format!(
                "{} {} after a status such as 403 for robots.txt, which most crawlers read as permission",
                counted(row.refused_robots_txt, "request"),
                is(row.refused_robots_txt)
            ),
        ),
        (
            row.preferences,
            format!(
                "{} {} of pages that should not train models",
                counted(row.preferences, "request"),
                is(row.preferences)
            ),
        ),
    ];
    parts.into_iter().filter(|(number, _)| *number > 0).map(|(_, text)| text).collect()
}

/// The verdicts of crawlers in the order of tables, with their short words. The first ones need the
/// attention of a person.
pub(crate) const COLUMNS: [(Verdict, &str); 9] = [
    (Verdict::CouldNotRead, "refused"),
    (Verdict::DisallowedKnown, "disobeyed"),
    (Verdict::DisallowedUnread, "unread"),
    (Verdict::Grace, "grace"),
    (Verdict::Unknown, "unknown"),
    (Verdict::Allowed, "allowed"),
    (Verdict::RobotsTxt, "robots.txt"),
    (Verdict::UserTriggered, "for users"),
    (Verdict::Impostor, "impostor"),
];
