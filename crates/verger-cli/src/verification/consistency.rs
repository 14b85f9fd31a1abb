//! Consistency of an answer with itself: crawler, dialect, URL, access, order of times.

use serde_json::Value;
use verger::{Dialect, Origin};
use verger_fetch::fetch::sent_url;

use super::decision::{DecisionKeys, tokens};
use super::{Finding, SavedDecision};

/// Compares the claims with each other.
pub(super) fn check(saved: &SavedDecision) -> Vec<Finding> {
    let mut findings = Vec::new();
    crawler(saved, &mut findings);
    if Dialect::named(&saved.keys.dialect).is_none() {
        let claimed = saved.keys.dialect.as_str().into();
        findings.push(Finding::impossible("dialect", claimed, "no dialect has that name"));
    }
    url(saved, &mut findings);
    access(saved, &mut findings);
    times(&saved.decision, &mut findings);
    findings
}

/// Compares every name of the crawler with the tokens.
fn crawler(saved: &SavedDecision, findings: &mut Vec<Finding>) {
    let crawler = saved.crawler();
    for (at, (key, named)) in saved.names().enumerate() {
        let Some(crawler) = &crawler else { continue };
        if named.crawler().tokens() != crawler.crawler().tokens() {
            let (evident, expected) = (tokens(crawler), tokens(&named));
            findings.push(match at {
                0 => Finding::differs("decision.tokens", evident, expected),
                _ => Finding::differs(key, saved.whole[key].clone(), evident),
            });
        } else if at == 0 && named.crawler() != crawler.crawler() {
            let why = "this crawler combines or ignores groups differently";
            findings.push(Finding::impossible("decision.tokens", tokens(crawler), why));
        }
    }
}

/// Compares the URL with the URL that was checked, and that with its origin.
fn url(saved: &SavedDecision, findings: &mut Vec<Finding>) {
    let DecisionKeys { checked_url, origin, access, .. } = &saved.decision;
    let sent = sent_url(&saved.keys.url).map(String::from);
    if sent.is_none() {
        let claimed = saved.whole["url"].clone();
        findings.push(Finding::impossible("url", claimed, "that is not a URL"));
    } else if sent.as_ref() != Some(checked_url) {
        let claimed = checked_url.as_str().into();
        findings.push(Finding::differs("decision.checked_url", claimed, sent.into()));
    }
    let found = Origin::of(checked_url).ok().flatten().map(|origin| origin.to_string());
    let claimed = Value::from(origin.clone());
    if origin.is_none() && access == "unknown" {
        // No robots.txt was needed.
    } else if found.is_none() {
        let why = "`checked_url` has no origin with a robots.txt";
        findings.push(Finding::impossible("decision.origin", claimed, why));
    } else if *origin != found {
        findings.push(Finding::differs("decision.origin", claimed, found.into()));
    }
}

/// Compares the answer with the claimed access, which the file cannot prove.
fn access(saved: &SavedDecision, findings: &mut Vec<Finding>) {
    let (access, allowed) = (saved.decision.access.as_str(), saved.keys.allowed);
    let expected = match access {
        "rules" => return,
        "unknown" => None,
        "allow_all" => Some(true),
        "disallow_all" => Some(false),
        _ => {
            let why = "the values are `rules`, `allow_all`, `disallow_all` and `unknown`";
            return findings.push(Finding::impossible("decision.access", access.into(), why));
        }
    };
    if let Some(expected) = expected.filter(|&expected| expected != allowed) {
        findings.push(Finding::differs("allowed", allowed.into(), expected.into()));
    }
    let why = format!("with access `{access}` no rule decides");
    let reason = saved.keys.reason.as_str();
    if expected.is_some() && !["unavailable", "unreachable", "redirect_limit"].contains(&reason) {
        findings.push(Finding::impossible("reason", reason.into(), &why));
    }
    for item in ["rule", "group", "target", "target_b64", "matches"] {
        if let Some(claimed) = saved.whole.get(item) {
            findings.push(Finding::impossible(item, claimed.clone(), &why));
        }
    }
}

/// Checks the order of the times, not the intervals between them.
fn times(decision: &DecisionKeys, findings: &mut Vec<Finding>) {
    let &DecisionKeys { fetched_at, fresh_until, failing_since, tried_at, .. } = decision;
    let decided_at = ("decided_at", Some(decision.decided_at));
    let last = if tried_at.is_some() { ("tried_at", tried_at) } else { decided_at };
    for ((before, earlier), (item, later)) in [
        (("fetched_at", fetched_at), last),
        (("failing_since", failing_since), last),
        (("fetched_at", fetched_at), ("fresh_until", fresh_until)),
        (("tried_at", tried_at), decided_at),
        (decided_at, ("valid_until", Some(decision.valid_until))),
    ] {
        if let (Some(earlier), Some(later)) = (earlier, later)
            && later < earlier
        {
            let why = format!("`{before}` is later, {earlier}");
            findings.push(Finding::impossible(format!("decision.{item}"), later.into(), why));
        }
    }
}
