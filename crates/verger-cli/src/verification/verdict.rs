//! The verdict of the archived file, compared with the claimed one.

use serde_json::Value;
use verger::access::Timestamp;
use verger::{Dialect, Origin, Reason};
use verger_fetch::polite::Politeness;
use verger_fetch::record::Body;

use super::{Archive, Finding, SavedDecision};
use crate::answer::Answer;

/// The keys that depend on the file: first the key of every answer, then those of an answer without
/// a robots.txt, then those of rules.
const KEYS: [&str; 8] =
    ["truncated", "allowed", "reason", "rule", "group", "target", "target_b64", "matches"];

/// The reasons of verdicts that are the same with any robots.txt.
const WITHOUT_FILE: [&str; 3] = [
    Reason::NoRobotsForScheme.name(),
    Reason::RobotsTxtItself.name(),
    Reason::CrawlerIgnoresRobots.name(),
];

/// Keys of `rule`, `group` and `matches` that can be absent.
const OPTIONAL: [&str; 4] = ["pattern_b64", "agents_b64", "agents_total", "by_directory"];

/// Checks the URL against the file again, and compares the answers.
pub(super) fn check(
    saved: &SavedDecision,
    body: &Body,
    archive: &mut Archive,
    findings: &mut Vec<Finding>,
) {
    let (Some(dialect), Some(crawler)) = (Dialect::named(&saved.keys.dialect), saved.crawler())
    else {
        return;
    };
    let file = archive.read(body, &dialect, saved.decision.truncated);
    let has = |key: &str| saved.whole.get(key).is_some();
    let explains = has("matches") || has("target") || has("target_b64");
    let url = saved.decision.checked_url.as_str();
    let answer = Answer::of_file(url.as_bytes(), &crawler, file, explains);
    let Ok(mut found) = serde_json::to_value(answer.keys()) else { return };
    if !has("matches") {
        found["matches"] = Value::Null;
    }
    let reason = found["reason"].as_str().unwrap_or_default();
    let needs_no_file = WITHOUT_FILE.contains(&reason) || Origin::of(url) == Ok(None);
    let keys = match saved.decision.access.as_str() {
        "rules" => &KEYS[..],
        "unknown" if needs_no_file => &KEYS[..3],
        "unknown" => {
            let why = "the answer to this question depends on a robots.txt";
            findings.push(Finding::impossible("decision.access", "unknown".into(), why));
            &KEYS[..1]
        }
        _ => &KEYS[..1],
    };
    for &key in keys {
        compare(&saved.whole[key], &found[key], key.to_owned(), findings);
    }
    let decided_at = Timestamp::from_seconds(saved.decision.decided_at);
    let pace = Politeness::default().pace(file.robots(), crawler.crawler(), decided_at);
    let decision = &saved.whole["decision"];
    let asked = pace.requested.map(|asked| asked.as_secs_f64()).into();
    compare(&decision["asked_pause"], &asked, "decision.asked_pause".to_owned(), findings);
    if let Some(kept) = decision.get("kept_pause") {
        let found = pace.applied.as_secs_f64().into();
        compare(kept, &found, "decision.kept_pause".to_owned(), findings);
    }
}

/// Compares two values; unknown keys of a claimed object are ignored.
fn compare(claimed: &Value, found: &Value, item: String, findings: &mut Vec<Finding>) {
    match (claimed, found) {
        (Value::Object(_), Value::Object(known)) => {
            let absent = OPTIONAL.into_iter().filter(|&key| !known.contains_key(key));
            for key in known.keys().map(String::as_str).chain(absent) {
                compare(&claimed[key], &found[key], format!("{item}.{key}"), findings);
            }
        }
        (Value::Array(claimed), Value::Array(found))
            if item == "matches" && claimed.len() == found.len() =>
        {
            for (at, (claimed, found)) in claimed.iter().zip(found).enumerate() {
                compare(claimed, found, format!("{item}[{at}]"), findings);
            }
        }
        // 2 and 2.0 are the same number.
        (Value::Number(claimed), Value::Number(found)) if claimed.as_f64() == found.as_f64() => {}
        _ if claimed == found => {}
        _ => findings.push(Finding::differs(item, claimed.clone(), found.clone())),
    }
}
