//! Tests of the crate as its users see it.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

mod addresses;
mod client_address;
mod lists;
mod names;
#[cfg(feature = "net")]
mod net;
mod requests;
mod several_signatures;
mod signatures;

use verger::access::Timestamp;
use verger_identity::{Identifier, Identity, Request};

fn time(text: &str) -> Timestamp {
    Request::time(text).expect("a time")
}

/// A header with a product token.
fn header(token: &str) -> String {
    format!("Mozilla/5.0 (compatible; {token}/1.0; +https://bot.example/)")
}

/// A request with a header, at a time, from an address or none.
fn request(header: &str, at: &str, ip: &str) -> Request {
    let ip = (!ip.is_empty()).then(|| ip.parse().expect("an address"));
    let user_agent = Some(header.to_owned());
    Request { ip, user_agent, at: Some(time(at)), ..Request::default() }
}

/// The identity of a client with a header and an address, as JSON.
fn json(identity: &Identity<'_>) -> serde_json::Value {
    serde_json::to_value(identity).expect("an identity is JSON")
}

#[test]
fn an_answer_is_json_with_a_status_for_each_proof() {
    let identifier = Identifier::default();
    let header = header("Googlebot");
    let request = request(&header, "2026-08-01", "::ffff:66.249.66.1");
    let expected = serde_json::json!({
        "verdict": "verified",
        "address": "66.249.66.1",
        "at": "2026-08-01T00:00:00Z",
        "claims": [{
            "crawler": "Googlebot",
            "operator": "Google",
            "verdict": "verified",
            "addresses": {
                "status": "verified",
                "prefix": "66.249.66.0/27",
                "list": {
                    "url": "https://developers.google.com/static/crawling/ipranges/common-crawlers.json",
                    "copied": "2026-09-02T14:41:06Z",
                    "is_later": true,
                    "is_outdated": false,
                },
            },
            "reverse_dns": { "status": "not_checked", "reason": "offline" },
            "signature": { "status": "not_published" },
        }],
        "signature": { "status": "not_checked", "reason": "no_headers" },
    });
    let identity = identifier.identify(&request, Timestamp::EPOCH);
    assert_eq!(json(&identity), expected);
    assert_eq!(
        identity.to_string(),
        "verified: Googlebot (Google)\n\
        \x20 addresses: verified, 66.249.66.0/27 of https://developers.google.com/static/crawling/\
         ipranges/common-crawlers.json (later copy of 2026-09-02T14:41:06Z)\n\
        \x20 reverse DNS: not checked, nothing was looked up\n\
        \x20 signature: not published\n"
    );
}

#[test]
fn a_request_without_a_claim_is_undecided() {
    let identifier = Identifier::default();
    for header in ["", "Mozilla/5.0 (X11; Linux x86_64)", "UnknownClient/8.0", "NotGooglebot/1.0"] {
        let request = request(header, "2026-09-10", "66.249.66.1");
        let identity = identifier.identify(&request, Timestamp::EPOCH);
        assert!(identity.claims.is_empty(), "{header}");
        assert_eq!(json(&identity)["verdict"], "undecided", "{header}");
    }
}

#[test]
fn long_headers_are_answered() {
    let identifier = Identifier::default();
    let tokens = verger_registry::Registry::bundled().crawlers().iter();
    let many = tokens.map(verger_registry::Crawler::token).collect::<Vec<_>>().join("/1.0 ");
    for text in ["(".repeat(65_536), "Googlebot/2.1 ".repeat(4_681), many] {
        let identity = identifier.identify(&request(&text, "2026-09-10", ""), Timestamp::EPOCH);
        assert!(identity.claims.len() <= verger_identity::limits::CLAIMS);
        assert_eq!(json(&identity)["verdict"], "undecided");
    }
}

#[test]
fn a_request_with_more_claims_than_are_checked_is_not_verified() {
    let crawlers = verger_registry::Registry::bundled().crawlers().iter();
    let names: Vec<_> = crawlers.map(verger_registry::Crawler::token).collect();
    let google = |count: usize| {
        let others = names.iter().filter(|name| !name.contains("Google")).take(count - 1);
        let others: Vec<_> = others.map(|name| format!("like {name}")).collect();
        format!("Googlebot/2.1 {}", others.join(" "))
    };
    let identifier = Identifier::default();
    let found = |count: usize| {
        let request = request(&google(count), "2026-09-10", "66.249.66.1");
        let identity = identifier.identify(&request, Timestamp::EPOCH);
        (json(&identity)["verdict"].clone(), identity.has_more_claims, identity.to_string())
    };
    let (verdict, has_more, _) = found(verger_identity::limits::CLAIMS);
    assert_eq!((verdict, has_more), ("verified".into(), false));
    let (verdict, has_more, text) = found(verger_identity::limits::CLAIMS + 1);
    assert_eq!((verdict, has_more), ("undecided".into(), true));
    assert!(text.starts_with("undecided: more than 8 crawlers are named\n"), "{text}");
}
