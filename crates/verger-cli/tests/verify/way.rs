//! Lies about who asked, what was compared, and the way to the file.

use serde_json::{Value, json};

use crate::decisions::{ROBOTS, answer, changed, check_all, items};

#[test]
fn every_name_agrees_with_the_tokens() {
    let with = |keys: &[(&str, Value)]| {
        let base = changed(answer(), "/agents", Value::Null);
        let base = changed(base, "/decision/tokens", json!(["GPTBot"]));
        keys.iter().fold(base, |base, (key, value)| changed(base, key, value.clone()))
    };
    let agent = |name: &str| ("/agent", Value::from(name));
    let crawler = || ("/crawler", Value::from("GPTBot"));
    let untold = || ("/decision/tokens", Value::Null);
    let other = || ("/agents", json!(["zzz"]));
    let cases: [(Value, &[&str]); 6] = [
        (with(&[crawler()]), &[]),
        (with(&[crawler(), agent("GPTBot")]), &[]),
        (with(&[crawler(), agent("Other")]), &["agent"]),
        (with(&[crawler(), other()]), &["agents"]),
        (with(&[crawler(), agent("Other"), untold()]), &["agent"]),
        (with(&[agent("GPTBot"), other()]), &["decision.tokens"]),
    ];
    let found = items(&cases.each_ref().map(|(answer, _)| answer.clone()), ROBOTS);
    for ((answer, expected), found) in cases.iter().zip(found) {
        assert_eq!(found, *expected, "{answer}");
    }
}

#[test]
fn the_target_is_compared_where_it_is_there() {
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
fn urls_on_the_way_are_as_they_are_sent() {
    let end = |url: &str| ("/decision/final_url", url.into());
    let hop = |url: &str| {
        let first = json!({"status": 301, "url": "https://shop.example/robots.txt"});
        ("/decision/hops", json!([first, {"status": 302, "url": url}]))
    };
    let wrong: &[&str] = &["decision.final_url"];
    check_all(
        answer,
        &[
            (&[end("https://user:pw@shop.example/x")], wrong),
            (&[end("https://shop.example/x#f")], wrong),
            (&[end("HTTPS://shop.example/x")], wrong),
            (&[end("https://SHOP.example/x")], wrong),
            (&[end("https://shop.example:443/x")], wrong),
            (&[end("https://shop.example")], wrong),
            (&[end("https://shop.example/a/../x")], wrong),
            (&[end("https://0x7f.1/x")], wrong),
            (&[end("https://shop.example/x?y=%7E")], &[]),
            (&[end("https://xn--bcher-kva.example/r")], &[]),
            (&[hop("https://u@www.shop.example/x")], &["decision.hops[1].url"]),
            (&[hop("https://www.shop.example/x")], &[]),
        ],
    );
}

#[test]
fn https_is_left_for_http_only_where_the_profile_follows() {
    let profile = |name: &str| ("/decision/access_profile", name.into());
    let down = || ("/decision/final_url", "http://shop.example/r".into());
    let is_down = || ("/decision/downgraded", true.into());
    let status = |status: u16| ("/decision/status", status.into());
    check_all(
        answer,
        &[
            (&[profile("strict")], &[]),
            (&[down(), is_down()], &[]),
            (&[down(), is_down(), profile("strict")], &["decision.final_url"]),
            (&[down(), profile("strict")], &["decision.downgraded", "decision.final_url"]),
            (&[is_down()], &["decision.downgraded"]),
            (&[is_down(), profile("strict")], &["decision.downgraded"]),
            // A copy that was fetched in another access profile.
            (&[down(), is_down(), profile("strict"), ("/decision/source", "store".into())], &[]),
            (&[down(), is_down(), profile("strict"), status(304)], &[]),
        ],
    );
}
