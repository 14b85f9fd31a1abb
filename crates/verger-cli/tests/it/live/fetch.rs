//! `verger fetch`.

use std::path::Path;
use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::live::site::{
    DISALLOW_X, MEMORY, NEAR, answer, json, keep_expired, ok, run_silent, site, verger,
};

#[test]
fn fetch_shows_the_redirects_the_response_and_its_meaning() {
    let (target, _) = site(&[ok(DISALLOW_X)]);
    let moved = format!("Location: http://{target}/r.txt\r\n");
    let (site, requests) = site(&[answer("301 Moved", &moved, "")]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let url = format!("http://{site}/any?thing");

    let (text, code) = run_silent(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    for line in [
        format!("origin: http://{site}\nstatus: 200\n"),
        format!("redirect: 301 http://{site}/robots.txt\nfrom: http://{target}/r.txt\n"),
        "meaning: the rules of the file apply, by access profile rfc9309\n".into(),
        format!("\n\n{DISALLOW_X}"),
    ] {
        assert!(text.contains(&line), "{text}");
    }
    assert_eq!(code, Some(0));

    // It is always fetched again, but not offline.
    run_silent(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    assert_eq!(requests.load(Ordering::SeqCst), 2);
    let (lines, _) = run_silent(&store, &["fetch", "--offline", "--format", "jsonl", &url], "");
    let fetched = &json(&lines)[0];
    assert_eq!((&fetched["status"], &fetched["body"]), (&200.into(), &DISALLOW_X.into()));
    assert_eq!(
        (&fetched["access_profile"], &fetched["truncated"]),
        (&"rfc9309".into(), &false.into())
    );
    assert_eq!(fetched["tried_at"], fetched["fetched_at"]);
    assert_eq!(fetched["meaning"]["access"], "rules");
    assert_eq!(fetched["meaning"]["valid_until"], fetched["fresh_until"]);
    assert_eq!(requests.load(Ordering::SeqCst), 2);

    let output = verger(&store, &["fetch", "--offline", "--body", "--format", "json", &url], "");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), DISALLOW_X);
    let message: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((&message[0]["bytes"], message[0].get("body")), (&27.into(), None));
}

#[test]
fn urls_of_one_origin_need_one_request() {
    let (site, requests) = site(&[ok(DISALLOW_X)]);
    let urls: Vec<String> = (0..20).map(|number| format!("http://{site}/{number}")).collect();
    let urls = urls.iter().map(|url| &**url);
    let arguments = ["fetch", "--format", "jsonl", NEAR[0], NEAR[1]];
    let arguments: Vec<&str> = arguments.into_iter().chain(urls).collect();
    let (lines, code) = run_silent(Path::new(MEMORY), &arguments, "");
    assert_eq!((json(&lines).len(), code), (20, Some(0)));
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

#[test]
fn fetch_exits_1_if_nothing_may_be_fetched() {
    let (site, _) = site(&[answer("403 Forbidden", "", "no")]);
    let url = format!("http://{site}/");
    let fetch = |profile: &str| {
        let arguments = ["fetch", "--access", profile, NEAR[0], NEAR[1], &url];
        run_silent(Path::new(MEMORY), &arguments, "")
    };
    let (text, code) = fetch("rfc9309");
    assert!(text.contains(
        "meaning: everything is allowed, by access profile rfc9309: robots.txt is unavailable\n"
    ));
    assert!(text.contains("failure: status 403\n"), "{text}");
    assert_eq!(code, Some(0));
    let (text, code) = fetch("strict");
    assert!(text.contains(
        "meaning: nothing is allowed, by access profile strict: robots.txt is unavailable\n"
    ));
    assert_eq!(code, Some(1));
}

#[test]
fn a_copy_during_an_outage_has_a_warning() {
    let (site, _) = site(&[answer("503 Unavailable", "", "")]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let url = format!("http://{site}/");
    keep_expired(&store, site, DISALLOW_X);
    let (text, code) = run_silent(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    let meaning = "meaning: the rules of the last copy apply, by access profile rfc9309: robots.txt cannot be \
                   fetched, and the copy is of 20";
    let words = text.split_once(meaning).unwrap().1;
    assert!(words.contains("Z; last try 20"), "{text}");
    assert!(!text.contains("access: ") && text.ends_with(DISALLOW_X), "{text}");
    assert_eq!(code, Some(0));

    let body = ["fetch", "--body", NEAR[0], NEAR[1], &url];
    let output = verger(&store, &body, "");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), DISALLOW_X);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("warning: this is the last copy, of 20"), "{message}");
    assert!(message.contains("Z: status 503, last try 20"), "{message}");
    // JSON has it in `meaning`, without a message.
    let output = verger(&store, &[&body[..], &["--format", "json"]].concat(), "");
    let message: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(message[0]["meaning"]["stale"], "during_outage");
}
