//! `verger verify` with decisions about sites.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::Value;
use verger::access::Profile;
use verger_testkit::generate::is_thorough;

use crate::common;
use crate::live::site::{DISALLOW_X, NEAR, answer, check, ok, site, verger};

/// Decisions about any server hold against the file that it served.
#[test]
fn decisions_of_live_fetches_hold() {
    let (target, _) = site(&[ok(DISALLOW_X)]);
    let moved = format!("Location: http://{target}/r.txt\r\n");
    let long = format!("{DISALLOW_X}{}", "# comment\n".repeat(60_000));
    let cases: [(&[String], &str, usize, &str); 10] = [
        (&[ok(DISALLOW_X)], DISALLOW_X, 1, "rules"),
        (
            &[ok("User-agent: *\nCrawl-delay: 1.5\n")],
            "User-agent: *\nCrawl-delay: 1.5\n",
            1,
            "rules",
        ),
        (&[answer("302 Found", &moved, "")], DISALLOW_X, 1, "rules"),
        (&[answer("404 Not Found", "", "no")], "anything", 1, "allow_all"),
        (&[answer("302 Found", "Location: ?x\r\n", "")], "anything", 1, "allow_all"),
        (&[answer("302 Found", "", "")], "anything", 1, "disallow_all"),
        (&[answer("503 Unavailable", "", "")], "anything", 1, "disallow_all"),
        (&[ok(DISALLOW_X), answer("503 Unavailable", "", "")], DISALLOW_X, 2, "rules"),
        (&[ok(DISALLOW_X), answer("410 Gone", "", "")], "anything", 2, "allow_all"),
        (&[ok(&long)], &long, 1, "rules"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archived.txt");
    for (at, (answers, archived, fetches, access)) in cases.iter().enumerate() {
        let store = folder.path().join(format!("{at}.sqlite"));
        std::fs::write(&archive, archived).unwrap();
        let (site, _) = site(answers);
        let url = format!("http://{site}/a/../x#y");
        let dialect = ["rfc9309", "google"][at % 2];
        for _ in 0..*fetches {
            verger(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
        }
        let rest =
            ["--dialect", dialect, "--explain", "--format", "json", &url, "mailto:a@shop.example"];
        let (decisions, _) = check(&store, &[&NEAR, &rest[..]].concat());
        let decided: Value = serde_json::from_str(&decisions).unwrap();
        assert_eq!(decided[0]["decision"]["access"], *access, "{decisions}");
        hold(&decisions, &archive, 2);
    }
}

/// In every access profile: fetched, stored and offline.
#[test]
fn decisions_of_live_fetches_hold_in_every_access_profile() {
    let aged = |age: &str| format!("Cache-Control: max-age={age}\r\n");
    let (fresh, stale) = (aged("99999999"), aged("0"));
    let cases = [
        vec![answer("200 OK", &fresh, DISALLOW_X)],
        vec![answer("200 OK", &stale, DISALLOW_X)],
        vec![answer("201 Created", "", DISALLOW_X)],
        vec![answer("206 Partial Content", "", DISALLOW_X)],
        vec![answer("302 Found", "Location: ?x\r\n", "")],
        vec![answer("302 Found", "Location: ftp://shop.example/\r\n", "")],
        vec![answer("304 Not Modified", "", "")],
        vec![answer("403 Forbidden", "", "")],
        vec![answer("404 Not Found", &fresh, "")],
        vec![answer("429 Too Many Requests", "", "")],
        vec![answer("503 Unavailable", "", "")],
        vec![answer("999 Strange", "", "")],
        vec!["HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n".to_owned()],
        vec![ok(DISALLOW_X), answer("304 Not Modified", &stale, "")],
        vec![ok(DISALLOW_X), answer("404 Not Found", "", "")],
        vec![ok(DISALLOW_X), answer("503 Unavailable", "", "")],
    ];
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archived.txt");
    std::fs::write(&archive, DISALLOW_X).unwrap();
    for (number, profile) in Profile::ALL.into_iter().enumerate() {
        let mut decisions = String::new();
        // Some cases for each profile; all in the thorough suite.
        let chosen = |at: usize| is_thorough() || at % Profile::ALL.len() == number;
        let chosen: Vec<_> = cases.iter().enumerate().filter(|(at, _)| chosen(*at)).collect();
        for (at, answers) in &chosen {
            let store = folder.path().join(format!("{profile}-{at}.sqlite"));
            let (site, _) = site(answers);
            let url = format!("http://{site}/x");
            let access = ["--access", profile.name];
            for _ in 1..answers.len() {
                let fetch = ["fetch", NEAR[0], NEAR[1], access[0], access[1], &url];
                verger(&store, &fetch, "");
                verger(&store, &fetch, "");
            }
            for rest in [&NEAR[..], &NEAR[..], &["--offline"]] {
                let arguments = [rest, &access, &["--format", "jsonl", &url]].concat();
                decisions += &check(&store, &arguments).0;
            }
        }
        hold(&decisions, &archive, 3 * chosen.len());
    }
}

#[track_caller]
fn hold(decisions: &str, archive: &Path, count: usize) {
    let arguments = ["verify", "-", "--robots"].map(OsStr::new);
    let arguments = [&arguments[..], &[archive.as_os_str()]].concat();
    let output = common::run(&arguments, decisions);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}\n{decisions}");
    assert_eq!(text.lines().filter(|line| line.starts_with("holds  ")).count(), count, "{text}");
}
