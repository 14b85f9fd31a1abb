//! Whether what an answer says of its circumstances can be true together.

use serde_json::Value;
use url::Url;
use verger::access::{Meaning, Outcome, Profile};
use verger::{Dialect, Origin};

use super::claim::{DecisionKeys, tokens};
use super::{Claim, Finding, times};

/// Compares the claims with each other, and with what is known without the file.
pub(super) fn check(claim: &Claim) -> Vec<Finding> {
    let mut findings = Vec::new();
    who(claim, &mut findings);
    if Dialect::named(&claim.keys.dialect).is_none() {
        let claimed = claim.keys.dialect.as_str().into();
        findings.push(Finding::impossible("dialect", claimed, "no dialect has that name"));
    }
    way(claim, &mut findings);
    meaning(claim, &mut findings);
    findings.extend(times::check(&claim.decision));
    findings
}

/// Who asked: the name and the tokens.
fn who(claim: &Claim, findings: &mut Vec<Finding>) {
    let (named, evident) = (claim.named(), claim.evident());
    let crawler = || claim.whole["crawler"].clone();
    match (named, evident) {
        (None, None) => {
            let why = "no crawler of that name is known, and there are no `tokens`";
            findings.push(Finding::impossible("crawler", crawler(), why));
        }
        (None, Some(_)) => {
            let why = "no crawler of that name is known";
            findings.push(Finding::impossible("crawler", crawler(), why));
        }
        (Some(named), Some(evident)) if named.crawler() != evident.crawler() => {
            let (claimed, found) = (tokens(&evident), tokens(&named));
            findings.push(if claimed == found {
                let why = "this crawler does otherwise where no group names it";
                Finding::impossible("decision.tokens", claimed, why)
            } else {
                Finding::differs("decision.tokens", claimed, found)
            });
        }
        _ => {}
    }
}

/// From the URL to the file.
fn way(claim: &Claim, findings: &mut Vec<Finding>) {
    let DecisionKeys { checked_url, origin, hops, final_url, downgraded, .. } = &claim.decision;
    if let Some(sent) = sent(&claim.keys.url)
        && sent != *checked_url
    {
        let claimed = checked_url.as_str().into();
        findings.push(Finding::differs("decision.checked_url", claimed, sent.into()));
    }
    let Some(claimed) = origin else { return };
    let Ok(Some(origin)) = Origin::of(checked_url) else {
        let why = "`checked_url` has no origin with a robots.txt";
        findings.push(Finding::impossible("decision.origin", claimed.as_str().into(), why));
        return;
    };
    if origin.to_string() != *claimed {
        let found = origin.to_string().into();
        findings.push(Finding::differs("decision.origin", claimed.as_str().into(), found));
    }
    let (item, first) = match hops.first() {
        Some(hop) => ("decision.hops[0].url", Some(hop.url.as_str())),
        None => ("decision.final_url", final_url.as_deref()),
    };
    let asked = origin.robots_url();
    let asked = sent(&asked).unwrap_or(asked);
    if first != Some(&asked) {
        let claimed = first.map_or(Value::Null, Value::from);
        findings.push(Finding::differs(item, claimed, asked.into()));
    }
    for (at, hop) in hops.iter().enumerate() {
        if !matches!(hop.status, 301 | 302 | 303 | 307 | 308) {
            let item = format!("decision.hops[{at}].status");
            findings.push(Finding::impossible(item, hop.status.into(), "that is no redirect"));
        }
    }
    // REP-ACCESS-28. One that was not followed leaves no other trace.
    let is_secure = |url: &&str| url.starts_with("https:");
    let urls = hops.iter().map(|hop| hop.url.as_str()).chain(final_url.as_deref());
    let urls: Vec<&str> = urls.collect();
    let leads_down =
        urls.windows(2).any(|pair| is_secure(&pair[0]) && pair[1].starts_with("http:"));
    if leads_down && !downgraded {
        findings.push(Finding::differs("decision.downgraded", false.into(), true.into()));
    } else if *downgraded && !urls.iter().any(is_secure) {
        findings.push(Finding::differs("decision.downgraded", true.into(), false.into()));
    }
}

/// The URL as a client sends it; `None` where it is none.
fn sent(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.set_fragment(None);
    // Both fail only where there is no host, and then there are no credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(url.into())
}

/// What the fetches mean, and what follows from that.
fn meaning(claim: &Claim, findings: &mut Vec<Finding>) {
    let DecisionKeys { access, source, access_profile, .. } = &claim.decision;
    let profile = Profile::named(access_profile);
    if profile.is_none() {
        let claimed = access_profile.as_str().into();
        let why = "no access profile has that name";
        findings.push(Finding::impossible("decision.access_profile", claimed, why));
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
            if !matches!(reason, "unavailable" | "unreachable" | "redirect_limit") {
                let why = format!("with access `{access}` no rule is asked");
                findings.push(Finding::impossible("reason", reason.into(), why));
            }
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
    if let Some(profile) = profile {
        status(claim, &profile, findings);
    }
}

/// What the last response means in the access profile.
fn status(claim: &Claim, profile: &Profile, findings: &mut Vec<Finding>) {
    let DecisionKeys { access, status, final_url, stale, failure, .. } = &claim.decision;
    // FTP's replies have numbers of their own.
    let is_http = final_url.as_deref().is_some_and(|url| url.starts_with("http"));
    let status = status.filter(|_| is_http);
    let shown = status.map_or(Value::Null, Value::from);
    let expected = match (claim.keys.reason.as_str(), status) {
        _ if access == "rules" => {
            let is_file = matches!(status, Some(200..=299 | 304));
            if is_http && stale.as_deref() != Some("during_outage") && !is_file {
                let why = "no robots.txt comes with it";
                findings.push(Finding::impossible("decision.status", shown, why));
            }
            return;
        }
        ("unreachable", _) if failure.is_none() => {
            let why = "`failure` says nothing of it";
            findings.push(Finding::impossible("reason", "unreachable".into(), why));
            return;
        }
        ("redirect_limit", _) => profile.meaning(Outcome::RedirectLimit),
        ("unavailable", Some(status @ 400..=499)) => profile.meaning(Outcome::Status(status)),
        _ => return,
    };
    let found = match expected {
        Meaning::AllowAll => "allow_all",
        Meaning::DisallowAll => "disallow_all",
        // What holds during an outage depends on more than the last response.
        _ => return,
    };
    if found != access {
        let claimed = access.as_str().into();
        findings.push(Finding::differs("decision.access", claimed, found.into()));
    }
}
