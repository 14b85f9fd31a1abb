//! `verger verify` finds each change of a claim that the file can prove.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod archive;
mod consistency;
mod decisions;
mod genuine;
mod input;
mod times;
mod unclaimed;

use serde_json::{Value, json};

use self::decisions::{
    NOTHING, ROBOTS, SHA256, answer, changed, check, check_all, items, outage, verify,
};

#[test]
fn unchanged_answers_hold() {
    let unknown = changed(answer(), "/decision/news", json!({"from": "later"}));
    let old = changed(answer(), "/decision/tokens", Value::Null);
    let second = changed(answer(), "/decision/version", 2.into());
    // REP-AMB-13: the evidence contains the agents of the question.
    let headers = json!(["GPTBot-News/1", "Mozilla/5.0 (compatible; GPTBot/1.2)"]);
    let of_headers = changed(answer(), "/agents", headers.clone());
    let of_headers = changed(of_headers, "/decision/tokens", headers);
    let nothing: [&str; 0] = [];
    let all = [answer(), outage(), unknown, old, second, of_headers];
    assert_eq!(items(&all, ROBOTS), [nothing; 6]);
}

#[test]
fn contradictions_to_the_file_are_found() {
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
fn a_truncated_body_is_compared_with_the_beginning_of_the_file() {
    let robots = format!("{ROBOTS}{}", "#".repeat(600_000));
    let cut = |bytes: usize| {
        let mut answer = answer();
        let decision = &mut answer["decision"];
        let body = verger_fetch::record::Body::new(&robots.as_bytes()[..bytes]);
        decision["bytes"] = bytes.into();
        decision["sha256"] = body.sha256_hex().into();
        decision["truncated"] = true.into();
        answer["truncated"] = true.into();
        answer
    };
    let whole = changed(cut(512_000), "/decision/truncated", false.into());
    // The rules of a truncated file are incomplete.
    let silent = changed(cut(512_000), "/truncated", Value::Null);
    let found = items(&[cut(512_000), whole, silent], &robots);
    assert_eq!(found[0], [""; 0]);
    assert_eq!(found[1][..2], ["decision.bytes", "decision.sha256"]);
    assert_eq!(found[2], ["truncated"]);
}

#[test]
fn the_target_is_compared_if_present() {
    let target = |value: Value| ("/target", value);
    let silent = || ("/matches", Value::Null);
    check_all(
        answer,
        &[
            (&[silent()], &[]),
            (&[silent(), target("/other".into())], &["target"]),
            (&[silent(), target(Value::Null)], &[]),
            (
                &[silent(), target(Value::Null), ("/target_b64", "L2NhcnQ=".into())],
                &["target", "target_b64"],
            ),
            (&[target(Value::Null)], &["target"]),
        ],
    );
}

#[test]
fn the_applied_pause_is_compared() {
    let kept = |pause: Value| changed(answer(), "/decision/kept_pause", pause);
    for pause in [json!(2), json!(2.0)] {
        assert_eq!(items(&[kept(pause)], ROBOTS), [[""; 0]]);
    }
    for pause in [json!(0.001), json!(-2), json!(1), json!(3), json!("2"), json!(1e300)] {
        assert_eq!(items(&[kept(pause)], ROBOTS), [["decision.kept_pause"]]);
    }
    let slow = ROBOTS.replace("Crawl-delay: 2", "Crawl-delay: 900");
    let output = verify(&kept(300.into()).to_string(), &slow, "jsonl");
    let message = String::from_utf8(output.stdout).unwrap();
    assert!(
        message.contains("decision.asked_pause") && !message.contains("kept_pause"),
        "{message}"
    );
    // JSON has no infinite numbers.
    let text = answer().to_string().replacen("\"version\"", "\"kept_pause\":1e999,\"version\"", 1);
    assert_eq!(verify(&text, ROBOTS, "jsonl").status.code(), Some(2));
}

#[test]
fn a_finding_in_a_decision_of_another_version_has_a_warning() {
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
    let message = String::from_utf8(output.stderr).unwrap();
    let warning = r"warning: the decision was made by Verger `0.0.1\x1b`, and this is ";
    assert!(message.starts_with(warning), "{message}");
    assert_eq!(output.status.code(), Some(1));
}
