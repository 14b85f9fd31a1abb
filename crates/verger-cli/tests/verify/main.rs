//! `verger verify`: each claim of a decision, changed, is found.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod archive;
#[path = "../common/mod.rs"]
mod common;
mod decisions;
mod genuine;
mod lies;
mod times;
mod way;

use std::path::Path;

use serde_json::{Value, json};

use self::decisions::{
    NOTHING, ROBOTS, SHA256, answer, changed, check, items, outage, run, verify,
};

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
fn what_is_no_decision_is_told_with_its_line() {
    let lines = [
        r#"{"url":"/","error":{"message":"x"}}"#.to_owned(),
        r#"{"url":"/","agent":"a","dialect":"rfc9309","allowed":true,"reason":"no_group"}"#
            .to_owned(),
        changed(answer(), "/decision/version", 2.into()).to_string(),
        changed(answer(), "/agents", Value::Null).to_string(),
        changed(answer(), "/decision/bytes", "\u{1b}[2J".into()).to_string(),
        answer().to_string(),
        "{".to_owned(),
    ];
    let output = verify(&lines.join("\n\n"), ROBOTS, "text");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "holds  <stdin>:11  https://u:p@shop.example/a/../cart#top\n"
    );
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "\
error: <stdin>:1: expected an answer, but found an error in its place
error: <stdin>:3: expected an answer with a `decision`, but found none
hint: `verger check` without `--robots` writes one, with `--format json` or `jsonl`
error: <stdin>:5: expected a decision of version 1, but found version 2
error: <stdin>:7: expected `agent`, `agents` or `crawler`, but found none
error: <stdin>:9: bad `decision`: invalid type: string \"\\u{1b}[2J\", expected u64
error: <stdin>:13: bad JSON: EOF while parsing an object
"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn answers_may_be_an_array_over_many_lines() {
    let wrong = changed(answer(), "/rule/line", 3.into());
    let array = serde_json::to_string_pretty(&json!([answer(), wrong])).unwrap();
    let output = verify(&array, ROBOTS, "json");
    let verified: Value = serde_json::from_slice(&output.stdout).unwrap();
    let second = array.lines().enumerate().filter(|(_, line)| *line == "  {").nth(1).unwrap().0 + 1;
    assert_eq!((&verified[0]["line"], &verified[0]["holds"]), (&2.into(), &true.into()));
    assert_eq!((&verified[1]["line"], &verified[1]["holds"]), (&second.into(), &false.into()));
    assert_eq!(
        verified[1]["findings"][0],
        json!({"item": "rule.line", "claimed": 3, "found": 2, "message": "claimed 3, but found 2"})
    );
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

#[test]
fn files_that_cannot_be_read_end_the_run() {
    let output = run(&["-"], Path::new("-"), "");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: expected standard input once, because it can be read only once, but found it 2 times\n"
    );
    assert_eq!(output.status.code(), Some(2));
    let output = run(&["-"], Path::new("none-such.txt"), "");
    assert!(String::from_utf8(output.stderr).unwrap().contains("could not read `none-such.txt`"));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_input_without_a_decision_is_an_error_in_any_layout() {
    for input in ["", " \n", "[]", "[]\n[ ]\n"] {
        let output = verify(input, ROBOTS, "text");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "error: <stdin>:1: expected a decision, but found none\n",
            "{input:?}"
        );
        assert_eq!(output.status.code(), Some(2), "{input:?}");
    }
    let output = verify(&format!("[] {}", answer()), ROBOTS, "text");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[test]
fn a_key_that_stands_twice_is_an_error_about_that_answer() {
    let text = answer().to_string();
    let before = |name: &str, value: &str| {
        let key = format!("\"{name}\":");
        assert!(text.contains(&key));
        text.replacen(&key, &format!("{key}{value},{key}"), 1)
    };
    let cases = [
        ("allowed", before("allowed", "true")),
        ("url", text.replacen('{', r#"{"url":"http://other.example/","#, 1)),
        ("access", before("access", r#""allow_all""#)),
        ("checked_url", before("checked_url", r#""http://evil.example/""#)),
        ("news", text.replacen('{', r#"{"news":1,"news":1,"#, 1)),
    ];
    let lines: Vec<&str> = cases.iter().map(|(_, line)| line.as_str()).chain([&*text]).collect();
    let output = verify(&lines.join("\n"), ROBOTS, "jsonl");
    let told = String::from_utf8(output.stdout).unwrap();
    let told: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (at, (name, _)) in cases.iter().enumerate() {
        let expected = json!({
            "line": at + 1, "message": format!("bad answer: duplicate field `{name}`"),
        });
        assert_eq!(told[at]["error"], expected);
    }
    assert_eq!(told[cases.len()]["holds"], true);
    assert_eq!(output.status.code(), Some(2));
}
