//! Whether the fetches can mean what is claimed: `access`, `reason` and `allowed` by the status, in the
//! access profile.

use serde_json::Value;
use verger::access::{Kind, Outcome, Profile, State, Timestamp};

use super::claim::DecisionKeys;
use super::{Claim, Finding};

/// What the fetches mean, and what follows from that.
pub(super) fn check(claim: &Claim, findings: &mut Vec<Finding>) {
    let DecisionKeys { access, source, access_profile, .. } = &claim.decision;
    let profile = Profile::named(access_profile);
    if profile.is_none() {
        let claimed = access_profile.as_str().into();
        let why = "no access profile has that name";
        findings.push(Finding::impossible("decision.access_profile", claimed, why));
    }
    if !matches!(source.as_str(), "fetch" | "store" | "offline" | "nothing") {
        let why = "there is `fetch`, `store`, `offline` and `nothing`";
        findings.push(Finding::impossible("decision.source", source.as_str().into(), why));
    }
    let (reason, allowed) = (claim.keys.reason.as_str(), claim.keys.allowed);
    let claimed = || Value::from(access.as_str());
    match access.as_str() {
        "unknown" => {
            if claim.has_record() || source != "nothing" {
                let why = "nothing is answered where a robots.txt is needed and not known";
                findings.push(Finding::impossible("decision.access", claimed(), why));
            }
            return;
        }
        "rules" => {}
        "allow_all" | "disallow_all" => {
            let expected = access == "allow_all";
            if allowed != expected {
                findings.push(Finding::differs("allowed", allowed.into(), expected.into()));
            }
            body(&claim.decision, findings);
        }
        _ => {
            let why = "there is `rules`, `allow_all`, `disallow_all` and `unknown`";
            findings.push(Finding::impossible("decision.access", claimed(), why));
            return;
        }
    }
    if !claim.has_record() || source == "nothing" {
        let why = "nothing was fetched that could mean it";
        findings.push(Finding::impossible("decision.access", claimed(), why));
    }
    if access == "rules" {
        let found = profile.and_then(|profile| file(&claim.decision, &profile));
        findings.extend(found.or_else(|| made_up(&claim.decision)));
    } else if !matches!(reason, "unavailable" | "unreachable" | "redirect_limit") {
        let why = format!("with access `{access}` no rule is asked");
        findings.push(Finding::impossible("reason", reason.into(), why));
    } else {
        let found = profile.and_then(|profile| no_file(&claim.decision, reason, &profile));
        let found = found.or_else(|| unexplained(&claim.decision, reason));
        findings.extend(found.or_else(|| made_up(&claim.decision)));
    }
}

/// Where there is no file to follow, one is kept only as the copy of an outage.
fn body(decision: &DecisionKeys, findings: &mut Vec<Finding>) {
    let has_copy = decision.failing_since.is_some() && decision.fetched_at.is_some();
    if let Some(bytes) = decision.bytes.filter(|&bytes| bytes > 0 && !has_copy) {
        findings.push(Finding::differs("decision.bytes", bytes.into(), 0.into()));
    }
}

/// Whether the last fetch can have brought, renewed or left the file that is in force.
fn file(decision: &DecisionKeys, profile: &Profile) -> Option<Finding> {
    let is_outage = decision.claims_outage();
    let can_be =
        ends(decision, profile).any(|end| if is_outage { end.is_outage } else { end.has_file });
    let claimed = decision.status.map_or(Value::Null, Value::from);
    let why = "no robots.txt comes with it";
    (!can_be).then(|| Finding::impossible("decision.status", claimed, why))
}

/// Whether the last fetch can have ended without a file for this reason. What holds during an outage
/// depends on the times as well.
fn no_file(decision: &DecisionKeys, reason: &str, profile: &Profile) -> Option<Finding> {
    let DecisionKeys { access, status, failing_since, .. } = decision;
    let ends: Vec<End> = ends(decision, profile).filter(|end| end.reason == Some(reason)).collect();
    let Some(end) = ends.iter().find(|end| end.is_outage == failing_since.is_some()) else {
        return Some(if ends.is_empty() {
            let claimed = reason.into();
            match status {
                Some(status) => {
                    let why = format!("no fetch that ends with status {status} means it");
                    Finding::impossible("reason", claimed, why)
                }
                None => {
                    Finding::impossible("reason", claimed, "no fetch without a status means it")
                }
            }
        } else {
            let claimed = failing_since.map_or(Value::Null, Value::from);
            let is_or_not = if failing_since.is_some() { "no outage" } else { "an outage" };
            let why = format!("in this access profile such a fetch is {is_or_not}");
            Finding::impossible("decision.failing_since", claimed, why)
        });
    };
    let found = end.kind.name();
    (!end.is_outage && found != access)
        .then(|| Finding::differs("decision.access", access.as_str().into(), found.into()))
}

