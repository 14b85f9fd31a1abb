//! The order of times.

use serde_json::Value;

use crate::verify::decisions::{answer, check, check_all, outage};

const TRIED_AT: u64 = 1_763_700_000;
const DECIDED_AT: u64 = TRIED_AT + 60;
const FRESH_UNTIL: u64 = TRIED_AT + 24 * 60 * 60;

#[test]
fn times_out_of_order_are_found() {
    check(
        answer,
        &[
            ("/decision/fetched_at", (TRIED_AT + 1).into(), &["decision.tried_at"]),
            ("/decision/fetched_at", 1.into(), &[]),
            ("/decision/tried_at", 1.into(), &["decision.tried_at"]),
            ("/decision/tried_at", DECIDED_AT.into(), &[]),
            ("/decision/tried_at", (DECIDED_AT + 1).into(), &["decision.decided_at"]),
            ("/decision/tried_at", Value::Null, &[]),
            ("/decision/decided_at", 1.into(), &["decision.decided_at"]),
            ("/decision/decided_at", FRESH_UNTIL.into(), &[]),
            ("/decision/decided_at", (FRESH_UNTIL + 1).into(), &["decision.valid_until"]),
            ("/decision/valid_until", DECIDED_AT.into(), &[]),
            ("/decision/valid_until", (DECIDED_AT - 1).into(), &["decision.valid_until"]),
            ("/decision/fresh_until", TRIED_AT.into(), &[]),
            ("/decision/fresh_until", (TRIED_AT - 1).into(), &["decision.fresh_until"]),
        ],
    );
    check(
        outage,
        &[
            ("/decision/valid_until", 1.into(), &["decision.valid_until"]),
            ("/decision/failing_since", 1.into(), &[]),
            ("/decision/failing_since", (TRIED_AT + 1).into(), &["decision.tried_at"]),
        ],
    );
}

#[test]
fn an_absent_time_is_skipped() {
    let untried = || ("/decision/tried_at", Value::Null);
    let late = |key: &'static str| (key, (DECIDED_AT + 1).into());
    let wrong: &[&str] = &["decision.decided_at"];
    check_all(answer, &[(&[untried(), late("/decision/fetched_at")], wrong)]);
    check_all(outage, &[(&[untried(), late("/decision/failing_since")], wrong)]);
}
