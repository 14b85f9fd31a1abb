//! `verger verify` finds each change of a claim that the file can prove.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod archive;
mod consistency;
mod decisions;
mod input;
mod times;
mod unclaimed;

use serde_json::{Value, json};

use self::decisions::{
    NOTHING, ROBOTS, SHA256, answer, changed, check, items, outage, unneeded, verify,
};

#[test]
fn unchanged_answers_hold() {
    let unknown = changed(answer(), "/decision/news", json!({"from": "later"}));
    // REP-AMB-13: the evidence has the tokens of headers.
    let headers = json!(["GPTBot-News/1", "Mozilla/5.0 (compatible; GPTBot/1.2)"]);
    let of_headers = changed(answer(), "/agents", headers);
    let nothing: [&str; 0] = [];
    let all = [answer(), outage(), unneeded(), unknown, of_headers];
    assert_eq!(items(&all, ROBOTS), [nothing; 5]);
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
            ("/rule", Value::Null, &["rule"]),
            ("/rule", "x".into(), &["rule"]),
            ("/decision/bytes", 69.into(), &["decision.bytes"]),
            ("/decision/sha256", NOTHING.into(), &["decision.sha256"]),
            ("/decision/sha256", SHA256.to_uppercase().into(), &["decision.sha256"]),
            ("/decision/sha256", Value::Null, &["decision.sha256"]),
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
        answer
    };
    let whole = changed(cut(512_000), "/decision/truncated", false.into());
    // No fetch cuts a body so early, because rules would be missing.
    let early = cut(511_999);
    let found = items(&[cut(512_000), whole, early], &robots);
    let differ = ["decision.bytes", "decision.sha256"];
    assert_eq!(found, [&[][..], &differ, &differ]);
}

#[test]
fn foreign_text_in_findings_is_escaped() {
    let wrong = changed(answer(), "/rule/pattern", "\u{1b}[2J".into());
    let output = verify(&wrong.to_string(), ROBOTS, "text");
    let place = "<stdin>:1  https://u:p@shop.example/a/../cart#top";
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("fails  {place}  rule.pattern: claimed `\\x1b[2J`, but found `/cart`\n")
    );
    assert_eq!((output.status.code(), &*output.stderr), (Some(1), &b""[..]));
}