/// Whoever has no file says why, unless the server answered as if there were one.
fn unexplained(decision: &DecisionKeys, reason: &str) -> Option<Finding> {
    let is_success = matches!(decision.status, Some(200..=299));
    let needs_none = reason == "unavailable" && is_success && decision.failing_since.is_none();
    let why = "`failure` says nothing of it";
    (decision.failure.is_none() && !needs_none)
        .then(|| Finding::impossible("reason", reason.into(), why))
}

/// Whoever has a whole answer has nothing to say of a failure. A part is one, even where the access profile
/// takes it for the file (REP-AMB-46).
fn made_up(decision: &DecisionKeys) -> Option<Finding> {
    let is_whole = decision.access == "rules" || matches!(decision.status, Some(200..=299));
    let is_success = is_whole && decision.status != Some(206) && !decision.claims_outage();
    let failure = decision.failure.as_deref().filter(|_| is_success)?;
    let why = "the last fetch brought or renewed what is in force";
    Some(Finding::impossible("decision.failure", failure.into(), why))
}

/// What one end of a fetch means in an access profile, by the engine.
struct End {
    kind: Kind,
    reason: Option<&'static str>,
    is_outage: bool,
    has_file: bool,
}

/// All that the last fetch may have meant: one status can stand behind several ends.
fn ends(decision: &DecisionKeys, profile: &Profile) -> impl Iterator<Item = End> {
    let own = ends_in(decision, profile);
    // An outage is one, and offline a file is a file, whichever access profile the fetch was made in.
    let others: &[Profile] = if decision.source == "store" { &Profile::ALL } else { &[] };
    let others = others.iter().flat_map(|other| ends_in(decision, other));
    own.into_iter().chain(others.filter(|end| end.is_outage || end.has_file))
}

fn ends_in(decision: &DecisionKeys, profile: &Profile) -> Vec<End> {
    let is_web = decision.origin.as_deref().is_some_and(|origin| origin.starts_with("http"));
    let outcomes = match decision.status {
        // Nothing was sent; the status is that of the fetch before.
        _ if decision.source == "offline" => vec![Outcome::Network],
        None => vec![Outcome::Network],
        // FTP's replies have numbers of their own; 550 is told as 404 (REP-ACCESS-11).
        Some(550) if !is_web => vec![Outcome::Status(404), Outcome::Network],
        Some(_) if !is_web => vec![Outcome::Success, Outcome::Network],
        Some(status) => by_http(status, profile),
    };
    let end = |outcome| {
        let now = Timestamp::from_seconds(0);
        let state = State::UNKNOWN.after(profile, outcome, now, 0);
        let access = state.access(profile, now, false);
        End {
            kind: access.kind(),
            reason: access.reason().map(verger::Reason::name),
            is_outage: state.failing_since().is_some(),
            has_file: access.kind() == Kind::Rules,
        }
    };
    outcomes.into_iter().map(end).collect()
}

/// How a fetch may have ended whose last status is this.
fn by_http(status: u16, profile: &Profile) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome::Status(status)];
    match status {
        // A copy that was renewed is as good as the file.
        304 => outcomes.push(Outcome::Success),
        _ if is_redirect(status) => {
            outcomes.push(Outcome::RedirectLimit);
            // REP-ACCESS-22.
            outcomes.extend(profile.disallowed_hop.map(|_| Outcome::DisallowedHop));
        }
        _ => {}
    }
    // A body may break off, and time may end between two requests.
    if matches!(status, 200..=399) {
        outcomes.push(Outcome::Network);
    }
    outcomes
}

/// REP-ACCESS-24: these five are redirects.
pub(super) const fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}
