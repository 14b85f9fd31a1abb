//! Requests with several signatures, for other hosts, and of agents with several names.

use verger_identity::Request;

use crate::signatures::{AGENT, PARAMETERS, THUMBPRINT, head, identifier, proof, signed, usual};

/// A request with several signatures by name: of this key for this agent, or for another one.
#[test]
fn one_verified_signature_of_several_suffices() {
    let add = |request: &mut Request, name: &str, value: &str| {
        let known = request.headers.entry(name.to_owned()).or_default();
        *known = if known.is_empty() { value.to_owned() } else { format!("{known}, {value}") };
    };
    let with = |kinds: &[&str]| {
        let mut all = head(&[]);
        for (at, kind) in kinds.iter().enumerate() {
            let (agent, key) = match *kind {
                "unknown agent" => ("https://other.test", THUMBPRINT),
                "unknown key" => (AGENT, "unknown"),
                _ => (AGENT, THUMBPRINT),
            };
            let expires = if *kind == "expired" { "1788000001" } else { "1788003600" };
            let parameters = PARAMETERS.replace(THUMBPRINT, key).replace("1788003600", expires);
            let line = format!("\"signature-agent\";key=\"s{at}\": \"{agent}\"");
            let authority = if *kind == "wrong" { "a.test" } else { "example.com" };
            let request = signed(
                &[&format!("\"@authority\": {authority}"), &line],
                &format!("\"@authority\" \"signature-agent\";key=\"s{at}\""),
                &parameters,
                &format!("s=\"{agent}\""),
            );
            for (name, value) in &request.headers {
                add(&mut all, name, &format!("s{at}{}", value.strip_prefix('s').unwrap()));
            }
        }
        proof(&identifier(), &all)
    };
    for (kinds, expected) in [
        (&["good"][..], "verified dictionary"),
        (&["wrong", "good"], "verified dictionary"),
        (&["unknown agent", "unknown key", "expired", "good"], "verified dictionary"),
        (&["good", "wrong", "wrong", "wrong", "wrong"], "verified dictionary"),
        (&["wrong", "expired"], "failed wrong_signature"),
        (&["expired", "wrong"], "failed expired"),
        // It could be genuine.
        (&["wrong", "unknown agent"], "not_checked offline"),
        // The fifth could be, too.
        (&["wrong", "wrong", "wrong", "wrong", "good"], "not_checked unsupported"),
    ] {
        assert_eq!(with(kinds), expected, "{kinds:?}");
    }
}

#[test]
fn a_request_for_the_host_of_another_site_is_not_genuine() {
    let mut identifier = identifier();
    for (authorities, expected) in [
        (&[][..], "verified dictionary"),
        (&["shop.example"], "failed wrong_authority"),
        (&["example.com:8443"], "failed wrong_authority"),
        (&["shop.example", "Example.com"], "verified dictionary"),
    ] {
        identifier.authorities = authorities.iter().map(|&it: &&str| it.to_owned()).collect();
        assert_eq!(proof(&identifier, &usual(PARAMETERS)), expected, "{authorities:?}");
    }
}

#[test]
fn a_query_makes_no_other_agent_of_an_origin() {
    for agent in [
        "https://signature-agent.test/?a",
        "https://signature-agent.test/.well-known/http-message-signatures-directory?a",
    ] {
        let line = format!("\"signature-agent\";key=\"s\": \"{agent}\"");
        let request = signed(
            &["\"@authority\": example.com", &line],
            "\"@authority\" \"signature-agent\";key=\"s\"",
            PARAMETERS,
            &format!("s=\"{agent}\""),
        );
        assert!(proof(&identifier(), &request).starts_with("verified"), "{agent}");
    }
}
