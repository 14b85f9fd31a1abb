//! The arguments of `verger audit`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use verger::access::Timestamp;
use verger_audit::Verdict;
use verger_audit::log::{LogFormat, LogZone};

use super::crawler::CrawlerName;
use super::duration;
use super::identify::{ProofArgs, time};

/// Find crawlers that disobeyed your robots.txt
///
/// Each request of the logs is judged by the robots.txt that its crawler had received at that time:
/// the log shows when the crawler fetched `/robots.txt`, and the history has the text of that time.
/// So a rule of today never makes a violation of yesterday's visit. Only crawlers whose identity is
/// proved are accused.
///
/// Verdicts: `allowed`; `disallowed_known`, the crawler had received the rule that forbids;
/// `disallowed_unread`, it never asked for robots.txt or used an outdated copy; `grace`, the rule
/// is newer than its copy, or the request may have been planned before it; `could_not_read`, your
/// server failed to send it robots.txt; `unknown`; `robots_txt`, `user_triggered`, `impostor`, and
/// `not_a_crawler`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Audit {
    /// Access log; `-` is standard input. Rotated logs are read in the order of their times. After
    /// a missing log, nobody is accused of what it may have read
    #[arg(value_name = "LOG", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) logs: Vec<PathBuf>,

    /// The site, such as `https://shop.example`; can be repeated
    ///
    /// Requests of logs with hosts are matched with their site. A log without hosts is that of the
    /// only site.
    #[arg(long, value_name = "ORIGIN", required = true, value_hint = ValueHint::Url)]
    pub(crate) origin: Vec<OsString>,

    /// robots.txt over time; can be repeated; `ORIGIN=` before it names the site
    ///
    /// `git:FILE`: the commits of a file in the current folder. `git:BRANCH:FILE`: those of a
    /// branch; FILE begins at the root of the repository, or with `./` in the current folder. A
    /// commit counts from its own time, even if it reached the branch later. A folder has files
    /// whose names begin with the time from which they were served, such as
    /// `2026-03-01T123000Z.txt`; of a date without a time, the whole day is unknown. A file is a
    /// store (`verger cache`), decisions of `verger check` (with `--archive`), or one robots.txt:
    /// then the past was not seen, and all requests are judged by it.
    #[arg(
        long,
        visible_alias = "robots",
        value_name = "SPEC",
        required = true,
        value_hint = ValueHint::AnyPath
    )]
    pub(crate) history: Vec<OsString>,

    /// Folder with the robots.txt files that decisions of `--history` name by their SHA-256
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) archive: Option<PathBuf>,

    /// The most time from a commit of `git:` to its deployment, such as `90s`, `10m`, `1h` or `2d`.
    /// Nobody is accused by what was served in between
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1h")]
    pub(crate) deploy_delay: Duration,

    /// How long a crawler may use a robots.txt, such as `90s`, `10m`, `1h` or `2d`; by default as
    /// its operator says, or 24 hours. Give the `max-age` of your robots.txt if it is longer
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) lifetime: Option<Duration>,

    /// Format of the logs, as in `log_format` of nginx [default: found from the first lines]
    #[arg(long, value_name = "FORMAT", value_parser = LogFormat::custom)]
    pub(crate) log_format: Option<LogFormat>,

    /// Zone of times that do not say theirs, as in logs of `HAProxy`: `UTC`, or an offset such as
    /// `+02:00`
    ///
    /// Without it, such times may be wrong by 14 hours, and few requests can be judged. For a zone
    /// with daylight saving time, audit the logs of each half of the year with its offset.
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    pub(crate) log_zone: Option<LogZone>,

    /// A CDN may have answered requests for robots.txt, so the logs may lack some of them
    #[arg(long)]
    pub(crate) robots_at_edge: bool,

    /// Count this crawler as proved, although its operator publishes no proof; can be repeated
    #[arg(long, value_name = "NAME", value_parser = CrawlerName, hide_possible_values = true)]
    pub(crate) accept_unproved: Vec<OsString>,

    /// Report only this crawler, also in the evidence; can be repeated
    #[arg(long, value_name = "NAME", value_parser = CrawlerName, hide_possible_values = true)]
    pub(crate) agent: Vec<OsString>,

    /// Report only crawlers with this verdict; can be repeated. Paths are listed only for
    /// `could_not_read`, `grace`, `disallowed_unread` and `disallowed_known`
    #[arg(long, value_name = "VERDICT", value_parser = verdict())]
    pub(crate) verdict: Vec<Verdict>,

    /// Count only requests from this time on, such as 2026-11-23T14:30:00Z, or as a log writes it;
    /// without a zone in UTC
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<Timestamp>,

    /// Count only requests before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) until: Option<Timestamp>,

    /// Write whole addresses in the evidence; by default the last part of the crawler's is cut
    #[arg(long)]
    pub(crate) show_addresses: bool,

    /// Write a folder for each crawler that disobeyed: log lines, files, proofs of identity, and a
    /// summary for its operator. DIR must be new or empty
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) evidence: Option<PathBuf>,

    /// Exit with 1 if a crawler that is proved or accepted has this verdict, or anybody for
    /// `impostor`; can be repeated
    #[arg(long, value_name = "VERDICT", value_parser = verdict())]
    pub(crate) fail_on: Vec<Verdict>,

    /// Show counters while standard input goes on, such as that of `tail -F`
    #[arg(long, conflicts_with_all = ["evidence", "format", "fail_on", "agent", "verdict"])]
    pub(crate) follow: bool,

    /// Format of the report
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: AuditFormat,

    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

/// Format of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    /// Human-readable text
    Text,
    /// JSON
    Json,
    /// A table with a row for each crawler
    Csv,
    /// One HTML page with charts, without scripts and requests
    Html,
}

/// A verdict about crawlers: `not_a_crawler`, the first of all, is no finding.
fn verdict() -> impl TypedValueParser<Value = Verdict> {
    let [_, of_crawlers @ ..] = Verdict::ALL;
    let names = PossibleValuesParser::new(of_crawlers.map(Verdict::name));
    names.map(move |name| {
        of_crawlers.into_iter().find(|verdict| verdict.name() == name).unwrap_or_default()
    })
}

const EXAMPLES: &str = "\
Examples:
  The history of robots.txt is in a git repository:
    verger audit access.log* --origin https://shop.example --history git:robots.txt

  One robots.txt; the past is not seen:
    verger audit access.log --origin https://shop.example --robots robots.txt

  A page for the browser, and evidence for the operators:
    verger audit access.log.gz --origin https://shop.example --history ./robots-history \\
      --evidence ./evidence --format html > audit.html

  Behind a CDN that may answer requests for robots.txt:
    verger audit access.log --origin https://shop.example --history git:main:public/robots.txt \\
      --robots-at-edge --trusted-proxy 173.245.48.0/20 --proxy-header CF-Connecting-IP

Exit codes:
  0  the logs were read
  1  a crawler has a verdict of `--fail-on`
  2  a log or a history could not be read";
