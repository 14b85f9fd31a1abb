//! Whether the times of a decision can be true together, and whether it may be stale.

use serde_json::Value;
use verger::access::{Outcome, Profile, State, Timestamp};
use verger::limits;

use super::Finding;
use super::claim::DecisionKeys;

/// Compares the times with each other.
pub(super) fn check(decision: &DecisionKeys) -> Vec<Finding> {
    let mut findings = Vec::new();
    order(decision, &mut findings);
    last_try(decision, &mut findings);
    // Offline a file that is kept stands, and in an outage it is the copy, whichever access profile it was
    // fetched in.
    let may_be_of_another = decision.failing_since.is_some()
        || decision.access == "rules" && decision.source != "fetch";
    let profile = Profile::named(&decision.access_profile).filter(|_| !may_be_of_another);
    // REP-AMB-18. What a server says of it is not known here, so the greater ceiling counts.
    let ceiling = profile.map(|profile| profile.ceiling.max(profile.max_age_ceiling));
    let longest = ceiling.map_or(limits::FRESHNESS, |it| it.min(limits::FRESHNESS)).as_secs();
    if let (Some(fetched_at), Some(fresh_until)) = (decision.fetched_at, decision.fresh_until)
        && fresh_until > fetched_at.saturating_add(longest)
    {
        let why = format!("nothing is fresh for more than {longest} seconds here");
        findings.push(Finding::impossible("decision.fresh_until", fresh_until.into(), why));
    }
    let is_known = matches!(decision.access.as_str(), "rules" | "allow_all" | "disallow_all");
    if decision.access == "rules" || is_known && decision.failing_since.is_none() {
        for (item, time) in [
            ("decision.fetched_at", decision.fetched_at),
            ("decision.fresh_until", decision.fresh_until),
        ] {
            if time.is_none() {
                let why = "what is in force was fetched once";
                findings.push(Finding::impossible(item, Value::Null, why));
            }
        }
    }
    match decision.failing_since {
        Some(since) => outage(decision, since, &mut findings),
        None => stale(decision, &mut findings),
    }
    findings
}

/// What may not be earlier than what.
fn order(decision: &DecisionKeys, findings: &mut Vec<Finding>) {
    let &DecisionKeys { tried_at, fetched_at, fresh_until, failing_since, .. } = decision;
    let (decided_at, valid_until) = (Some(decision.decided_at), Some(decision.valid_until));
    for (item, later, before, earlier) in [
        ("tried_at", tried_at, "fetched_at", fetched_at),
        ("tried_at", tried_at, "failing_since", failing_since),
        // What is fetched ends an outage.
        ("failing_since", failing_since, "fetched_at", fetched_at),
        ("fresh_until", fresh_until, "fetched_at", fetched_at),
        ("decided_at", decided_at, "tried_at", tried_at),
        ("valid_until", valid_until, "decided_at", decided_at),
    ] {
        if let (Some(later), Some(earlier)) = (later, earlier)
            && later < earlier
        {
            let why = format!("`{before}` is later, {earlier}");
            findings.push(Finding::impossible(format!("decision.{item}"), later.into(), why));
        }
    }
}

/// When robots.txt was tried last: it gave what is in force, unless it failed.
fn last_try(decision: &DecisionKeys, findings: &mut Vec<Finding>) {
    let &DecisionKeys { tried_at, fetched_at, decided_at, valid_until, .. } = decision;
    if decision.origin.is_none() {
        // No robots.txt was needed, and nothing is known for longer.
        if valid_until > decided_at {
            let (claimed, found) = (valid_until.into(), decided_at.into());
            findings.push(Finding::differs("decision.valid_until", claimed, found));
        }
        return;
    }
    if tried_at.is_none() {
        let why = "a robots.txt was needed";
        findings.push(Finding::impossible("decision.tried_at", Value::Null, why));
    }
    if let (Some(tried_at), Some(fetched_at)) = (tried_at, fetched_at)
        && fetched_at < tried_at
        && !decision.claims_outage()
    {
        // Also 304 renews it (REP-CACHE-5).
        let (claimed, found) = (fetched_at.into(), tried_at.into());
        findings.push(Finding::differs("decision.fetched_at", claimed, found));
    }
}

