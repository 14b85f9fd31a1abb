//! `verger verify`: each claim of a decision, changed, is found.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod archive;
#[path = "../common/mod.rs"]
mod common;
mod decisions;
mod genuine;
mod input;
mod lies;
mod times;
mod way;

use serde_json::{Value, json};

use self::decisions::{NOTHING, ROBOTS, SHA256, answer, changed, check, items, outage, verify};

#[test]
fn answers_that_hold_hold() {
    let unknown = changed(answer(), "/decision/news", json!({"from": "later"}));
    let old = changed(answer(), "/decision/tokens", Value::Null);
    let nothing: [&str; 0] = [];
    assert_eq!(items(&[answer(), outage(), unknown, old], ROBOTS), [nothing; 4]);
}

#[test]
fn what_the_file_says_otherwise_is_found() {
    check(
        answer,
        &[
            ("/allowed", true.into(), &["allowed"]),
            ("/reason", "no_group".into(), &["reason"]),
            ("/rule/kind", "allow".into(), &["rule.kind"]),
            ("/rule/pattern", "/car".into(), &["rule.pattern"]),
            ("/rule/line", 3.into(), &["rule.line"]),
            ("/rule/column", 1.into(), &["rule.column"]),
            ("/rule/span", json!([29, 35]), &["rule.span"]),
            ("/rule/pattern_b64", "L2Nhcg==".into(), &["rule.pattern_b64"]),
            ("/rule", Value::Null, &["rule"]),
            ("/rule", "x".into(), &["rule"]),
            ("/group/agents", json!(["*"]), &["group.agents"]),
            ("/group/agents_total", 101.into(), &["group.agents_total"]),
            ("/group/line", 2.into(), &["group.line"]),
            ("/group", Value::Null, &["group"]),
            ("/truncated", true.into(), &["truncated"]),
            ("/target", "/".into(), &["target"]),
            ("/matches", json!([]), &["matches"]),
            ("/matches/0/length", 6.into(), &["matches[0].length"]),
            ("/matches/0/standing", "shorter".into(), &["matches[0].standing"]),
            ("/decision/asked_pause", 3.into(), &["decision.asked_pause"]),
            ("/decision/asked_pause", 2.into(), &[]),
            ("/decision/asked_pause", Value::Null, &["decision.asked_pause"]),
            ("/decision/bytes", 69.into(), &["decision.bytes"]),
            ("/decision/sha256", NOTHING.into(), &["decision.sha256"]),
            ("/decision/sha256", SHA256.to_uppercase().into(), &[]),
            ("/decision/sha256", Value::Null, &["decision.sha256"]),
            ("/dialect", "rfc9310".into(), &["dialect"]),
        ],
    );
}

#[test]
fn circumstances_that_cannot_be_are_found() {
    let minutes = |count: u64| Value::from(1_763_700_000 + 60 * count);
    check(
        answer,
        &[
            ("/agents", json!(["GPTBot"]), &["decision.tokens"]),
            ("/url", "https://shop.example/other".into(), &["decision.checked_url"]),
            ("/decision/origin", "https://shop.example:8443".into(), &["decision.origin"]),
            (
                "/decision/hops/0/url",
                "https://other.example/robots.txt".into(),
                &["decision.hops[0].url"],
            ),
            ("/decision/hops", json!([]), &["decision.final_url"]),
            ("/decision/hops/0/status", 200.into(), &["decision.hops[0].status"]),
            (
                "/decision/final_url",
                "http://shop.example/robots.txt".into(),
                &["decision.downgraded"],
            ),
            ("/decision/access_profile", "kind".into(), &["decision.access_profile"]),
            (
                "/decision/access",
                "most".into(),
                &["decision.access", "rule", "group", "target", "matches"],
            ),
            ("/decision/source", "nothing".into(), &["decision.access"]),
            ("/decision/status", 404.into(), &["decision.status"]),
            ("/decision/status", Value::Null, &["decision.status"]),
            ("/decision/stale", "during_outage".into(), &["decision.stale"]),
            (
                "/decision/stale",
                "while_refreshing".into(),
                &["decision.stale", "decision.valid_until"],
            ),
            ("/decision/stale", "because".into(), &["decision.stale"]),
            (
                "/decision/failing_since",
                minutes(0),
                &["decision.failing_since", "decision.stale", "decision.valid_until"],
            ),
            ("/decision/valid_until", minutes(5), &["decision.valid_until"]),
            ("/decision/tried_at", 1.into(), &["decision.tried_at"]),
            ("/decision/fetched_at", minutes(1), &["decision.tried_at"]),
            ("/decision/decided_at", 1.into(), &["decision.decided_at"]),
            ("/decision/decided_at", minutes(2_000), &["decision.valid_until", "decision.stale"]),
            ("/decision/fetched_at", Value::Null, &["decision.fetched_at"]),
            ("/decision/fresh_until", Value::Null, &["decision.fresh_until"]),
            ("/decision/truncated", true.into(), &["decision.truncated"]),
        ],
    );
}

