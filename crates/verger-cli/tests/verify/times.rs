//! Lies about times, outages, failures and pauses.

use serde_json::{Value, json};

use crate::decisions::{Case, NOTHING, ROBOTS, answer, changed, check_all, items, outage, verify};

const TRIED_AT: u64 = 1_763_700_000;
const HOUR: u64 = 60 * 60;

fn at(key: &'static str, time: u64) -> (&'static str, Value) {
    (key, time.into())
}

fn valid(time: u64) -> (&'static str, Value) {
    at("/decision/valid_until", time)
}

fn since(time: u64) -> (&'static str, Value) {
    at("/decision/failing_since", time)
}

fn profile(name: &str) -> (&'static str, Value) {
    ("/decision/access_profile", name.into())
}

fn status(status: u16) -> (&'static str, Value) {
    ("/decision/status", status.into())
}

/// An outage in which the copy counts: it holds.
fn copy() -> Value {
    [
        status(503),
        ("/decision/failure", "status 503".into()),
        ("/decision/stale", "during_outage".into()),
        at("/decision/tried_at", TRIED_AT + 30),
        since(TRIED_AT + 30),
        valid(TRIED_AT + 90),
    ]
    .into_iter()
    .fold(answer(), |answer, (key, value)| changed(answer, key, value))
}

#[test]
fn an_outage_ends_what_stands_at_the_next_try_or_step() {
    let longest = 24 * HOUR * 6 / 5;
    let long_ago = || since(TRIED_AT - 13 * HOUR);
    let wrong: &[&str] = &["decision.valid_until"];
    check_all(
        outage,
        &[
            (&[valid(99_999_999_999)], wrong),
            (&[valid(1 << 62)], wrong),
            // REP-CACHE-10: what holds is asked again behind twelve hours.
            (&[valid(TRIED_AT + 12 * HOUR)], &[]),
            (&[valid(TRIED_AT + 12 * HOUR + 1)], wrong),
            (&[valid(TRIED_AT + longest), long_ago()], &[]),
            (&[valid(TRIED_AT + longest + 1), long_ago()], wrong),
        ],
    );
    check_all(
        copy,
        &[
            (&[], &[]),
            (&[valid(TRIED_AT + 30 + 12 * HOUR)], &[]),
            (&[valid(1 << 62)], wrong),
            (&[valid(1 << 62), profile("amazonbot")], wrong),
        ],
    );
}

#[test]
fn a_fetch_that_succeeds_ends_an_outage_and_is_the_last_try() {
    let began = |earlier: u64| since(TRIED_AT - earlier);
    check_all(
        copy,
        &[
            (&[began(0)], &[]),
            (&[began(1)], &["decision.failing_since"]),
            (&[began(5 * 24 * HOUR)], &["decision.failing_since"]),
        ],
    );
    let earlier = |by: u64| {
        [
            at("/decision/fetched_at", TRIED_AT - by),
            at("/decision/fresh_until", TRIED_AT + 24 * HOUR - by),
            valid(TRIED_AT + 24 * HOUR - by),
        ]
    };
    check_all(
        answer,
        &[
            (&earlier(0), &[]),
            (&earlier(1), &["decision.fetched_at"]),
            (&earlier(80_000), &["decision.fetched_at"]),
            (&[("/decision/tried_at", Value::Null)], &["decision.tried_at"]),
            (&[at("/decision/decided_at", TRIED_AT + 24 * HOUR - 1)], &[]),
            (&[at("/decision/decided_at", TRIED_AT + 24 * HOUR)], &["decision.stale"]),
        ],
    );
}

#[test]
fn what_needs_no_robots_txt_says_nothing_of_one() {
    let base = || {
        json!({
            "url": "https://shop.example/robots.txt", "agent": "GPTBot", "dialect": "rfc9309",
            "allowed": true, "reason": "robots_txt_itself",
            "decision": {
                "version": 1, "verger": env!("CARGO_PKG_VERSION"),
                "checked_url": "https://shop.example/robots.txt", "tokens": ["GPTBot"],
                "access_profile": "rfc9309", "access": "unknown", "source": "nothing",
                "decided_at": TRIED_AT, "valid_until": TRIED_AT, "kept_pause": 1.0,
            },
        })
    };
    check_all(
        base,
        &[
            (&[], &[]),
            (&[valid(TRIED_AT + 1)], &["decision.valid_until"]),
            (&[status(200)], &["decision.origin"]),
            (&[("/decision/final_url", "http://evil.example/".into())], &["decision.origin"]),
        ],
    );
}

