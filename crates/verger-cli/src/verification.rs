//! Verification of an answer of `check` against an archived robots.txt (`docs/json.md`).
//!
//! An answer is not signed. So claims that only the server could confirm are not verified: status,
//! failure, redirects, access profile, length of an outage. Nothing is fetched, and no clock is
//! read.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use verger::{Dialect, Origin, ProductToken, Reason, quoted};
use verger_fetch::fetch::sent_url;
use verger_fetch::limits::BODY;
use verger_fetch::record::Body;
use verger_json::{Foreign, NamedCrawler, RuleKeys};

use crate::error::Error;
use crate::input::{read_whole, shown};
use crate::limits::{ARCHIVE_FILES, ROBOTS_BYTES};

/// The version of `decision` that is read.
const VERSION: u64 = 2;

/// The reasons of verdicts that are the same with any robots.txt.
const WITHOUT_FILE: [Reason; 3] =
    [Reason::NoRobotsForScheme, Reason::RobotsTxtItself, Reason::CrawlerIgnoresRobots];

/// The archived files.
#[derive(Debug)]
pub(crate) enum Archive {
    /// The file for all answers.
    Single(Body),
    /// The paths of the files of a directory, by the SHA-256 in lower case.
    Directory(HashMap<String, PathBuf>),
}

impl Archive {
    /// An archive of all files of a directory and its subdirectories. Reads and hashes each file,
    /// and reports unreadable ones to `warn`. Skips links to directories.
    pub(crate) fn of_directory(path: &Path, mut warn: impl FnMut(Error)) -> Result<Self, Error> {
        let read = |place: &Path| {
            let entries = fs::read_dir(place).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            entries.map_err(|error| Error::io("read", &shown(place), &error))
        };
        let (mut places, mut waiting) = (HashMap::new(), read(path)?);
        while let Some(entry) = waiting.pop() {
            let place = entry.path();
            if places.len() == ARCHIVE_FILES {
                let most = format!("{ARCHIVE_FILES} files in {}", shown(path));
                return Err(Error::new(format!("expected at most {most}, but found more")));
            }
            let result = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                read(&place).map(|entries| waiting.extend(entries))
            } else if place.is_file() {
                let bytes = read_whole(&place, ROBOTS_BYTES);
                bytes.map(|bytes| drop(places.insert(Body::new(bytes).sha256_hex(), place)))
            } else {
                continue;
            };
            result.unwrap_or_else(&mut warn);
        }
        Ok(Self::Directory(places))
    }

    /// The file with this hash.
    pub(crate) fn find(&self, sha256: &Value) -> Result<Body, Error> {
        let place = match self {
            Self::Single(body) => return Ok(body.clone()),
            Self::Directory(places) => sha256.as_str().and_then(|hash| places.get(hash)),
        };
        let bytes = place.and_then(|place| read_whole(place, ROBOTS_BYTES).ok());
        bytes.map(Body::new).ok_or_else(|| {
            let message = "not verifiable: the archive has no file with SHA-256";
            Error::new(format!("{message} {}", value_shown(sha256)))
        })
    }
}

