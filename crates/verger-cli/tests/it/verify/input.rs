//! Input: decisions in any layout, and invalid input.

use std::path::Path;

use serde_json::{Value, json};

use crate::verify::decisions::{ROBOTS, answer, changed, run, verify};

#[test]
fn invalid_decisions_are_reported_with_their_line() {
    let lines = [
        r#"{"url":"/","error":{"message":"x"}}"#.to_owned(),
        r#"{"url":"/","agent":"a","dialect":"rfc9309","allowed":true,"reason":"no_group"}"#
            .to_owned(),
        changed(answer(), "/decision/version", 3.into()).to_string(),
        changed(answer(), "/agents", Value::Null).to_string(),
        changed(answer(), "/decision/bytes", "\u{1b}[2J".into()).to_string(),
        answer().to_string(),
        "1".to_owned(),
        changed(answer(), "/decision/version", Value::Null).to_string(),
        changed(answer(), "/url", Value::Null).to_string(),
        changed(answer(), "/decision/checked_url", Value::Null).to_string(),
        changed(answer(), "/decision/verger", json!(["\u{1b}"])).to_string(),
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
error: <stdin>:5: expected a decision of version 1 to 2, but found 3
error: <stdin>:7: expected `agent`, `token` or `agents`, but found none
error: <stdin>:9: bad `decision`: invalid type: string \"\\u{1b}[2J\", expected u64
error: <stdin>:13: expected an answer with a `decision`, but found none
hint: `verger check` without `--robots` writes one, with `--format json` or `jsonl`
error: <stdin>:15: expected a decision of version 1 to 2, but found nothing
error: <stdin>:17: bad answer: missing field `url`
error: <stdin>:19: bad `decision`: missing field `checked_url`
error: <stdin>:21: bad `decision`: invalid type: sequence, expected a string
error: <stdin>:23: bad JSON: EOF while parsing an object
"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn answers_can_be_an_array_over_many_lines() {
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
fn a_duplicate_key_is_an_error_about_its_answer() {
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
        ("news", text.replacen('{', r#"{"news":1,"new\u0073":1,"#, 1)),
        ("c", text.replacen('{', r#"{"news":{"b":[{"c":"","c":""}]},"#, 1)),
    ];
    // Different objects can have the same key.
    let same = text.replacen('{', r#"{"news":{"a":null,"b":[{"a":true},{"a":-1.5}]},"a":1,"#, 1);
    let lines: Vec<&str> = cases.iter().map(|(_, line)| line.as_str()).chain([&*same]).collect();
    let output = verify(&lines.join("\n"), ROBOTS, "jsonl");
    let message = String::from_utf8(output.stdout).unwrap();
    let message: Vec<Value> =
        message.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (at, (name, _)) in cases.iter().enumerate() {
        let expected = json!({
            "line": at + 1, "message": format!("bad answer: duplicate field `{name}`"),
        });
        assert_eq!(message[at]["error"], expected);
    }
    assert_eq!(message[cases.len()]["holds"], true);
    assert_eq!(output.status.code(), Some(2));
}
