//! Decisions that were changed so that all of them seems to fit.

use serde_json::{Value, json};

use crate::decisions::{NOTHING, SHA256, answer, changed, check, check_all, outage};

/// A site without a robots.txt: it holds.
fn open() -> Value {
    let mut answer = answer();
    for key in ["rule", "group", "target", "matches"] {
        answer.as_object_mut().unwrap().remove(key);
    }
    answer["allowed"] = true.into();
    answer["reason"] = "unavailable".into();
    let decision = answer["decision"].as_object_mut().unwrap();
    decision.remove("asked_pause");
    for (key, value) in [
        ("access", "allow_all".into()),
        ("status", 404.into()),
        ("failure", "status 404".into()),
        ("hops", json!([])),
        ("final_url", "https://shop.example/robots.txt".into()),
        ("bytes", 0.into()),
        ("sha256", NOTHING.into()),
    ] {
        decision.insert(key.into(), value);
    }
    answer
}

#[test]
fn a_reason_needs_a_fetch_that_gives_it() {
    let limit = || ("/reason", "redirect_limit".into());
    let unreachable = || ("/reason", "unreachable".into());
    let status = |status: u16| ("/decision/status", status.into());
    let silent = || ("/decision/failure", Value::Null);
    let profile = |name: &str| ("/decision/access_profile", name.into());
    check_all(
        open,
        &[
            (&[], &[]),
            (&[limit(), status(200)], &["reason"]),
            (&[limit(), status(200), silent()], &["reason"]),
            (
                &[
                    limit(),
                    status(200),
                    ("/decision/bytes", 68.into()),
                    ("/decision/sha256", SHA256.into()),
                    ("/decision/asked_pause", 2.into()),
                ],
                &["decision.bytes", "reason"],
            ),
            (&[limit()], &["reason"]),
            (&[limit(), status(302)], &[]),
            (&[limit(), status(302), profile("strict")], &["decision.access"]),
            (&[status(200)], &["reason"]),
            (&[status(503)], &["reason"]),
            (&[status(503), silent()], &["reason"]),
            (&[("/decision/status", Value::Null)], &["reason"]),
            (&[silent()], &["reason"]),
            (&[unreachable(), status(503)], &["decision.failing_since"]),
            (&[unreachable(), status(503), profile("archive")], &["decision.failing_since"]),
            (&[unreachable()], &["reason"]),
            (&[profile("amazonbot")], &["decision.failing_since"]),
            (&[status(429)], &["reason"]),
            (&[status(429), profile("yandex")], &[]),
            (&[status(204), silent()], &["reason"]),
            (&[status(204), silent(), profile("yandex")], &[]),
            // REP-ACCESS-22: a redirect to what is disallowed.
            (&[status(302)], &["reason"]),
            (&[status(302), profile("google")], &[]),
            (&[status(302), unreachable()], &["decision.failing_since"]),
            (&[status(302), unreachable(), profile("strict")], &["decision.access"]),
        ],
    );
}

#[test]
fn who_is_let_in_by_an_outage_says_since_when() {
    let open = || ("/decision/access", "allow_all".into());
    let allowed = || ("/allowed", true.into());
    let since = |value: Value| ("/decision/failing_since", value);
    let unavailable = || ("/reason", "unavailable".into());
    let status = |status: u16| ("/decision/status", status.into());
    let amazonbot = || ("/decision/access_profile", "amazonbot".into());
    let never: &[&str] = &["decision.failing_since", "decision.fetched_at", "decision.fresh_until"];
    let not_so: &[&str] = &["reason", "decision.fetched_at", "decision.fresh_until"];
    check_all(
        outage,
        &[
            (&[open(), allowed(), since(Value::Null)], never),
            (&[open(), allowed(), since(Value::Null), unavailable()], not_so),
            (
                &[
                    open(),
                    allowed(),
                    since(Value::Null),
                    unavailable(),
                    ("/decision/failure", Value::Null),
                ],
                not_so,
            ),
            (&[open(), allowed()], &["decision.access"]),
            (&[open(), allowed(), since((1_763_700_000 - 30 * 86_400).into())], &[]),
            (&[open(), allowed(), unavailable()], &["reason", "decision.access"]),
            (&[("/reason", "redirect_limit".into())], &["reason"]),
            // That answer ends an outage.
            (&[unavailable(), status(404)], &["decision.failing_since"]),
            (&[open(), allowed(), unavailable(), status(404), amazonbot()], &[]),
        ],
    );
}

