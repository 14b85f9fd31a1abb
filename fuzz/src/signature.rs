//! Target `signature`: the head of a request with the fields of a signature.
//!
//! The same request is not verified twice if it has a nonce, and never with another authority. The
//! answer is inert.

use std::time::Duration;

use verger::access::Timestamp;
use verger_identity::{Identifier, KeySet, Lists, Request, Status};

use crate::inert::assert_inert;

/// Checks signatures.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let mut request = match String::from_utf8_lossy(bytes).parse::<Request>() {
        Ok(request) => request,
        Err(error) => return assert_inert(&error),
    };
    if !request.headers.contains_key("signature-input") {
        return;
    }
    let keys = KeySet::read(crate::key_set::SEEDS[0].as_bytes()).expect("a key set");
    let mut identifier = Identifier::new(Lists::default());
    identifier.add_key_set("https://signature-agent.test", keys);
    identifier.signature_lifetime = Duration::from_secs(u64::MAX);
    let now = Timestamp::from_seconds(1_788_000_060);
    let identity = identifier.identify(&request, now);
    identity.to_string().lines().for_each(assert_inert);
    if identity.signature.status == Status::Verified {
        let json = serde_json::to_value(&identity.signature).expect("an answer is JSON");
        let again = identifier.identify(&request, now).signature.status;
        assert_eq!(again != Status::Verified, json["has_nonce"] == true);
    }
    request.authority = Some(format!("{}.other.test", request.authority()));
    assert_ne!(identifier.identify(&request, now).signature.status, Status::Verified);
}

/// Cloudflare's test vector of the draft, version 2, and a bare string of an earlier draft, as
/// seeds.
pub(crate) const SEEDS: [&str; 2] = [
    "GET /path/to/resource?a=b HTTP/1.1\nhost: example.com\nsignature-agent: agent2=\"https://signature-agent.test\"\nsignature-input: sig2=(\"@authority\" \"signature-agent\";key=\"agent2\");created=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;nonce=\"n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==\";tag=\"web-bot-auth\"\nsignature: sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:\n",
    "Host: example.com\nUser-Agent: GPTBot/1.2\nSignature-Agent: \"https://signature-agent.test\"\nSignature-Input: s=(\"@target-uri\" \"@method\" \"signature-agent\");created=1788000000;expires=1788003600;keyid=\"k\";tag=\"web-bot-auth\"\nSignature: s=:AAAA:\n",
];
