//! Whether what an answer says of its circumstances can be true together.

use serde_json::Value;
use url::Url;
use verger::access::Profile;
use verger::{Dialect, Origin};
use verger_fetch::fetch::sent_url;
use verger_fetch::limits::REDIRECTS;

use super::claim::{DecisionKeys, tokens};
use super::{Claim, Finding, fetches, times};

/// Compares the claims with each other, and with what is known without the file.
pub(super) fn check(claim: &Claim) -> Vec<Finding> {
    let mut findings = Vec::new();
    who(claim, &mut findings);
    if Dialect::named(&claim.keys.dialect).is_none() {
        let claimed = claim.keys.dialect.as_str().into();
        findings.push(Finding::impossible("dialect", claimed, "no dialect has that name"));
    }
    way(claim, &mut findings);
    fetches::check(claim, &mut findings);
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
    let DecisionKeys { checked_url, origin, hops, final_url, .. } = &claim.decision;
    match sent_url(&claim.keys.url).map(String::from) {
        None => {
            let claimed = claim.keys.url.as_str().into();
            findings.push(Finding::impossible("url", claimed, "that is no URL"));
        }
        Some(sent) if sent != *checked_url => {
            let claimed = checked_url.as_str().into();
            findings.push(Finding::differs("decision.checked_url", claimed, sent.into()));
        }
        Some(_) => {}
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
    let asked = sent_url(&asked).map_or(asked, String::from);
    if first != Some(&asked) {
        let claimed = first.map_or(Value::Null, Value::from);
        findings.push(Finding::differs(item, claimed, asked.into()));
    }
    redirects(&claim.decision, &origin, findings);
    downgrade(&claim.decision, findings);
}

/// From one URL to the next.
fn redirects(decision: &DecisionKeys, origin: &Origin, findings: &mut Vec<Finding>) {
    let DecisionKeys { hops, final_url, access_profile, .. } = decision;
    for (at, hop) in hops.iter().enumerate() {
        if !fetches::is_redirect(hop.status) {
            let item = format!("decision.hops[{at}].status");
            findings.push(Finding::impossible(item, hop.status.into(), "that is no redirect"));
        }
    }
    // REP-ACCESS-23: the smaller number counts. No other protocol has redirects.
    let is_web = matches!(origin.scheme(), "http" | "https");
    let followed = Profile::named(access_profile)
        .map_or(REDIRECTS.most, |profile| REDIRECTS.most.min(profile.redirects.into()));
    let most = if is_web { followed } else { 0 };
    if let Some(hop) = hops.get(most) {
        let why = format!("no more than {most} redirects are followed here");
        let item = format!("decision.hops[{most}].url");
        findings.push(Finding::impossible(item, hop.url.as_str().into(), why));
    }
    let Some(final_url) = final_url else {
        if !hops.is_empty() {
            let why = "redirects lead somewhere";
            findings.push(Finding::impossible("decision.final_url", Value::Null, why));
        }
        return;
    };
    // The first of them has been compared with the origin.
    let targets = hops.iter().map(|hop| &hop.url).chain([final_url]).enumerate().skip(1);
    for (at, url) in targets {
        let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        let why = if !is_web {
            "redirects are followed to `http` and `https` only"
        } else if hops[..at].iter().any(|before| before.url == *url) {
            "that was asked before, and a loop is not followed"
        } else {
            continue;
        };
        let item = match hops.get(at) {
            Some(_) => format!("decision.hops[{at}].url"),
            None => "decision.final_url".to_owned(),
        };
        findings.push(Finding::impossible(item, url.as_str().into(), why));
        // What is behind it was not asked.
        return;
    }
}

/// REP-ACCESS-28. One that was not followed leaves no other trace.
fn downgrade(decision: &DecisionKeys, findings: &mut Vec<Finding>) {
    let DecisionKeys { hops, final_url, downgraded, .. } = decision;
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