#[test]
fn what_an_outage_does_not_mean_is_found() {
    check(
        outage,
        &[
            ("/allowed", true.into(), &["allowed"]),
            ("/reason", "rule".into(), &["reason"]),
            ("/rule", json!({"line": 2}), &["rule"]),
            ("/decision/failure", Value::Null, &["reason", "decision.failing_since"]),
            ("/decision/stale", "during_outage".into(), &["decision.stale"]),
            ("/decision/valid_until", 1.into(), &["decision.valid_until"]),
            ("/decision/failing_since", 1_763_700_001.into(), &["decision.tried_at"]),
            ("/decision/failing_since", 1.into(), &["decision.access"]),
            ("/decision/asked_pause", 2.0.into(), &["decision.asked_pause"]),
            ("/decision/sha256", SHA256.into(), &["decision.sha256"]),
            // Before the first fetch that succeeds, no copy is kept.
            (
                "/decision/bytes",
                68.into(),
                &["decision.bytes", "decision.sha256", "decision.asked_pause"],
            ),
            ("/decision/access", "allow_all".into(), &["allowed", "decision.access"]),
            ("/decision/access", "unknown".into(), &["decision.access", "decision.access"]),
        ],
    );
    let refused = || {
        let mut answer = changed(outage(), "/decision/failing_since", Value::Null);
        answer["reason"] = "unavailable".into();
        answer["decision"]["status"] = 403.into();
        answer["decision"]["fetched_at"] = 1_763_700_000.into();
        answer["decision"]["fresh_until"] = 1_763_786_400.into();
        answer["decision"]["valid_until"] = 1_763_786_400.into();
        answer
    };
    check(
        refused,
        &[
            ("/decision/access_profile", "strict".into(), &[]),
            ("/decision/access_profile", "rfc9309".into(), &["decision.access"]),
            ("/reason", "redirect_limit".into(), &["reason"]),
            ("/decision/fetched_at", Value::Null, &["decision.access", "decision.fetched_at"]),
        ],
    );
}

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
        named("NoneSuch", json!(["GPTBot"])),
        named("NoneSuch", Value::Null),
    ];
    let found = items(&answers, ROBOTS);
    let expected: [&[&str]; 5] = [&[], &[], &["decision.tokens"], &["crawler"], &["crawler"]];
    assert_eq!(found, expected);
}

#[test]
fn a_body_that_was_cut_is_compared_with_as_much_of_the_file() {
    let robots = format!("{ROBOTS}{}", "#".repeat(600_000));
    let cut = |bytes: usize| {
        let mut answer = answer();
        let decision = &mut answer["decision"];
        let body = verger_fetch::record::Body::new(&robots.as_bytes()[..bytes]);
        decision["bytes"] = bytes.into();
        decision["sha256"] = body.sha256_hex().into();
        decision["truncated"] = true.into();
        answer
    };
    let found =
        items(&[cut(512_000), changed(cut(512_000), "/decision/truncated", false.into())], &robots);
    assert_eq!(found[0], [""; 0]);
    assert_eq!(found[1][..2], ["decision.bytes", "decision.sha256"]);
}

#[test]
fn a_decision_of_another_version_that_does_not_hold_is_told_to_be_one() {
    let other = changed(answer(), "/decision/verger", "0.0.1\u{1b}".into());
    let output = verify(&other.to_string(), ROBOTS, "text");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    let wrong = changed(other, "/rule/pattern", "\u{1b}[2J".into());
    let output = verify(&wrong.to_string(), ROBOTS, "text");
    let place = "<stdin>:1  https://u:p@shop.example/a/../cart#top";
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("fails  {place}  rule.pattern: claimed `\\x1b[2J`, but found `/cart`\n")
    );
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with(r"warning: Verger `0.0.1\x1b` decided, and this is "), "{told}");
    assert_eq!(output.status.code(), Some(1));
}
