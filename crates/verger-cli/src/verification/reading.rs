//! The file, and what it says: the same question, asked again.

use serde_json::Value;
use verger::access::Timestamp;
use verger::{Dialect, Origin};
use verger_fetch::limits::BODY;
use verger_fetch::polite::Politeness;
use verger_fetch::record::Body;

use super::{Archive, Claim, Finding};
use crate::answer::Answer;
use crate::error::Error;
use crate::quote::quoted;
use crate::reply::Reply;

/// Compares the file and its answer with what is claimed of them.
///
/// # Errors
///
/// When the file is not in the archive.
pub(super) fn check(claim: &Claim, archive: &mut Archive) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    let body = same_file(claim, archive, &mut findings)?;
    let asker = claim.evident().or_else(|| claim.named());
    let (Some(dialect), Some(asker)) = (Dialect::named(&claim.keys.dialect), asker) else {
        return Ok(findings);
    };
    let file = archive.read(&body, &dialect);
    let has = |key: &str| claim.whole.get(key).is_some();
    let explains = has("matches") || has("target") || has("target_b64");
    let url = claim.decision.checked_url.as_bytes();
    let reply = Reply::ask(url, &asker, file, explains);
    let Ok(mut found) = serde_json::to_value(Answer::of(&reply)) else { return Ok(findings) };
    match claim.decision.access.as_str() {
        "rules" => {
            compare(&claim.whole, &found, "", &["allowed", "reason", "truncated"], &mut findings);
            compare_objects(&claim.whole, &found, "rule", RULE, &mut findings);
            compare_objects(&claim.whole, &found, "group", GROUP, &mut findings);
            if explains {
                compare(&claim.whole, &found, "", &["target", "target_b64"], &mut findings);
            }
            if has("matches") {
                compare_matches(&claim.whole, &found, &mut findings);
            }
        }
        // The answer needs no file, as an empty one shows.
        "unknown" => {
            let needs_none =
                ["no_robots_for_scheme", "robots_txt_itself", "crawler_ignores_robots"];
            let reason = found["reason"].as_str().unwrap_or_default();
            let has_origin = Origin::of(&claim.decision.checked_url) != Ok(None);
            if needs_none.contains(&reason) || !has_origin {
                compare(&claim.whole, &found, "", &["allowed", "reason"], &mut findings);
            } else {
                let why = "the answer to this question depends on a robots.txt";
                let claimed = claim.decision.access.as_str().into();
                findings.push(Finding::impossible("decision.access", claimed, why));
            }
            no_rules(claim, &mut findings);
        }
        // Whatever the file says, the fetches decide.
        _ => {
            compare(&claim.whole, &found, "", &["truncated"], &mut findings);
            no_rules(claim, &mut findings);
        }
    }
    let decided_at = Timestamp::from_seconds(claim.decision.decided_at);
    let pace = Politeness::default().pace(file.robots(), asker.crawler(), decided_at);
    found["asked_pause"] = pace.asked.map_or(Value::Null, |asked| asked.as_secs_f64().into());
    found["kept_pause"] = pace.kept.as_secs_f64().into();
    let decision = &claim.whole["decision"];
    compare(decision, &found, "decision.", &["asked_pause"], &mut findings);
    if decision.get("kept_pause").is_some() {
        compare(decision, &found, "decision.", &["kept_pause"], &mut findings);
    }
    Ok(findings)
}

/// The body that the answer is about, as far as the archive has it: all of it, or what a fetch had read
/// when it stopped; nothing where the answer says that nothing was kept.
fn same_file(
    claim: &Claim,
    archive: &mut Archive,
    findings: &mut Vec<Finding>,
) -> Result<Body, Error> {
    let decision = &claim.decision;
    let rests_on_file = decision.access == "rules" || decision.bytes.is_some_and(|it| it > 0);
    if !rests_on_file {
        // What is claimed of nothing is compared with nothing.
        let nothing = Body::default();
        if claim.has_record() {
            compare_body(claim, &nothing, findings);
        }
        return Ok(nothing);
    }
    let sha256 = decision.sha256.as_deref();
    let whole = archive.find(sha256).ok_or_else(|| {
        let found = sha256.map_or_else(|| "of none".to_owned(), quoted);
        Error::new(format!("not verifiable: expected a file with SHA-256 {found}, but found none"))
    })?;
    let length = decision.bytes.and_then(|bytes| usize::try_from(bytes).ok());
    if decision.truncated {
        if length.is_none_or(|length| length < BODY.least) {
            let why = format_args!("no body is cut before {} bytes", BODY.least);
            findings.push(Finding::impossible("decision.truncated", true.into(), why));
        } else if let Some(beginning) = length.and_then(|length| beginning(&whole, length)) {
            compare_body(claim, &beginning, findings);
            return Ok(beginning);
        }
    }
    compare_body(claim, &whole, findings);
    Ok(whole)
}

