//! Claims that cannot be proved about unsigned data: they are not verified (`docs/json.md`).

use serde_json::{Value, json};

use crate::decisions::{answer, check_all, outage, unneeded};

#[test]
fn a_status_a_failure_and_a_profile_that_cannot_be_true_together_hold() {
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
fn lengths_of_time_that_cannot_be_hold() {
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
