//! Answers that contradict themselves: crawler, URL, origin, access.

use serde_json::{Value, json};

use crate::verify::decisions::{
    NOTHING, ROBOTS, SHA256, answer, changed, check, check_all, items, outage, unneeded,
};

#[test]
fn the_tokens_are_those_of_the_crawler() {
    let saved = |key: &str, name: Value, tokens: Value| {
        let answer = changed(answer(), "/agents", Value::Null);
        changed(changed(answer, key, name), "/decision/tokens", tokens)
    };
    let both = || json!(["GPTBot", "Googlebot"]);
    let one = || json!(["GPTBot"]);
    let answers = [
        saved("/agent", "gptbot".into(), one()),
        saved("/agent", "GPTBot/1.0".into(), one()),
        saved("/token", "GPTBot".into(), one()),
        saved("/agents", both(), both()),
        saved("/agent", "GPTBot".into(), both()),
        saved("/token", "GPTBot".into(), both()),
        saved("/agents", one(), Value::Null),
    ];
    let tokens: &[&str] = &["decision.tokens"];
    let expected: [&[&str]; 7] = [&[], &[], &[], &[], tokens, tokens, tokens];
    assert_eq!(items(&answers, ROBOTS), expected);
    // Another crawler has another verdict.
    let other = saved("/agent", "AdsBot-Google".into(), one());
    let found: &[&str] = &["decision.tokens", "allowed", "reason", "rule"];
    assert_eq!(items(&[other], ROBOTS), [found]);
}

#[test]
fn contradictions_within_the_answer_are_found() {
    check(
        answer,
        &[
            ("/agents", json!(["GPTBot"]), &["decision.tokens"]),
            ("/url", "https://shop.example/cart?x".into(), &["decision.checked_url"]),
            (
                "/url",
                "https://shop.example/other".into(),
                &["decision.checked_url", "allowed", "reason", "rule"],
            ),
            ("/decision/access", "most".into(), &["decision.access"]),
            ("/decision/truncated", true.into(), &[]),
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
            ("/decision/sha256", SHA256.into(), &["decision.sha256"]),
            ("/decision/bytes", 68.into(), &["decision.sha256"]),
            ("/decision/access", "allow_all".into(), &["allowed"]),
            ("/decision/access", "unknown".into(), &["decision.access"]),
        ],
    );
    let bytes = |count: u64| ("/decision/bytes", count.into());
    let sha256 = |hash: &str| ("/decision/sha256", hash.into());
    // The copy during an outage is a file in the archive.
    check_all(
        outage,
        &[
            (&[bytes(68), sha256(SHA256)], &[]),
            (&[bytes(67), sha256(SHA256)], &["decision.bytes"]),
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
        ],
    );
    let changes: &[_] = &[("/url", cart()), ("/decision/checked_url", cart())];
    check_all(unneeded, &[(changes, &["decision.access"])]);
}
