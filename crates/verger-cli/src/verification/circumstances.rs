//! Whether what an answer says of its circumstances can be true together.

use serde_json::Value;
use verger::access::Profile;
use verger::{Dialect, Origin};
use verger_fetch::fetch::sent_url;
use verger_fetch::limits::REDIRECTS;

use super::claim::{DecisionKeys, HopKeys, tokens};
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
    let Some(asker) = claim.evident().or_else(|| claim.named()) else { return };
    // The first name has been compared.
    for (key, other) in claim.names().skip(1) {
        if other.is_none_or(|other| other.crawler().tokens() != asker.crawler().tokens()) {
            findings.push(Finding::differs(key, claim.whole[key].clone(), tokens(&asker)));
        }
    }
}

/// The keys that are absent where no robots.txt was needed.
const OF_A_FILE: [&str; 13] = [
    "status",
    "failure",
    "hops",
    "final_url",
    "tried_at",
    "fetched_at",
    "fresh_until",
    "failing_since",
    "downgraded",
    "truncated",
    "html",
    "bytes",
    "sha256",
];

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
    let Some(claimed) = origin else {
        let evidence = &claim.whole["decision"];
        if let Some(key) = OF_A_FILE.iter().find(|&&key| evidence.get(key).is_some()) {
            let why = format!("`{key}` says something of a robots.txt");
            findings.push(Finding::impossible("decision.origin", Value::Null, why));
        }
        return;
    };
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
        let sent = sent_url(url).filter(|sent| matches!(sent.scheme(), "http" | "https"));
        let claimed = url.as_str().into();
        findings.push(match sent.map(String::from) {
            None => {
                let why = "redirects are followed to `http` and `https` only";
                Finding::impossible(place(at, hops), claimed, why)
            }
            // No client sends credentials, a fragment, or what is not resolved.
            Some(sent) if sent != *url => Finding::differs(place(at, hops), claimed, sent.into()),
            Some(_) if hops[..at].iter().any(|before| before.url == *url) => {
                let why = "that was asked before, and a loop is not followed";
                Finding::impossible(place(at, hops), claimed, why)
            }
            Some(_) => continue,
        });
        // What is behind it was not asked.
        return;
    }
}

/// Where the URL of this number on the way stands.
fn place(at: usize, hops: &[HopKeys]) -> String {
    match hops.get(at) {
        Some(_) => format!("decision.hops[{at}].url"),
        None => "decision.final_url".to_owned(),
    }
}

/// REP-ACCESS-28. One that was not followed leaves no other trace.
fn downgrade(decision: &DecisionKeys, findings: &mut Vec<Finding>) {
    let DecisionKeys { hops, final_url, downgraded, access, source, .. } = decision;
    let is_secure = |url: &&str| url.starts_with("https:");
    let urls = hops.iter().map(|hop| hop.url.as_str()).chain(final_url.as_deref());
    let urls: Vec<&str> = urls.collect();
    let led_down =
        urls.windows(2).position(|pair| is_secure(&pair[0]) && pair[1].starts_with("http:"));
    let is_file = access == "rules";
    match led_down {
        Some(_) if !downgraded => {
            findings.push(Finding::differs("decision.downgraded", false.into(), true.into()));
        }
        // A file came by redirects that were followed.
        None if *downgraded && (is_file || !urls.iter().any(is_secure)) => {
            findings.push(Finding::differs("decision.downgraded", true.into(), false.into()));
        }
        _ => {}
    }
    // A file that is kept may be one that was fetched in another access profile: offline it stands, in an
    // outage it is the copy, and 304 renews it.
    let is_new = source == "fetch" && decision.status != Some(304);
    let is_its_own = decision.failing_since.is_none() && (is_new || !is_file);
    let profile = Profile::named(&decision.access_profile).filter(|_| is_its_own);
    if let (Some(at), Some(profile)) = (led_down, profile)
        && !profile.follow_downgrades
    {
        let why = "this access profile does not follow redirects from https to http";
        findings.push(Finding::impossible(place(at + 1, hops), urls[at + 1].into(), why));
    }
}