#[test]
fn offline_nobody_tried() {
    let base = || {
        let failure = "offline, and nothing is kept of this origin";
        let answer = changed(outage(), "/decision/failure", failure.into());
        let answer = changed(answer, "/decision/status", Value::Null);
        let answer = changed(answer, "/decision/hops", json!([]));
        let url = "https://shop.example/robots.txt";
        let answer = changed(answer, "/decision/final_url", url.into());
        changed(answer, "/decision/source", "offline".into())
    };
    let long_ago = || since(TRIED_AT - 31 * 24 * HOUR);
    let open = || [("/allowed", true.into()), ("/decision/access", "allow_all".into())];
    let [allowed, access] = open();
    check_all(
        base,
        &[
            (&[], &[]),
            (&[long_ago(), allowed, access], &["decision.failing_since"]),
            (&[("/reason", "unavailable".into()), status(404)], &["reason"]),
        ],
    );
    let offline = || changed(answer(), "/decision/source", "offline".into());
    check_all(offline, &[(&[], &["decision.status"])]);
    // By the copy, with the status of the fetch before.
    let offline = || changed(copy(), "/decision/source", "offline".into());
    let cases: [Case<'_>; 3] = [(&[], &[]), (&[status(200)], &[]), (&[status(404)], &[])];
    check_all(offline, &cases);
}

#[test]
fn a_failure_stands_beside_no_whole_answer() {
    let failure = || ("/decision/failure", "made up".into());
    check_all(
        answer,
        &[
            (&[failure()], &["decision.failure"]),
            (&[failure(), status(304)], &["decision.failure"]),
            (&[status(304)], &[]),
            // REP-AMB-46: for Google a part is the file, and the fetch has failed all the same.
            (&[failure(), status(206), profile("google")], &[]),
            (&[failure(), status(206), profile("google-old")], &[]),
            (&[failure(), status(206)], &["decision.status"]),
        ],
    );
    let empty = || {
        let answer = [
            ("/rule", Value::Null),
            ("/group", Value::Null),
            ("/target", Value::Null),
            ("/matches", Value::Null),
            ("/allowed", true.into()),
            ("/reason", "unavailable".into()),
            ("/decision/access", "allow_all".into()),
            ("/decision/asked_pause", Value::Null),
            ("/decision/bytes", 0.into()),
            ("/decision/sha256", NOTHING.into()),
        ];
        let answer = answer
            .into_iter()
            .fold(self::answer(), |answer, (key, value)| changed(answer, key, value));
        changed(
            changed(answer, "/decision/access_profile", "yandex".into()),
            "/decision/status",
            204.into(),
        )
    };
    check_all(
        empty,
        &[(&[], &[]), (&[failure()], &["decision.failure"]), (&[failure(), status(206)], &[])],
    );
}

#[test]
fn the_pause_is_the_one_that_is_kept() {
    let kept = |pause: Value| changed(answer(), "/decision/kept_pause", pause);
    for pause in [json!(2), json!(2.0)] {
        assert_eq!(items(&[kept(pause)], ROBOTS), [[""; 0]]);
    }
    for pause in [json!(0.001), json!(-2), json!(1), json!(3), json!("2"), json!(1e300)] {
        assert_eq!(items(&[kept(pause)], ROBOTS), [["decision.kept_pause"]]);
    }
    let slow = ROBOTS.replace("Crawl-delay: 2", "Crawl-delay: 900");
    let output = verify(&kept(300.into()).to_string(), &slow, "jsonl");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("decision.asked_pause") && !told.contains("kept_pause"), "{told}");
    // What is not finite is no JSON.
    let text = answer().to_string().replacen("\"version\"", "\"kept_pause\":1e999,\"version\"", 1);
    assert_eq!(verify(&text, ROBOTS, "jsonl").status.code(), Some(2));
}
