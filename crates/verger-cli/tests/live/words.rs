//! What people are told of the answers of `verger check`.

use std::path::Path;
use std::process::Output;
use std::sync::atomic::Ordering;

use crate::site::{DISALLOW_X, MEMORY, NEAR, answer, check, keep_expired, ok, run, site, verger};

/// Both outputs of a check.
fn told(store: &Path, arguments: &[&str]) -> (String, String, Option<i32>) {
    let arguments = [&["check"], arguments].concat();
    let Output { status, stdout, stderr } = verger(store, &arguments, "");
    let [out, told] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (out, told, status.code())
}

#[test]
fn what_the_guard_refuses_is_unreachable_and_says_how_to_let_it_in() {
    let (site, requests) = site(&[ok("")]);
    let url = format!("http://{site}/");
    let hint = "hint: `--allow-net 127.0.0.1/32` allows connections to this address\n";
    let why = "refused to connect to 127.0.0.1: a loopback address";
    let store = Path::new(MEMORY);
    let (text, said, code) = told(store, &["--agent", "a", &url, &url]);
    assert!(
        text.starts_with("disallow  ") && text.contains(&format!("({why}, last try 20")),
        "{text}"
    );
    assert_eq!((said, code), (format!("\n{hint}"), Some(1)));
    let (_, said, _) = told(store, &["--agent", "a", "--format", "jsonl", &url]);
    assert_eq!(said, "");
    let output = verger(store, &["fetch", &url], "");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("\n{hint}"));
    let output = verger(store, &["inspect", &url], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, format!("error: could not read `{url}robots.txt`: {why}\n\n{hint}"));
    let output = verger(store, &["page", &url], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.ends_with(&format!(" ({why})\n\n{hint}")), "{said}");
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[test]
fn offline_what_is_not_kept_is_unreachable_and_says_why() {
    let (text, code) = check(Path::new(MEMORY), &["--offline", "https://shop.example/"]);
    assert!(text.contains("(offline, and no record of this origin is stored)"), "{text}");
    assert!(!text.contains("next try"), "{text}");
    assert_eq!(code, Some(1));
}

#[test]
fn during_an_outage_the_next_try_is_told() {
    let unavailable = answer("503 Unavailable", "", "");
    let (site, _) = site(&[ok(DISALLOW_X), unavailable.clone(), unavailable]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let url = format!("http://{site}/x");
    run(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    let (text, _) = check(&store, &[NEAR[0], NEAR[1], &url]);
    assert!(!text.contains("next try"), "{text}");
    // A fresh file outlives a failed fetch.
    run(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    let (text, code) = check(&store, &[NEAR[0], NEAR[1], &url]);
    let words = text.split_once(" (status 503, last try 20").unwrap().1;
    assert!(words.contains(", from the store, by the file of 20"), "{text}");
    assert!(!text.contains("next try"), "{text}");
    assert_eq!(code, Some(1));
    keep_expired(&store, site, DISALLOW_X);
    run(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    let (text, code) = check(&store, &[NEAR[0], NEAR[1], &url]);
    let words = text.split_once(" (status 503, last try 20").unwrap().1;
    let words = words.split_once(", from the store, by the copy of 20").unwrap().1;
    assert!(words.contains(", next try 20"), "{text}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_page_in_the_place_of_a_file_is_told_to_look_like_one() {
    let (site, _) = site(&[ok("<!doctype html><title>Shop</title>")]);
    let (text, code) = check(Path::new(MEMORY), &[NEAR[0], NEAR[1], &format!("http://{site}/")]);
    assert!(text.ends_with(", looks like a page)\n"), "{text}");
    assert_eq!(code, Some(0));
}

#[test]
fn an_agent_with_a_version_is_read_as_a_header() {
    let (site, _) = site(&[ok("User-agent: ExampleBot\nDisallow: /\n")]);
    let url = format!("http://{site}/");
    let arguments = ["--agent", "ExampleBot/1.0 (+https://bot.example/)", NEAR[0], NEAR[1], &url];
    let (_, said, code) = told(Path::new(MEMORY), &arguments);
    let note = "`ExampleBot/1.0 (+https://bot.example/)` is read as a User-Agent header; its product \
                token is `ExampleBot`";
    assert_eq!((said, code), (format!("note: {note}\n"), Some(1)));
}

#[test]
fn a_token_that_is_a_known_crawler_is_hinted_where_answers_differ() {
    let (site, _) = site(&[ok("User-agent: Googlebot\nDisallow: /\n")]);
    let url = format!("http://{site}/");
    let arguments = ["--agent", "Googlebot-Image", NEAR[0], NEAR[1], &url];
    let (_, said, code) = told(Path::new(MEMORY), &arguments);
    let hint = "`Googlebot-Image` also obeys a group for `Googlebot`; with `--crawler \
                Googlebot-Image` 1 answer differs";
    assert_eq!((said, code), (format!("\nhint: {hint}\n"), Some(0)));
}
