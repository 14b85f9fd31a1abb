//! The report about a log, without its formatting.

use serde::{Serialize, Serializer};
use verger::Origin;
use verger::access::Timestamp;

use crate::history::Version;
use crate::verdict::{Counts, Verdict};

/// The result of [`Audit::finish`](crate::Audit::finish). Names of versions, paths, rules and
/// tokens of groups are foreign text.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The earliest time of a request.
    #[serde(serialize_with = "time")]
    pub from: Option<Timestamp>,
    /// The latest time of a request.
    #[serde(serialize_with = "time")]
    pub to: Option<Timestamp>,
    /// All requests.
    pub requests: u64,
    /// All requests by verdict.
    pub verdicts: Counts,
    /// Requests of crawlers before an earlier line's fetch of robots.txt.
    pub backwards: u64,
    /// Requests without a time.
    pub without_time: u64,
    /// Requests without a User-Agent header.
    pub without_user_agent: u64,
    /// Requests for a host, scheme or port that is not that of an origin, or that the log does not
    /// name.
    pub other_hosts: u64,
    /// Requests of crawlers from addresses that may be cut, so that they prove nothing.
    pub cut_addresses: u64,
    /// Requests that are `unknown` and whose client may have asked for another target.
    pub unclear_targets: u64,
    /// Fetches of robots.txt with a number of bytes that shows another body than the file of their
    /// time.
    pub other_bodies: u64,
    /// The origins with their histories.
    pub history: Vec<HistoryReport>,
    /// The crawlers, those that disobeyed most first. A crawler has a row for each origin, and one
    /// more for its unproved requests.
    pub crawlers: Vec<CrawlerReport>,
}

/// The history of an origin.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct HistoryReport {
    /// The origin.
    #[serde(serialize_with = "text")]
    pub origin: Origin,
    /// The versions of its robots.txt, in order of time.
    pub versions: Vec<Version>,
    /// Whether one file was given for all times, so that the past was not seen.
    pub is_single: bool,
}

/// The requests of one crawler to one origin, either with or without a proof of its identity.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct CrawlerReport {
    /// The product token.
    pub token: String,
    /// The operator, if the registry has it.
    pub operator: Option<String>,
    /// The purpose, if the registry has it.
    pub purpose: Option<&'static str>,
    /// The index of the origin in [`Report::history`]; `None`: another host.
    pub origin: Option<usize>,
    /// Whether the identity was proved, for these requests and for the fetches of robots.txt on
    /// which their verdicts rest.
    pub is_proved: bool,
    /// Whether the row may be evidence: proved, or accepted without a proof.
    pub is_accepted: bool,
    /// The requests by verdict.
    pub verdicts: Counts,
    /// Requests that came too early.
    pub too_fast: u64,
    /// Fetches of robots.txt that the server refused, and the requests after them.
    pub refused_robots_txt: u64,
    /// Allowed requests by crawlers for training, for pages whose use for training robots.txt
    /// refuses.
    pub preferences: u64,
    /// The latest fetches of robots.txt by the operator, which all its crawlers share.
    pub fetches: Vec<FetchReport>,
    /// The requests over time, without times that have none.
    pub timeline: Vec<Bucket>,
    /// The seconds of each of these times.
    pub bucket_seconds: u64,
    /// The most frequent paths among the requests that were forbidden or could not be decided by a
    /// file, at most [`TOP_PATHS`](crate::limits::TOP_PATHS). Those of accusations are first.
    pub top: Vec<PathReport>,
}

/// A fetch of robots.txt.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FetchReport {
    /// Its time.
    #[serde(serialize_with = "text")]
    pub at: Timestamp,
    /// Its status.
    pub status: Option<u16>,
    /// The index of the version that was served at this time; `None` if it is not known.
    pub version: Option<usize>,
    /// Whether the identity was proved.
    pub is_proved: bool,
}

/// Requests in a part of the time.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Bucket {
    /// Its first second.
    #[serde(serialize_with = "text")]
    pub from: Timestamp,
    /// The requests by verdict.
    pub verdicts: Counts,
}

/// Requests for one path with one verdict by one rule.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PathReport {
    /// The path, without a query; cut at [`PATH_BYTES`](crate::limits::PATH_BYTES).
    pub path: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding rule: `Disallow: /cart`.
    pub rule: Option<String>,
    /// Its line.
    pub line: Option<usize>,
    /// The index of the version with the rule.
    pub version: Option<usize>,
    /// The number of requests; if a crawler requested very many paths, at least this number.
    pub requests: u64,
}

fn text<T: std::fmt::Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

#[expect(clippy::ref_option, reason = "the form that serde calls")]
fn time<S: Serializer>(value: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
    value.map(|time| time.to_string()).serialize(to)
}