/// What an outage means at the time of the decision, as the engine says it.
fn outage(decision: &DecisionKeys, since: u64, findings: &mut Vec<Finding>) {
    let DecisionKeys { access, stale, failure, .. } = decision;
    if failure.is_none() {
        let why = "`failure` says nothing of an outage";
        findings.push(Finding::impossible("decision.failing_since", since.into(), why));
    }
    if decision.source == "offline"
        && decision.fetched_at.is_none()
        && let Some(tried_at) = decision.tried_at.filter(|&tried_at| tried_at != since)
    {
        // Nobody tried, so none can have lasted.
        let item = "decision.failing_since";
        findings.push(Finding::differs(item, since.into(), tried_at.into()));
    }
    let Some(mut profile) = Profile::named(&decision.access_profile) else { return };
    // When the next try is due is not known here, but when it is at the latest: `Retry-After` asks for no
    // more, and the last number spreads that as far as it goes (REP-CACHE-21).
    (profile.retry_first, profile.retry_longest) = (limits::RETRY, limits::RETRY);
    let latest = limits::RETRY.as_secs() / 5 * 2;
    let fetched = |state: State, outcome, at| {
        state.after(&profile, outcome, Timestamp::from_seconds(at), latest)
    };
    // Only a copy has been fetched before an outage.
    let copy = decision.fetched_at;
    let before = copy.map_or(State::UNKNOWN, |at| fetched(State::UNKNOWN, Outcome::Success, at));
    let state = fetched(before, Outcome::Network, since);
    let state = decision.tried_at.map_or(state, |at| fetched(state, Outcome::Network, at));
    // `verger check` fetches no page, so its client has not been told of any (REP-CACHE-22).
    let found = state.access(&profile, Timestamp::from_seconds(decision.decided_at), false);
    let is_known = matches!(access.as_str(), "rules" | "allow_all" | "disallow_all");
    if is_known && access != found.kind().name() {
        let found = found.kind().name().into();
        findings.push(Finding::differs("decision.access", access.as_str().into(), found));
    } else if stale.as_deref() != found.stale().map(verger::access::Stale::name) {
        let claimed = stale.as_deref().map_or(Value::Null, Value::from);
        let found = found.stale().map_or(Value::Null, |stale| stale.name().into());
        findings.push(Finding::differs("decision.stale", claimed, found));
    }
    let until = found.valid_until().seconds();
    if decision.valid_until > until.max(decision.decided_at) {
        let why = format!("this answer stands until {until} at the latest");
        let claimed = decision.valid_until.into();
        findings.push(Finding::impossible("decision.valid_until", claimed, why));
    }
}

/// Without an outage: how long the result stands, and why it may be stale.
fn stale(decision: &DecisionKeys, findings: &mut Vec<Finding>) {
    let &DecisionKeys { fetched_at, fresh_until, decided_at, valid_until, .. } = decision;
    let stale = decision.stale.as_deref();
    let mut impossible = |why: &str| {
        let claimed = stale.map_or(Value::Null, Value::from);
        findings.push(Finding::impossible("decision.stale", claimed, why));
    };
    let stands_until = match stale {
        // REP-CACHE-23.
        None if fresh_until.is_some_and(|fresh_until| decided_at >= fresh_until) => {
            return impossible("what was fetched was fresh no more");
        }
        None => fresh_until,
        Some("while_refreshing") => {
            let longest = limits::ANSWER_WHILE_REFRESHING.as_secs();
            if fetched_at.is_none_or(|at| decided_at >= at.saturating_add(longest)) {
                impossible("what was fetched was too old for that");
            }
            if fresh_until.is_none_or(|fresh_until| decided_at < fresh_until) {
                impossible("what was fetched was fresh");
            }
            Some(decided_at)
        }
        Some("during_outage") => return impossible("`failing_since` says nothing of an outage"),
        Some(_) => return impossible("there is `while_refreshing` and `during_outage`"),
    };
    if let Some(found) = stands_until.filter(|&found| found != valid_until) {
        let claimed = valid_until.into();
        findings.push(Finding::differs("decision.valid_until", claimed, found.into()));
    }
}
