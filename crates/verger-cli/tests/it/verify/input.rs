//! Input: decisions in any layout, and invalid input.

use std::path::Path;

use serde_json::{Value, json};

use crate::verify::decisions::{ROBOTS, answer, changed, run, verify};

#[test]
fn invalid_decisions_are_reported_with_their_line() {
    let lines = [
        r#"{"url":"/","error":{"message":"x"}}"#.to_owned(),
        changed(answer(), "/decision/version", 1.into()).to_string(),
        changed(answer(), "/agents", Value::Null).to_string(),
        answer().to_string(),
        "1".to_owned(),
        changed(answer(), "/url", "/cart".into()).to_string(),
        changed(answer(), "/url", "http://[bad/\u{1b}".into()).to_string(),
        changed(answer(), "/dialect", "rfc9310".into()).to_string(),
        // JSON has no infinite numbers.
        answer().to_string().replacen("\"version\"", "\"next\":1e999,\"version\"", 1),
        "{".to_owned(),
    ];
    let output = verify(&lines.join("\n\n"), ROBOTS, "text");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "holds  <stdin>:7  https://u:p@shop.example/a/../cart#top\n"
    );
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "\
error: <stdin>:1: expected an answer with a `decision` of version 2, but found nothing
hint: `verger check` without `--robots` writes one, with `--format json` or `jsonl`
error: <stdin>:3: expected an answer with a `decision` of version 2, but found 1
hint: `verger check` without `--robots` writes one, with `--format json` or `jsonl`
error: <stdin>:5: expected a crawler as `agent`, but found nothing
error: <stdin>:9: expected an answer with a `decision` of version 2, but found nothing
hint: `verger check` without `--robots` writes one, with `--format json` or `jsonl`
error: <stdin>:11: expected a URL with a site as `url`, but found `/cart`
error: <stdin>:13: expected a URL with a site as `url`, but found `http://[bad/\\x1b`
error: <stdin>:15: expected the name of a dialect as `dialect`, but found `rfc9310`
error: <stdin>:17: bad JSON: number out of range
error: <stdin>:19: bad JSON: EOF while parsing an object
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
        "error: standard input can be read only once, but is given 2 times\n"
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
            "error: <stdin>:1: the input has no decision\n",
            "{input:?}"
        );
        assert_eq!(output.status.code(), Some(2), "{input:?}");
    }
    let output = verify(&format!("[] {}", answer()), ROBOTS, "text");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}