/// The first bytes of a file; `None` where it has no more than these.
fn beginning(whole: &Body, bytes: usize) -> Option<Body> {
    let body = whole.as_bytes();
    (bytes < body.len()).then(|| Body::new(&body[..bytes]))
}

fn compare_body(claim: &Claim, body: &Body, findings: &mut Vec<Finding>) {
    let bytes = claim.decision.bytes.map_or(Value::Null, Value::from);
    let length = Value::from(body.as_bytes().len());
    if bytes != length {
        findings.push(Finding::differs("decision.bytes", bytes, length));
    }
    let hash = claim.decision.sha256.as_deref();
    let found = body.sha256_hex();
    if !hash.is_some_and(|hash| hash.eq_ignore_ascii_case(&found)) {
        let hash = hash.map_or(Value::Null, Value::from);
        findings.push(Finding::differs("decision.sha256", hash, found.into()));
    }
}

/// No rule may be named that has not decided.
fn no_rules(claim: &Claim, findings: &mut Vec<Finding>) {
    for item in ["rule", "group", "target", "target_b64", "matches"] {
        if let Some(claimed) = claim.whole.get(item) {
            let why = "the rules of the file were not asked";
            findings.push(Finding::impossible(item, claimed.clone(), why));
        }
    }
}

/// The keys of objects of the contract, those that may be absent included.
const RULE: &[&str] = &["kind", "pattern", "pattern_b64", "line", "column", "span"];
const GROUP: &[&str] = &["agents", "agents_b64", "agents_total", "line"];
const MATCH: &[&str] = &[
    "kind",
    "pattern",
    "pattern_b64",
    "line",
    "column",
    "span",
    "length",
    "standing",
    "by_directory",
];

/// Compares keys of two objects; others are passed over.
fn compare(
    claimed: &Value,
    found: &Value,
    before: &str,
    keys: &[&str],
    findings: &mut Vec<Finding>,
) {
    for &key in keys {
        let of = |object: &Value| object.get(key).cloned().unwrap_or_default();
        let (claimed, found) = (of(claimed), of(found));
        if !are_equal(&claimed, &found) {
            findings.push(Finding::differs(format!("{before}{key}"), claimed, found));
        }
    }
}

/// Compares an object that may be absent.
fn compare_objects(
    claimed: &Value,
    found: &Value,
    key: &str,
    keys: &[&str],
    findings: &mut Vec<Finding>,
) {
    match (claimed.get(key), found.get(key)) {
        (Some(claimed), Some(found)) if claimed.is_object() => {
            compare(claimed, found, &format!("{key}."), keys, findings);
        }
        (None, None) => {}
        (claimed, found) => {
            let of = |value: Option<&Value>| value.cloned().unwrap_or_default();
            findings.push(Finding::differs(key, of(claimed), of(found)));
        }
    }
}

fn compare_matches(claimed: &Value, found: &Value, findings: &mut Vec<Finding>) {
    let (claimed, found) = (&claimed["matches"], &found["matches"]);
    match (claimed.as_array(), found.as_array()) {
        (Some(claimed), Some(found)) if claimed.len() == found.len() => {
            for (at, (claimed, found)) in claimed.iter().zip(found).enumerate() {
                compare(claimed, found, &format!("matches[{at}]."), MATCH, findings);
            }
        }
        _ => findings.push(Finding::differs("matches", claimed.clone(), found.clone())),
    }
}

/// Whether two values are the same; 2 and 2.0 are one number.
fn are_equal(one: &Value, other: &Value) -> bool {
    one == other
        || (one.is_f64() || other.is_f64())
            && one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| {
                // Both were written with all their digits.
                one.total_cmp(&other).is_eq()
            })
}
