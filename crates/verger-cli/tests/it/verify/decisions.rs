//! Decisions that hold, and findings in changed decisions.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::common;

pub(crate) const ROBOTS: &str =
    "User-agent: GPTBot\nDisallow: /cart\nAllow: /cart/help\nCrawl-delay: 2\n";

/// An answer that holds, as `verger check --explain` writes it.
pub(crate) fn answer() -> Value {
    json!({
        "url": "https://u:p@shop.example/a/../cart#top",
        "agents": ["GPTBot-News", "GPTBot"],
        "dialect": "rfc9309",
        "allowed": false,
        "reason": "rule",
        "rule": {"kind": "disallow", "pattern": "/cart", "line": 2, "column": 11, "span": [29, 34]},
        "group": {"agents": ["GPTBot"], "line": 1},
        "decision": {
            "version": 2,
            "verger": env!("CARGO_PKG_VERSION"),
            "checked_url": "https://shop.example/cart",
            "tokens": ["GPTBot-News", "GPTBot"],
            "access_profile": "rfc9309",
            "access": "rules",
            "source": "fetch",
            "decided_at": 1_763_700_060,
            "valid_until": 1_763_786_400,
            "asked_pause": 2.0,
            "origin": "https://shop.example",
            "status": 200,
            "hops": [{"status": 301, "url": "https://shop.example/robots.txt"}],
            "final_url": "https://www.shop.example/robots.txt",
            "tried_at": 1_763_700_000,
            "fetched_at": 1_763_700_000,
            "fresh_until": 1_763_786_400,
            "downgraded": false,
            "truncated": false,
            "html": false,
            "bytes": 68,
            "sha256": SHA256,
        },
        "target": "/cart",
        "matches": [{
            "kind": "disallow", "pattern": "/cart", "line": 2, "column": 11, "span": [29, 34],
            "length": 5, "standing": "decides",
        }],
    })
}

/// Hash of [`ROBOTS`].
pub(crate) const SHA256: &str = "65ae50fbf7e5bff314689571de022a97c61f08dcc53cdd06cc63aad5a78ea5af";
pub(crate) const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// An answer during an outage, which does not depend on the file.
pub(crate) fn outage() -> Value {
    let mut answer = answer();
    for key in ["rule", "group", "target", "matches"] {
        answer.as_object_mut().unwrap().remove(key);
    }
    answer["reason"] = "unreachable".into();
    let decision = answer["decision"].as_object_mut().unwrap();
    for key in ["asked_pause", "fetched_at", "fresh_until"] {
        decision.remove(key);
    }
    decision.insert("access".into(), "disallow_all".into());
    decision.insert("status".into(), 503.into());
    decision.insert("failure".into(), "status 503".into());
    decision.insert("failing_since".into(), 1_763_700_000.into());
    decision.insert("valid_until".into(), 1_763_700_070.into());
    decision.insert("bytes".into(), 0.into());
    decision.insert("sha256".into(), NOTHING.into());
    answer
}

/// An answer that needs no robots.txt.
pub(crate) fn unneeded() -> Value {
    json!({
        "url": "https://shop.example/robots.txt",
        "agent": "GPTBot",
        "dialect": "rfc9309",
        "allowed": true,
        "reason": "robots_txt_itself",
        "decision": {
            "version": 2,
            "verger": env!("CARGO_PKG_VERSION"),
            "checked_url": "https://shop.example/robots.txt",
            "tokens": ["GPTBot"],
            "access_profile": "rfc9309",
            "access": "unknown",
            "source": "nothing",
            "decided_at": 1_763_700_000,
            "valid_until": 1_763_700_000,
            "kept_pause": 1.0,
        },
    })
}

pub(crate) fn verify(decisions: &str, robots: &str, format: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let archived = folder.path().join("robots.txt");
    std::fs::write(&archived, robots).unwrap();
    run(&["-", "--format", format], &archived, decisions)
}

pub(crate) fn run(arguments: &[&str], robots: &Path, input: &str) -> Output {
    let before = ["verify"].iter().chain(arguments).chain(&["--robots"]).map(OsStr::new);
    common::run(&before.chain([robots.as_os_str()]).collect::<Vec<_>>(), input)
}

/// The keys that do not hold, for each answer.
#[track_caller]
pub(crate) fn items(answers: &[Value], robots: &str) -> Vec<Vec<String>> {
    let lines: Vec<String> = answers.iter().map(ToString::to_string).collect();
    let output = verify(&lines.join("\n"), robots, "jsonl");
    let text = String::from_utf8(output.stdout).unwrap();
    let verified: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(verified.len(), answers.len(), "{text}");
    let found = verified.iter().any(|it| it["holds"] == false);
    assert_eq!(output.status.code(), Some(i32::from(found)), "{text}");
    let item = |finding: &Value| finding["item"].as_str().unwrap().to_owned();
    verified
        .iter()
        .map(|it| it["findings"].as_array().unwrap().iter().map(item).collect())
        .collect()
}

/// Changes or removes one key.
pub(crate) fn changed(mut answer: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = answer.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(parent), Value::Null) => drop(parent.remove(key).unwrap()),
        (parent, value) => parent[key] = value,
    }
    answer
}

#[track_caller]
pub(crate) fn check(base: fn() -> Value, cases: &[(&str, Value, &[&str])]) {
    let answers: Vec<Value> =
        cases.iter().map(|(pointer, value, _)| changed(base(), pointer, value.clone())).collect();
    let found = items(&answers, ROBOTS);
    for ((pointer, value, expected), found) in cases.iter().zip(found) {
        assert_eq!(found, *expected, "{pointer}: {value}");
    }
}

/// A changed key, its value, and the keys that do not hold then.
pub(crate) type Case<'a> = (&'a [(&'a str, Value)], &'a [&'a str]);

#[track_caller]
pub(crate) fn check_all(base: fn() -> Value, cases: &[Case<'_>]) {
    let change = |(changes, _): &Case<'_>| {
        changes.iter().fold(base(), |answer, (at, value)| changed(answer, at, value.clone()))
    };
    let found = items(&cases.iter().map(change).collect::<Vec<_>>(), ROBOTS);
    for ((changes, expected), found) in cases.iter().zip(found) {
        assert_eq!(found, *expected, "{changes:?}");
    }
}
