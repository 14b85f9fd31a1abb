//! Answers that contradict themselves: crawler, URL, origin, access.

use serde_json::{Value, json};

use crate::verify::decisions::{
    NOTHING, ROBOTS, SHA256, answer, changed, check, check_all, items, outage, unneeded,
};

#[test]
fn a_crawler_is_one_of_a_vendor_or_its_tokens() {
    let named = |name: &str, tokens: Value| {
        let answer = changed(answer(), "/agents", Value::Null);
        changed(changed(answer, "/crawler", name.into()), "/decision/tokens", tokens)
    };
    let answers = [
        named("GPTBot", json!(["GPTBot"])),
        named("gptbot", Value::Null),
        named("AdsBot-Google", json!(["GPTBot"])),
        // Any name is that of a crawler.
        named("NoneSuch", json!(["GPTBot"])),
        named("GPTBot", json!(["GPTBot", "Googlebot"])),
    ];
    let found = items(&answers, ROBOTS);
    let tokens: &[&str] = &["decision.tokens"];
    let expected: [&[&str]; 5] = [&[], &[], tokens, tokens, tokens];
    assert_eq!(found, expected);
}

/// An agent that was saved before its fallbacks were known, and a token.
#[test]
fn an_agent_has_its_fallbacks_or_only_its_token() {
    let saved = |key: &str, name: &str, tokens: Value| {
        let answer = changed(answer(), "/agents", Value::Null);
        changed(changed(answer, key, name.into()), "/decision/tokens", tokens)
    };
    let both = || json!(["GPTBot", "Googlebot"]);
    let answers = [
        saved("/agent", "GPTBot", json!(["GPTBot"])),
        saved("/agent", "GPTBot/1.0", json!(["GPTBot"])),
        saved("/agent", "GPTBot", both()),
        saved("/token", "GPTBot", json!(["GPTBot"])),
        saved("/token", "GPTBot", both()),
    ];
    let tokens: &[&str] = &["decision.tokens"];
    let expected: [&[&str]; 5] = [&[], &[], tokens, &[], tokens];
    assert_eq!(items(&answers, ROBOTS), expected);
}

#[test]
fn every_name_agrees_with_the_tokens() {
    let with = |keys: &[(&str, Value)]| {
        let base = changed(answer(), "/agents", Value::Null);
        let base = changed(base, "/decision/tokens", json!(["GPTBot"]));
        keys.iter().fold(base, |base, (key, value)| changed(base, key, value.clone()))
    };
    let agent = |name: &str| ("/agent", Value::from(name));
    let crawler = || ("/crawler", Value::from("GPTBot"));
    let without_tokens = || ("/decision/tokens", Value::Null);
    let other = || ("/agents", json!(["zzz"]));
    let ignoring = || ("/decision/ignores_star", Value::from(true));
    let cases: [(Value, &[&str]); 7] = [
        (with(&[crawler()]), &[]),
        (with(&[crawler(), agent("GPTBot")]), &[]),
        (with(&[crawler(), agent("Other")]), &["agent"]),
        (with(&[crawler(), other()]), &["agents"]),
        (with(&[crawler(), agent("Other"), without_tokens()]), &["agent"]),
        (with(&[agent("GPTBot"), other()]), &["decision.tokens"]),
        (with(&[crawler(), ignoring()]), &["decision.tokens"]),
    ];
    let found = items(&cases.each_ref().map(|(answer, _)| answer.clone()), ROBOTS);
    for ((answer, expected), found) in cases.iter().zip(found) {
        assert_eq!(found, *expected, "{answer}");
    }
}

#[test]
fn contradictions_within_the_answer_are_found() {
    check(
        answer,
        &[
            ("/agents", json!(["GPTBot"]), &["decision.tokens"]),
            ("/url", "https://shop.example/other".into(), &["decision.checked_url"]),
            ("/url", "shop.example/anything".into(), &["url"]),
            ("/url", "http://[bad/other".into(), &["url"]),
            ("/url", "/cart".into(), &["url"]),
            ("/decision/origin", "https://shop.example:8443".into(), &["decision.origin"]),
            ("/decision/origin", Value::Null, &["decision.origin"]),
            ("/decision/access", "most".into(), &["decision.access"]),
            ("/decision/truncated", true.into(), &["decision.truncated", "truncated"]),
        ],
    );
}

#[test]
fn contradictions_to_the_claimed_access_are_found() {
    check(
        outage,
        &[
            ("/allowed", true.into(), &["allowed"]),
            ("/reason", "rule".into(), &["reason"]),
            ("/rule", json!({"line": 2}), &["rule"]),
            ("/group", json!({"line": 1}), &["group"]),
            ("/target", "/cart".into(), &["target"]),
            ("/target_b64", "L2NhcnQ=".into(), &["target_b64"]),
            ("/matches", json!([]), &["matches"]),
            ("/decision/origin", Value::Null, &["decision.origin"]),
            ("/decision/asked_pause", 2.0.into(), &["decision.asked_pause"]),
            ("/decision/sha256", SHA256.into(), &["decision.sha256"]),
            ("/decision/bytes", 68.into(), &["decision.sha256", "decision.asked_pause"]),
            ("/decision/access", "allow_all".into(), &["allowed"]),
            ("/decision/access", "unknown".into(), &["decision.access"]),
        ],
    );
    let bytes = |count: u64| ("/decision/bytes", count.into());
    let sha256 = |hash: &str| ("/decision/sha256", hash.into());
    // The copy during an outage is a file in the archive.
    let pause = || ("/decision/asked_pause", 2.into());
    check_all(
        outage,
        &[
            (&[bytes(68), sha256(SHA256), pause()], &[]),
            (&[bytes(67), sha256(SHA256), pause()], &["decision.bytes"]),
            (&[bytes(0), sha256(NOTHING)], &[]),
        ],
    );
}

#[test]
fn an_answer_without_a_robots_txt_is_checked_again() {
    let cart = || "https://shop.example/cart".into();
    check(
        unneeded,
        &[
            ("/decision/verger", env!("CARGO_PKG_VERSION").into(), &[]),
            ("/allowed", false.into(), &["allowed"]),
            ("/reason", "no_robots_for_scheme".into(), &["reason"]),
            ("/rule", json!({"line": 2}), &["rule"]),
            ("/decision/sha256", SHA256.into(), &["decision.bytes", "decision.sha256"]),
            ("/decision/origin", "https://other.example".into(), &["decision.origin"]),
        ],
    );
    check_all(
        unneeded,
        &[
            (&[("/url", cart()), ("/decision/checked_url", cart())], &["decision.access"]),
            // Without an origin there is no robots.txt that could allow everything.
            (
                &[
                    ("/url", "mailto:a@shop.example".into()),
                    ("/decision/checked_url", "mailto:a@shop.example".into()),
                    ("/reason", "unavailable".into()),
                    ("/decision/access", "allow_all".into()),
                ],
                &["decision.origin"],
            ),
        ],
    );
}