/// Returns the claims of an answer that do not hold.
///
/// # Errors
///
/// It is no answer with a decision, or its file is not in the archive.
pub(crate) fn findings(answer: &Value, archive: &Archive) -> Result<Vec<Finding>, Error> {
    let decision = &answer["decision"];
    if decision["version"] != VERSION {
        let expected = format!("expected an answer with a `decision` of version {VERSION}");
        let found = value_shown(&decision["version"]);
        let hint = "`verger check` without `--robots` writes one, with `--format json` or `jsonl`";
        return Err(Error::new(format!("{expected}, but found {found}")).with_hint(hint));
    }
    let bad = |key: &str, expected: &str| {
        let found = value_shown(&answer[key]);
        Error::new(format!("expected {expected} as `{key}`, but found {found}"))
    };
    let dialect = answer["dialect"].as_str().and_then(Dialect::named);
    let dialect = dialect.ok_or_else(|| bad("dialect", "the name of a dialect"))?;
    let crawler = crawler(answer, &dialect).ok_or_else(|| bad("agent", "a crawler"))?;
    let crawler = crawler.crawler();
    let url = answer["url"].as_str().and_then(sent_url);
    let url = url.ok_or_else(|| bad("url", "a URL with a site"))?;
    let access = decision["access"].as_str().unwrap_or_default();
    let tokens: Value = crawler.tokens().iter().map(ProductToken::as_str).collect();
    let mut expected =
        vec![("decision.tokens", tokens), ("decision.checked_url", url.as_str().into())];
    let length = decision["bytes"].as_u64().and_then(|bytes| usize::try_from(bytes).ok());
    let has_file = access == "rules" || length.is_some_and(|length| length > 0);
    let mut body = if has_file { archive.find(&decision["sha256"])? } else { Body::default() };
    // No fetch cuts a shorter body.
    let cut = length.filter(|&it| decision["truncated"] == true && it >= BODY.least);
    if let Some(beginning) = cut.and_then(|length| body.as_bytes().get(..length)) {
        body = Body::new(beginning);
    }
    let bytes = body.as_bytes();
    if has_file || length.is_some() || !decision["sha256"].is_null() {
        expected.push(("decision.bytes", bytes.len().into()));
        expected.push(("decision.sha256", body.sha256_hex().into()));
    }
    let robots = if cut.is_some() { dialect.parse_cut(bytes) } else { dialect.parse(bytes) };
    let verdict = robots.check(crawler, url.as_str());
    let reason = verdict.reason();
    let (allowed, reason, rule) = match access {
        "rules" => (verdict.is_allowed(), reason, verdict.rule().map(RuleKeys::of)),
        // The claimed access decides, which the file cannot prove.
        "allow_all" | "disallow_all" => {
            let by_access = [Reason::Unavailable, Reason::RedirectLimit, Reason::Unreachable];
            let claimed = by_access.iter().find(|reason| answer["reason"] == reason.name());
            (access == "allow_all", *claimed.unwrap_or(&Reason::Unreachable), None)
        }
        "unknown" if WITHOUT_FILE.contains(&reason) || Origin::of(url.as_str()) == Ok(None) => {
            (verdict.is_allowed(), reason, None)
        }
        // This verdict depends on a robots.txt.
        _ => {
            let finding = Finding::of("decision.access".into(), &access.into(), &"rules".into());
            return Ok(finding.into_iter().collect());
        }
    };
    expected.extend([("allowed", allowed.into()), ("reason", reason.name().into())]);
    expected.push(("rule", json!(rule)));
    let mut findings = Vec::new();
    for (item, found) in expected {
        let claimed = item.split('.').fold(answer, |value, key| &value[key]);
        match (claimed, &found) {
            (Value::Object(claimed), Value::Object(known)) => {
                for (key, found) in known {
                    let claimed = claimed.get(key).unwrap_or(&Value::Null);
                    findings.extend(Finding::of(format!("{item}.{key}"), claimed, found));
                }
            }
            _ => findings.extend(Finding::of(item.to_owned(), claimed, &found)),
        }
    }
    findings.extend(times(decision));
    Ok(findings)
}

/// The crawler of the question.
fn crawler(answer: &Value, dialect: &Dialect) -> Option<NamedCrawler> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let agents = || answer["agents"].as_array()?.iter().map(text).collect::<Option<Vec<_>>>();
    let several = if answer["union"] == true { NamedCrawler::union } else { NamedCrawler::chain };
    let agent = text(&answer["agent"]).map(|agent| NamedCrawler::agent(agent, dialect));
    let agent = agent.or_else(|| text(&answer["token"]).map(NamedCrawler::token));
    agent.or_else(|| Some(several(agents()?, dialect)))
}

/// Checks the order of the times, not the intervals between them. An absent time is skipped.
fn times(decision: &Value) -> impl Iterator<Item = Finding> {
    let last = if decision["tried_at"].is_null() { "decided_at" } else { "tried_at" };
    let pairs = [
        ("fetched_at", last),
        ("failing_since", last),
        ("fetched_at", "fresh_until"),
        ("tried_at", "decided_at"),
        ("decided_at", "valid_until"),
    ];
    pairs.into_iter().filter_map(|(before, after)| {
        let (earlier, later) = (&decision[before], &decision[after]);
        let is_ordered = match (earlier.as_u64(), later.as_u64()) {
            (Some(earlier), Some(later)) => earlier <= later,
            _ => earlier.is_null() || later.is_null(),
        };
        let (claimed, found, item) = (later.clone(), Value::Null, format!("decision.{after}"));
        let (shown, earlier) = (value_shown(later), value_shown(earlier));
        let message = format!("claimed {shown}, but `{before}` is {earlier}");
        (!is_ordered).then_some(Finding { item, claimed, found, message })
    })
}

/// The result of verifying one answer.
#[derive(Debug, Serialize)]
pub(crate) struct Verification<'d> {
    /// The line on which the answer begins.
    pub(crate) line: u64,
    #[serde(flatten)]
    pub(crate) url: Foreign<&'d [u8]>,
    pub(crate) holds: bool,
    /// Whether the rules of the file decide. Otherwise the file proves nothing about the fetch.
    pub(crate) by_rules: bool,
    pub(crate) findings: Vec<Finding>,
}

/// A claim that does not hold.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    /// The key in the answer: `rule.line`.
    pub(crate) item: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    claimed: Value,
    /// The correct value; absent if the key must be absent, or several values are possible.
    #[serde(skip_serializing_if = "Value::is_null")]
    found: Value,
    pub(crate) message: String,
}

impl Finding {
    /// A value that differs from the correct one.
    fn of(item: String, claimed: &Value, found: &Value) -> Option<Self> {
        let message = format!("claimed {}, but found {}", value_shown(claimed), value_shown(found));
        let (claimed, found) = (claimed.clone(), found.clone());
        (claimed != found).then_some(Self { item, claimed, found, message })
    }
}

/// A JSON value in a sentence.
fn value_shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => quoted(text),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        other => quoted(&other.to_string()),
    }
}
