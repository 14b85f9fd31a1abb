//! Text and messages of `verger check`.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::Ordering;

use crate::common::texts;
use crate::live::site::{
    DISALLOW_X, MEMORY, NEAR, answer, check, json, keep_expired, ok, run_silent, site, verger,
};

/// Both outputs and the exit code of a check.
fn outputs(store: &Path, arguments: &[&str]) -> (String, String, Option<i32>) {
    let arguments = [&["check"], arguments].concat();
    let Output { status, stdout, stderr } = verger(store, &arguments, "");
    let [out, message] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (out, message, status.code())
}

#[test]
fn a_refusal_of_the_guard_is_unreachable_with_a_hint() {
    let (site, requests) = site(&[ok("")]);
    let url = format!("http://{site}/");
    let hint = "hint: `--allow-net 127.0.0.1/32` allows connections to this address\n";
    let why = "Verger does not connect to 127.0.0.1: a loopback address";
    let store = Path::new(MEMORY);
    let (text, messages, code) = outputs(store, &["--agent", "a", &url, &url]);
    assert!(
        text.starts_with("disallow  ")
            && text.contains(&format!("  not answered: {why}, last try 20")),
        "{text}"
    );
    let counted = "error: 2 of 2 URLs could not be answered\n";
    assert_eq!((messages, code), (format!("{counted}\n{hint}"), Some(2)));
    let (text, messages, code) = outputs(store, &["--agent", "a", "--format", "jsonl", &url]);
    let answer = &json(&text)[0];
    assert_eq!((&answer["allowed"], &answer["unanswered"]), (&false.into(), &true.into()));
    assert_eq!((&*messages, code), ("error: 1 of 1 URLs could not be answered\n", Some(2)));
    let output = verger(store, &["fetch", &url], "");
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(messages, format!("error: could not fetch `{url}robots.txt`: {why}\n\n{hint}"));
    assert_eq!(output.status.code(), Some(2));
    let output = verger(store, &["inspect", &url], "");
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(messages, format!("error: could not read `{url}robots.txt`: {why}\n\n{hint}"));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [robots, tests, state] = ["robots.txt", "robots.test.toml", "state"].map(path);
    fs::write(&robots, DISALLOW_X).unwrap();
    fs::write(&tests, format!("[[test]]\nname = 'a'\nsitemaps = ['{url}']\n")).unwrap();
    for arguments in [
        &["page", &*url][..],
        &["rights", &url],
        &["watch", "--once", "--state", &state, &url],
        &["coverage", &robots, "--sitemap", &url],
        &["test", &tests],
    ] {
        let output = verger(store, arguments, "");
        let (code, text, messages) = texts(&output);
        assert!((text + &messages).contains(why) && messages.ends_with(hint), "{messages}");
        assert_eq!(code, Some(2), "{arguments:?}");
    }
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[test]
fn offline_an_unknown_site_is_unreachable_with_the_reason() {
    let asks = ["--agent", "a", "--offline", "https://shop.example/"];
    let (text, messages, code) = outputs(Path::new(MEMORY), &asks);
    let why = "  not answered: offline, and no record of this origin is stored\n";
    assert!(text.starts_with("disallow  ") && text.contains(why), "{text}");
    assert!(!text.contains("next try"), "{text}");
    assert_eq!((&*messages, code), ("error: 1 of 1 URLs could not be answered\n", Some(2)));
}

#[test]
fn a_refused_port_and_a_local_name_have_a_hint() {
    let store = Path::new(MEMORY);
    for (url, why, hint) in [
        (
            "http://shop.example:25/",
            "Verger does not connect to port 25: a port reserved for another protocol",
            "hint: permitted ports are 80, 443 and those from 1024 on, except those of other \
             protocols, such as databases; no flag changes this\n",
        ),
        (
            "http://localhost:8080/",
            "Verger does not connect to localhost: a name outside the public DNS",
            "hint: `--allow-net 127.0.0.1 --allow-net ::1` allows connections to this machine\n",
        ),
        (
            "http://nosuch.invalid/",
            "Verger does not connect to nosuch.invalid: a name outside the public DNS",
            "",
        ),
    ] {
        let (text, messages, code) = outputs(store, &["--agent", "a", url]);
        assert!(text.contains(why), "{text}");
        let counted = "error: 1 of 1 URLs could not be answered\n";
        let hint = if hint.is_empty() { String::new() } else { format!("\n{hint}") };
        assert_eq!((messages, code), (format!("{counted}{hint}"), Some(2)), "{url}");
    }
}

#[test]
fn a_copy_answers_if_the_client_cannot_fetch() {
    let (site, _) = site(&[ok("")]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    keep_expired(&store, site, DISALLOW_X);
    // Refused or offline, the client sends nothing, but the rules of the copy are an answer.
    for flags in [&[][..], &["--offline"]] {
        for (path, expected) in [("x", 1), ("y", 0)] {
            let url = format!("http://{site}/{path}");
            let (text, messages, code) =
                outputs(&store, &[&["--agent", "a", &url], flags].concat());
            assert!(
                !text.contains("not answered") && !messages.contains("answered"),
                "{text}{messages}"
            );
            assert_eq!(code, Some(expected), "{url} {flags:?}");
        }
    }
}

#[test]
fn an_empty_agent_sends_no_request() {
    let (site, requests) = site(&[ok("")]);
    let url = format!("http://{site}/");
    for arguments in [
        &["check", "--agent", "", &url][..],
        &["check", "--agent", "a", "--agent", " ", &url],
        &["page", "--agent", "", &url],
    ] {
        let output = verger(Path::new(MEMORY), &[arguments, &NEAR].concat(), "");
        let messages = String::from_utf8(output.stderr).unwrap();
        let error = "error: expected an agent for requests, but found an empty text\n";
        assert!(messages.starts_with(error), "{messages}");
        assert_eq!(output.status.code(), Some(2));
    }
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[test]
fn during_an_outage_the_next_try_is_shown() {
    let unavailable = answer("503 Unavailable", "", "");
    let (site, _) = site(&[ok(DISALLOW_X), unavailable.clone(), unavailable]);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let url = format!("http://{site}/x");
    run_silent(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    let (text, _) = check(&store, &[NEAR[0], NEAR[1], &url]);
    assert!(!text.contains("next try"), "{text}");
    // A fresh file is used even after a failed fetch.
    run_silent(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    let (text, code) = check(&store, &[NEAR[0], NEAR[1], &url]);
    let words = text.split_once(" (status 503, last try 20").unwrap().1;
    assert!(words.contains(", from the store, by the file of 20"), "{text}");
    assert!(!text.contains("next try"), "{text}");
    assert_eq!(code, Some(1));
    keep_expired(&store, site, DISALLOW_X);
    run_silent(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
    let (text, code) = check(&store, &[NEAR[0], NEAR[1], &url]);
    let words = text.split_once(" (status 503, last try 20").unwrap().1;
    let words = words.split_once(", from the store, by the copy of 20").unwrap().1;
    assert!(words.contains(", next try 20"), "{text}");
    assert_eq!(code, Some(1));
}

#[test]
fn an_html_page_in_place_of_robots_txt_is_reported() {
    let (site, _) = site(&[ok("<!doctype html><title>Shop</title>")]);
    let (text, code) = check(Path::new(MEMORY), &[NEAR[0], NEAR[1], &format!("http://{site}/")]);
    assert!(text.ends_with(", looks like an HTML page)\n"), "{text}");
    assert_eq!(code, Some(0));
}

#[test]
fn an_agent_with_a_version_is_read_as_a_header() {
    let (site, _) = site(&[ok("User-agent: ExampleBot\nDisallow: /\n")]);
    let url = format!("http://{site}/");
    let arguments = ["--agent", "ExampleBot/1.0 (+https://bot.example/)", NEAR[0], NEAR[1], &url];
    let (_, messages, code) = outputs(Path::new(MEMORY), &arguments);
    let note = "`ExampleBot/1.0 (+https://bot.example/)` is read as a User-Agent header; its product \
                token is `ExampleBot`";
    assert_eq!((messages, code), (format!("note: {note}\n"), Some(1)));
}

#[test]
fn a_known_crawler_has_its_fallbacks_and_a_note() {
    let (site, _) = site(&[ok("User-agent: Googlebot\nDisallow: /\n")]);
    let url = format!("http://{site}/");
    let arguments = ["--agent", "Googlebot-Image", NEAR[0], NEAR[1], &url];
    let (_, messages, code) = outputs(Path::new(MEMORY), &arguments);
    let note = "`Googlebot-Image` obeys a group for `Googlebot` if it has none of its own";
    assert_eq!((messages, code), (format!("note: {note}\n"), Some(1)));
}
