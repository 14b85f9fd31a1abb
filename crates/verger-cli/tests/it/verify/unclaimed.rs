//! Claims that unsigned data cannot prove are not verified (`docs/json.md`).

use serde_json::{Value, json};

use crate::verify::decisions::{ROBOTS, answer, check_all, outage, unneeded, verify};

#[test]
fn contradictory_status_failure_and_profile_hold() {
    let failure = || ("/decision/failure", "refused".into());
    let object = || ("/decision/failure", json!({"kind": "refused", "message": "refused"}));
    let status = |status: u16| ("/decision/status", status.into());
    let profile = |name: &str| ("/decision/access_profile", name.into());
    let hops = || ("/decision/hops", json!([{"status": 200, "url": "javascript:x"}]));
    check_all(
        answer,
        &[
            (&[status(404), failure(), profile("none-such")], &[]),
            (&[status(503), object(), ("/decision/version", 2.into())], &[]),
            (&[hops(), ("/decision/final_url", "ftp://evil.example/".into())], &[]),
            (&[("/decision/downgraded", true.into()), ("/decision/html", true.into())], &[]),
            (&[("/decision/next_try", 1.into()), ("/unanswered", true.into())], &[]),
            (&[("/group/line", 9.into()), ("/target", "/x".into()), ("/matches", json!([]))], &[]),
            (&[("/decision/asked_pause", 9.into()), ("/decision/kept_pause", 9.into())], &[]),
            (&[("/decision/origin", "https://other.example".into())], &[]),
            (&[("/decision/source", "moon".into()), ("/decision/stale", "because".into())], &[]),
            (&[("/decision/status", Value::Null), ("/decision/hops", Value::Null)], &[]),
        ],
    );
    check_all(
        outage,
        &[
            (&[status(200), ("/decision/failure", Value::Null)], &[]),
            (&[("/reason", "redirect_limit".into()), status(404)], &[]),
            (&[("/decision/access", "allow_all".into()), ("/allowed", true.into())], &[]),
        ],
    );
    check_all(unneeded, &[(&[status(200), profile("none-such")], &[])]);
}

#[test]
fn impossible_lengths_of_time_hold() {
    let until = |key: &'static str| (key, (1_u64 << 62).into());
    check_all(
        answer,
        &[
            (&[until("/decision/valid_until"), until("/decision/fresh_until")], &[]),
            (&[("/decision/fetched_at", Value::Null)], &[]),
        ],
    );
    let long_ago = || ("/decision/failing_since", 1.into());
    check_all(outage, &[(&[until("/decision/valid_until"), long_ago()], &[])]);
}

#[test]
fn an_answer_without_rules_says_that_the_file_does_not_decide() {
    let lines = [outage(), answer(), outage(), unneeded()].map(|answer| answer.to_string());
    let output = verify(&lines.join("\n"), ROBOTS, "jsonl");
    let text = String::from_utf8(output.stdout).unwrap();
    let by_rules = text.lines().map(|line| line.contains(r#""by_rules":true"#));
    assert_eq!(by_rules.collect::<Vec<_>>(), [false, true, false, false]);
    let output = verify(&lines.join("\n"), ROBOTS, "text");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("the answer does not depend on the file").count(), 3, "{text}");
}
