//! Signatures of Web Bot Auth.
//!
//! The key is that of RFC 9421 appendix B.1.4, which published examples use. The signed bytes are
//! written out by hand here.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::Ed25519KeyPair;
use verger::access::Timestamp;
use verger_identity::{Identifier, KeySet, Request, SigningKey, limits};

use crate::{header, json};

const SECRET: &str = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU";
const PUBLIC: &str = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
pub(crate) const THUMBPRINT: &str = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";
pub(crate) const AGENT: &str = "https://signature-agent.test";

fn key_set() -> KeySet {
    KeySet::read(
        format!(r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","x":"{PUBLIC}"}}]}}"#).as_bytes(),
    )
    .unwrap()
}

fn with_key_sets(agents: &[&str]) -> Identifier {
    let mut identifier = Identifier::default();
    for agent in agents {
        identifier.add_key_set(agent, key_set());
    }
    identifier
}

pub(crate) fn identifier() -> Identifier {
    with_key_sets(&[AGENT])
}

/// A request for `https://example.com/path/to/resource?a=b`.
pub(crate) fn head(fields: &[(&str, &str)]) -> Request {
    Request {
        method: "GET".to_owned(),
        scheme: "https".to_owned(),
        authority: Some("example.com".to_owned()),
        target: "/path/to/resource?a=b".to_owned(),
        headers: fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        ..Request::default()
    }
}

/// Signs lines and parameters, and returns the request.
pub(crate) fn signed(lines: &[&str], components: &str, parameters: &str, agent: &str) -> Request {
    let pair =
        Ed25519KeyPair::from_seed_unchecked(&URL_SAFE_NO_PAD.decode(SECRET).unwrap()).unwrap();
    let last = format!("\"@signature-params\": ({components}){parameters}");
    let base = [lines, &[last.as_str()]].concat().join("\n");
    let signature = format!("s=:{}:", STANDARD.encode(pair.sign(base.as_bytes())));
    let input = format!("s=({components}){parameters}");
    head(&[("signature-agent", agent), ("signature-input", &input), ("signature", &signature)])
}

pub(crate) const PARAMETERS: &str = ";created=1788000000;expires=1788003600;\
    keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";tag=\"web-bot-auth\"";

/// A signature of authority and agent in the form of the draft, with these parameters.
pub(crate) fn usual(parameters: &str) -> Request {
    signed(
        &[
            "\"@authority\": example.com",
            "\"signature-agent\";key=\"s\": \"https://signature-agent.test\"",
        ],
        "\"@authority\" \"signature-agent\";key=\"s\"",
        parameters,
        "s=\"https://signature-agent.test\"",
    )
}

/// The status, and the reason, of the signature of a request at 1788000060.
pub(crate) fn proof(identifier: &Identifier, head: &Request) -> String {
    let found = json(&identifier.identify(head, Timestamp::from_seconds(1_788_000_060)));
    let part = |name: &str| found["signature"][name].as_str().map(str::to_owned);
    let form = found["signature"]["agent"]["form"].as_str().map(str::to_owned);
    [part("status"), part("reason"), form].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn published_examples_are_verified() {
    // Cloudflare's test vectors of the draft, version 2, with a lifetime of a hundred years.
    let long = std::time::Duration::from_secs(100 * 366 * 24 * 60 * 60);
    let mut identifier = identifier();
    identifier.signature_lifetime = long;
    let input = "sig2=(\"@authority\" \"signature-agent\";key=\"agent2\");created=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=4889289600;nonce=\"n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==\";tag=\"web-bot-auth\"";
    let signature = "sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:";
    let agent = "agent2=\"https://signature-agent.test\"";
    let request =
        head(&[("signature-agent", agent), ("signature-input", input), ("signature", signature)]);
    assert_eq!(proof(&identifier, &request), "verified dictionary");
    // The same nonce again.
    assert_eq!(proof(&identifier, &request), "failed replayed");
}

#[test]
fn all_forms_of_agents_are_read() {
    for (lines, components, agent, url, expected) in [
        (
            "\"signature-agent\": \"https://signature-agent.test\"",
            "\"signature-agent\"",
            "\"https://signature-agent.test\"",
            AGENT,
            "verified string",
        ),
        (
            "\"signature-agent\";key=\"a\": \"https://signature-agent.test/\"",
            "\"signature-agent\";key=\"a\"",
            "a=\"https://signature-agent.test/\", b=?1",
            AGENT,
            "verified dictionary",
        ),
        (
            "\"signature-agent\": s=\"https://signature-agent.test\"",
            "\"signature-agent\"",
            "s=\"https://signature-agent.test\"",
            AGENT,
            "verified dictionary",
        ),
        (
            "\"signature-agent\";key=\"s\": \"https://signature-agent.test/x\";type=directory",
            "\"signature-agent\";key=\"s\"",
            "s=\"https://signature-agent.test/x\";type=directory",
            AGENT,
            "verified typed_dictionary",
        ),
        (
            "\"signature-agent\";key=\"s\": \"https://signature-agent.test/keys.json\";type=jwks_uri",
            "\"signature-agent\";key=\"s\"",
            "s=\"https://signature-agent.test/keys.json\";type=jwks_uri",
            "https://signature-agent.test/keys.json",
            "verified typed_dictionary",
        ),
        (
            "\"signature-agent\": \"https://signature-agent.test/keys.json\"",
            "\"signature-agent\"",
            "\"https://signature-agent.test/keys.json\"",
            "https://signature-agent.test/keys.json",
            "verified key_set_url",
        ),
        (
            "\"signature-agent\": \"https://signature-agent.test/.well-known/http-message-signatures-directory\"",
            "\"signature-agent\"",
            "\"https://signature-agent.test/.well-known/http-message-signatures-directory\"",
            AGENT,
            "verified key_set_url",
        ),
        // A page of an origin is not its key set.
        (
            "\"signature-agent\": \"https://signature-agent.test/user/keys.json\"",
            "\"signature-agent\"",
            "\"https://signature-agent.test/user/keys.json\"",
            AGENT,
            "not_checked offline",
        ),
        (
            "\"signature-agent\": \"http://signature-agent.test\"",
            "\"signature-agent\"",
            "\"http://signature-agent.test\"",
            AGENT,
            "failed not_https",
        ),
        (
            "\"signature-agent\": \"data:application/json,{}\"",
            "\"signature-agent\"",
            "\"data:application/json,{}\"",
            AGENT,
            "failed not_https",
        ),
        (
            "\"signature-agent\": \"signature-agent.test\"",
            "\"signature-agent\"",
            "\"signature-agent.test\"",
            AGENT,
            "failed malformed",
        ),
        (
            "\"signature-agent\": \"https://a@signature-agent.test\"",
            "\"signature-agent\"",
            "\"https://a@signature-agent.test\"",
            AGENT,
            "failed malformed",
        ),
        (
            "\"signature-agent\";key=\"s\": \"https://signature-agent.test\";type=cimd",
            "\"signature-agent\";key=\"s\"",
            "s=\"https://signature-agent.test\";type=cimd",
            AGENT,
            "not_checked unsupported",
        ),
        (
            "\"signature-agent\";key=\"s\": token",
            "\"signature-agent\";key=\"s\"",
            "s=token",
            AGENT,
            "failed malformed",
        ),
        (
            "\"signature-agent\";key=\"x\": token",
            "\"signature-agent\";key=\"x\"",
            "s=\"https://signature-agent.test\"",
            AGENT,
            "failed not_covered",
        ),
    ] {
        let identifier = with_key_sets(&[url]);
        let request = signed(
            &["\"@authority\": example.com", lines],
            &format!("\"@authority\" {components}"),
            PARAMETERS,
            agent,
        );
        assert_eq!(proof(&identifier, &request), expected, "{agent}");
    }
}

#[test]
fn a_failure_has_its_reason() {
    let identifier = identifier();
    let with = |from: &str, to: &str| usual(&PARAMETERS.replace(from, to));
    let changed = |change: &dyn Fn(&mut Request)| {
        let mut request = usual(PARAMETERS);
        change(&mut request);
        request
    };
    let set = |name: &'static str, value: &'static str| {
        changed(&|head| {
            head.headers.insert(name.to_owned(), value.to_owned()).unwrap();
        })
    };
    let authority = "\"@authority\": example.com";
    let agent = "\"signature-agent\";key=\"s\": \"https://signature-agent.test\"";
    let agent_field = "s=\"https://signature-agent.test\"";
    let lacking = |part: &str, change: &dyn Fn(&mut Request)| {
        let parts = format!("\"@authority\" \"signature-agent\";key=\"s\" {part}");
        let mut request = signed(&[authority, agent], &parts, PARAMETERS, agent_field);
        change(&mut request);
        request
    };
    let long = "a".repeat(limits::SIGNATURE_BYTES);
    let many = (0..40).map(|at| format!("\"x-{at}\"")).collect::<Vec<_>>().join(" ");
    #[rustfmt::skip]
    let cases: Vec<(&str, Request, &str)> = vec![
        ("as signed", usual(PARAMETERS), "verified dictionary"),
        ("no headers", head(&[]), "not_checked no_headers"),
        ("no signature", head(&[("Accept", "*/*")]), "not_checked not_signed"),
        ("another tag", with("web-bot-auth", "other"), "not_checked not_signed"),
        ("created soon", with("created=1788000000", "created=1788000120"), "verified dictionary"),
        ("created later", with("created=1788000000", "created=1788000121"), "failed future"),
        ("expires now", with("expires=1788003600", "expires=1788000060"), "failed expired"),
        ("expires before created", with("created=1788000000;expires=1788003600", "created=1788000100;expires=1788000090"), "failed expired"),
        ("a day", with("expires=1788003600", "expires=1788086400"), "verified dictionary"),
        ("more than a day", with("expires=1788003600", "expires=1788086401"), "failed long_lived"),
        ("negative", with("created=1788000000", "created=-1"), "failed missing_parameter"),
        ("a date", with("created=1788000000", "created=@1788000000"), "failed missing_parameter"),
        ("no keyid", with("keyid=", "key="), "failed missing_parameter"),
        ("no expires", with("expires=", "until="), "failed missing_parameter"),
        ("another key", with("poqk", "qoqk"), "failed unknown_key"),
        ("another algorithm", with(";tag", ";alg=\"rsa-pss-sha512\";tag"), "not_checked unsupported"),
        ("the algorithm", with(";tag", ";alg=\"ed25519\";tag"), "verified dictionary"),
        ("wrong authority", changed(&|head| head.authority = Some("other.example".to_owned())), "failed wrong_signature"),
        ("authority in capitals", changed(&|head| head.authority = Some("EXAMPLE.com:443".to_owned())), "verified dictionary"),
        ("another port", changed(&|head| head.authority = Some("example.com:8443".to_owned())), "failed wrong_signature"),
        ("another path", changed(&|head| head.target = "/other".to_owned()), "verified dictionary"),
        ("another agent", set("signature-agent", "s=\"https://other.test\""), "not_checked offline"),
        ("no agent", changed(&|head| { head.headers.remove("signature-agent"); }), "not_checked unsupported"),
        ("no structured field", set("signature-input", "s=("), "failed malformed"),
        ("signature of another label", set("signature", "t=:AAAA:"), "failed malformed"),
        ("signature as text", set("signature", "s=\"AAAA\""), "failed malformed"),
        ("short signature", set("signature", "s=:AAAA:"), "failed wrong_signature"),
        ("long fields", changed(&|head| *head.headers.get_mut("signature").unwrap() += &long), "failed malformed"),
        ("two inputs", changed(&|head| *head.headers.get_mut("signature-input").unwrap() += ", s=()"), "not_checked not_signed"),
        ("authority not covered", signed(&[agent], "\"signature-agent\";key=\"s\"", PARAMETERS, agent_field), "failed not_covered"),
        ("agent not covered", signed(&[authority], "\"@authority\"", PARAMETERS, agent_field), "failed not_covered"),
        ("a component twice", signed(&[authority, authority, agent], "\"@authority\" \"@authority\" \"signature-agent\";key=\"s\"", PARAMETERS, agent_field), "failed malformed"),
        ("many components", signed(&[authority, agent], &format!("\"@authority\" \"signature-agent\";key=\"s\" {many}"), PARAMETERS, agent_field), "failed malformed"),
        ("an absent field", signed(&[authority, agent, "\"accept\": a"], "\"@authority\" \"signature-agent\";key=\"s\" \"accept\"", PARAMETERS, agent_field), "not_checked missing_field"),
        ("an unknown method", lacking("\"@method\"", &|head| head.method.clear()), "not_checked missing_field"),
        ("an unknown query", lacking("\"@query\"", &|head| head.target.clear()), "not_checked missing_field"),
        ("an unknown scheme", lacking("\"@target-uri\"", &|head| head.scheme.clear()), "not_checked missing_field"),
        ("a port of an unknown scheme", changed(&|head| (head.scheme, head.authority) = (String::new(), Some("example.com:80".to_owned()))), "verified dictionary"),
        ("another parameter", signed(&[authority, agent, "\"@query-param\";name=\"a\": b"], "\"@authority\" \"signature-agent\";key=\"s\" \"@query-param\";name=\"a\"", PARAMETERS, agent_field), "not_checked unsupported"),
        ("all derived components", signed(
            &["\"@target-uri\": https://example.com/path/to/resource?a=b", "\"@method\": GET", "\"@path\": /path/to/resource", "\"@query\": ?a=b", "\"@scheme\": https", "\"@request-target\": /path/to/resource?a=b", agent],
            "\"@target-uri\" \"@method\" \"@path\" \"@query\" \"@scheme\" \"@request-target\" \"signature-agent\";key=\"s\"", PARAMETERS, agent_field), "verified dictionary"),
    ];
    for (name, request, expected) in cases {
        assert_eq!(proof(&identifier, &request), expected, "{name}");
    }
    // A signature after another one that is of no use.
    let mut second = usual(PARAMETERS);
    for (name, first) in
        [("signature-input", "a=(\"@authority\");tag=\"web-bot-auth\""), ("signature", "a=:AAAA:")]
    {
        second
            .headers
            .entry(name.to_owned())
            .and_modify(|value| *value = format!("{first}, {value}"));
    }
    assert_eq!(proof(&identifier, &second), "verified dictionary");
}

#[test]
fn nonces_of_a_key_are_limited() {
    let identifier = identifier();
    let request = |nonce: &str| usual(&format!("{PARAMETERS};nonce=\"{nonce}\""));
    assert_eq!(proof(&identifier, &request("a")), "verified dictionary");
    assert_eq!(proof(&identifier, &request("b")), "verified dictionary");
    assert_eq!(proof(&identifier, &request("a")), "failed replayed");
    // A forged request does not use the nonce.
    let mut forged = request("c");
    forged.authority = Some("other.example".to_owned());
    assert_eq!(proof(&identifier, &forged), "failed wrong_signature");
    assert_eq!(proof(&identifier, &request("c")), "verified dictionary");
}

#[test]
fn nonces_count_for_all_key_sets_of_a_host() {
    let urls = ["https://signature-agent.test/1.json", "https://signature-agent.test/2.json"];
    let identifier = with_key_sets(&urls);
    let found = urls.map(|url| {
        let line = format!("\"signature-agent\": \"{url}\"");
        let request = signed(
            &["\"@authority\": example.com", &line],
            "\"@authority\" \"signature-agent\"",
            &format!("{PARAMETERS};nonce=\"a\""),
            &format!("\"{url}\""),
        );
        proof(&identifier, &request)
    });
    assert_eq!(found, ["verified key_set_url", "failed replayed"]);
}

#[test]
fn all_forms_of_key_sets_are_read() {
    let key = format!(r#""kty":"OKP","crv":"Ed25519","x":"{PUBLIC}""#);
    for (text, expected) in [
        (format!(r#"{{"keys":[{{{key}}}]}}"#), true),
        (format!(r#"{{"keys":[{{{key},"kid":"a label","alg":"EdDSA","use":"sig"}}]}}"#), true),
        (format!(r#"{{"keys":[{{{key},"alg":"ed25519"}}]}}"#), true),
        (format!(r#"{{"keys":[1,{{"kty":"RSA","n":"AA"}},{{{key}}}],"purpose":"x"}}"#), true),
        (format!("{{{key}}}"), true),
        (format!(r#"{{"keys":[{{{key},"alg":"RS256"}}]}}"#), true),
        (r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}"#.to_owned(), false),
        (r#"{"keys":[]}"#.to_owned(), false),
    ] {
        assert_eq!(KeySet::read(text.as_bytes()).unwrap().has(THUMBPRINT), expected, "{text}");
    }
    let many = format!(r#"{{"keys":[{}]}}"#, vec!["{}"; limits::KEYS + 1].join(","));
    let long = format!("{{\"keys\":[]}}{}", " ".repeat(limits::KEY_SET_BYTES));
    for text in [
        "",
        "<html>",
        "[]",
        "{}",
        "{\"keys\":{}}",
        r#"{"keys":[{"kty":"OKP","kty":"RSA"}]}"#,
        "{\"error\":1}",
        &many,
        &long,
        &"[".repeat(9_999),
    ] {
        assert!(KeySet::read(text.as_bytes()).is_err(), "{text}");
    }
}

/// Their signatures could be genuine.
#[test]
fn keys_of_other_kinds_are_not_checked() {
    let x = format!(r#""crv":"Ed25519","x":"{PUBLIC}""#);
    for (key, thumbprint) in [
        (r#""kty":"RSA","n":"qqqq","e":"AQAB""#, "X6rIhgqU3kgF1py4KO6o-dz6e-367t6U4Rnsd9xez44"),
        (
            r#""kty":"EC","crv":"P-256","x":"AAAA","y":"BBBB""#,
            "lwGl3agdHIksq2_XBDEqf0uaLL38Nw_OLqL2Qq_D58I",
        ),
        (&format!(r#""kty":"OKP",{x},"use":"enc""#), THUMBPRINT),
        (&format!(r#""kty":"OKP",{x},"alg":"RS256""#), THUMBPRINT),
    ] {
        let keys = KeySet::read(format!("{{{key}}}").as_bytes()).unwrap();
        let mut identifier = Identifier::default();
        identifier.add_key_set(AGENT, keys);
        let request = usual(&PARAMETERS.replace(THUMBPRINT, thumbprint));
        assert_eq!(proof(&identifier, &request), "not_checked unsupported", "{key}");
    }
}

#[test]
fn a_signature_proves_the_crawler_of_its_agent_only() {
    let identifier = with_key_sets(&[
        "https://chatgpt.com",
        "https://other.test",
        "https://chatgpt.com/share/keys.json",
    ]);
    let of = |agent: &str, token: &str| {
        let line = format!("\"signature-agent\": \"{agent}\"");
        let mut request = signed(
            &["\"@authority\": example.com", &line],
            "\"@authority\" \"signature-agent\"",
            PARAMETERS,
            &format!("\"{agent}\""),
        );
        request.user_agent = Some(header(token));
        let found = json(&identifier.identify(&request, Timestamp::from_seconds(1_788_000_060)));
        let claim = &found["claims"][0];
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
        [
            &found["verdict"],
            &claim["crawler"],
            &claim["signature"]["status"],
            &claim["signature"]["reason"],
        ]
        .map(text)
        .join(" ")
    };
    let agents = verger_registry::Registry::bundled();
    let name = agents
        .crawlers()
        .iter()
        .find(|crawler| crawler.signature_agent() == Some("https://chatgpt.com"))
        .expect("a crawler that signs")
        .token();
    assert_eq!(of("https://chatgpt.com", "Firefox"), format!("verified {name} verified -"));
    // Only the other claim is proved.
    assert_eq!(of("https://chatgpt.com", "Googlebot"), "undecided Googlebot not_published -");
    // A page of a user on the origin of an agent is not its key set.
    assert_eq!(of("https://chatgpt.com/share/keys.json", "Firefox"), "verified - - -");
    assert_eq!(of("https://other.test", "Firefox"), "verified - - -");
    assert_eq!(of("https://other.test", "Googlebot"), "undecided Googlebot not_published -");
    assert_eq!(of("https://other.test", "ExaSearchBot"), "failed ExaSearchBot failed other_agent");
}

#[test]
fn signed_requests_are_verified_by_the_published_key_set() {
    let secret = format!(r#"{{"kty":"OKP","crv":"Ed25519","d":"{SECRET}","x":"{PUBLIC}"}}"#);
    let key = SigningKey::read(&secret).unwrap().for_agent("https://bot.test").unwrap();
    assert_eq!(key.key.thumbprint(), THUMBPRINT);
    let keys = KeySet::read(key.key.key_set().as_bytes()).unwrap();
    let mut identifier = Identifier::default();
    identifier.add_key_set("https://bot.test", keys);
    let now = Timestamp::from_seconds(1_788_000_060);
    let url = "https://example.com/path/to/resource?a=b".parse().unwrap();
    let with = |fields: [(&str, String); 3]| head(&fields.each_ref().map(|it| (it.0, &*it.1)));
    let request = with(key.sign(&url, now).unwrap());
    let mut moved = request.clone();
    moved.target = "/other".to_owned();
    assert_eq!(proof(&identifier, &moved), "failed wrong_signature");
    assert_eq!(proof(&identifier, &request), "verified dictionary");
    assert_eq!(proof(&identifier, &request), "failed replayed");
    let request = with(key.with_agent_as_text().sign(&url, now).unwrap());
    assert_eq!(proof(&identifier, &request), "verified string");
    let (text, made) = SigningKey::generate().unwrap();
    assert_eq!(SigningKey::read(&text).unwrap().thumbprint(), made.thumbprint());
    assert!(!format!("{made:?}").contains(&text[text.find("\"d\"").unwrap() + 5..][..20]));
}

#[test]
fn invalid_keys_and_agents_are_errors_without_their_text() {
    for text in [
        String::new(),
        "{}".to_owned(),
        r#"{"kty":"OKP","crv":"Ed25519"}"#.to_owned(),
        r#"{"kty":"OKP","crv":"Ed25519","d":"AAAA"}"#.to_owned(),
        format!(r#"{{"kty":"OKP","crv":"X25519","d":"{SECRET}"}}"#),
        format!(r#"{{"kty":"OKP","crv":"Ed25519","d":"{SECRET}","x":"{SECRET}"}}"#),
    ] {
        let error = SigningKey::read(&text).unwrap_err();
        assert!(error.starts_with("expected ") && !error.contains(SECRET), "{error}");
    }
    for agent in [
        "",
        "bot.test",
        "http://bot.test",
        "https://a@bot.test",
        "https://bot.test/\"",
        "https://b\u{f6}t.test",
    ] {
        let (_, key) = SigningKey::generate().unwrap();
        assert!(key.for_agent(agent).is_err(), "{agent}");
    }
}