#[test]
fn the_way_to_the_file_is_one_that_is_gone() {
    let hops = |urls: &[String]| {
        let hops: Vec<Value> = urls.iter().map(|url| json!({"status": 301, "url": url})).collect();
        ("/decision/hops", Value::from(hops))
    };
    let ways = |count: usize| -> Vec<String> {
        let other = |at| format!("https://shop.example/{at}.txt");
        let first = "https://shop.example/robots.txt".to_owned();
        std::iter::once(first).chain((1..count).map(other)).collect()
    };
    let end = |url: &str| ("/decision/final_url", url.into());
    let same = vec![ways(1)[0].clone(); 50];
    let aside = [ways(1)[0].clone(), "ftp://evil.example/x".to_owned()];
    check_all(
        answer,
        &[
            (&[("/url", "shop.example/anything".into())], &["url"]),
            (&[("/url", "http://[bad/other".into())], &["url"]),
            (&[("/url", "/cart".into())], &["url"]),
            (&[end("ftp://evil.example/x")], &["decision.final_url"]),
            (&[end("javascript:alert(1)")], &["decision.final_url"]),
            (&[end("httpx://shop.example/")], &["decision.final_url"]),
            (&[end("r.txt")], &["decision.final_url"]),
            (&[("/decision/final_url", Value::Null)], &["decision.final_url"]),
            (&[hops(&aside)], &["decision.hops[1].url"]),
            (
                &[hops(&same), end("javascript:alert(1)")],
                &["decision.hops[5].url", "decision.hops[1].url"],
            ),
            (&[hops(&ways(5))], &[]),
            (&[hops(&ways(6))], &["decision.hops[5].url"]),
            (
                &[hops(&ways(11)), ("/decision/access_profile", "kind".into())],
                &["decision.hops[10].url", "decision.access_profile"],
            ),
        ],
    );
}

#[test]
fn sources_and_lifetimes_are_those_there_are() {
    let until = |days: u64| 1_763_700_000 + days * 86_400;
    let fresh = |days: u64| ("/decision/fresh_until", until(days).into());
    let valid = |days: u64| ("/decision/valid_until", until(days).into());
    let profile = |name: &str| ("/decision/access_profile", name.into());
    check_all(
        answer,
        &[
            (&[("/decision/source", "store".into())], &[]),
            (&[("/decision/source", "moon".into())], &["decision.source"]),
            (&[fresh(29), valid(29)], &["decision.fresh_until"]),
            (&[fresh(29), valid(29), profile("google")], &[]),
            (&[fresh(31), valid(31), profile("google")], &["decision.fresh_until"]),
            (&[fresh(7), valid(7), profile("koster1996")], &[]),
            (&[fresh(8), valid(8), profile("koster1996")], &["decision.fresh_until"]),
        ],
    );
}

#[test]
fn what_is_stale_says_why_and_for_no_longer_than_it_may() {
    let during_outage = || {
        let answer = changed(answer(), "/decision/stale", "during_outage".into());
        let answer = changed(answer, "/decision/failure", "status 503".into());
        let answer = changed(answer, "/decision/tried_at", 1_763_700_030.into());
        let answer = changed(answer, "/decision/valid_until", 1_763_700_090.into());
        changed(answer, "/decision/failing_since", 1_763_700_030.into())
    };
    check(
        during_outage,
        &[
            ("/decision/status", 503.into(), &[]),
            ("/decision/stale", Value::Null, &["decision.stale"]),
            ("/decision/stale", "while_refreshing".into(), &["decision.stale"]),
            ("/decision/failing_since", Value::Null, &["decision.stale"]),
            // In this profile the copy does not count.
            ("/decision/access_profile", "yandex".into(), &["decision.access"]),
        ],
    );
    let while_refreshing = || {
        let answer = changed(answer(), "/decision/stale", "while_refreshing".into());
        let answer = changed(answer, "/decision/fresh_until", 1_763_700_050.into());
        changed(answer, "/decision/valid_until", 1_763_700_060.into())
    };
    check(
        while_refreshing,
        &[
            ("/decision/source", "store".into(), &[]),
            ("/decision/valid_until", 1_763_700_061.into(), &["decision.valid_until"]),
            ("/decision/fresh_until", 1_763_700_061.into(), &["decision.stale"]),
            (
                "/decision/fetched_at",
                1_763_600_000.into(),
                &["decision.fetched_at", "decision.fresh_until", "decision.stale"],
            ),
        ],
    );
}
