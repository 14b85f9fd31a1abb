//! `verger watch` as a program: exit codes, and its memory.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use crate::common::texts;
use crate::live::site::{DISALLOW_X, NEAR, answer, json, ok, site, verger};

const OPEN: &str = "User-agent: *\nAllow: /\n";

/// The arguments of a single run with its memory in a folder.
pub(crate) fn once<'a>(folder: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let state = folder.to_str().unwrap();
    [&["watch", "--once", "--state", state, NEAR[0], NEAR[1]], more].concat()
}

#[test]
fn a_run_compares_with_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let comment = format!("# new\n{DISALLOW_X}");
    let gone = answer("404 Not Found", "", "");
    let broken = answer("500 Broken", "", "");
    let answers = [ok(DISALLOW_X), ok(&comment), ok(OPEN), gone, ok(OPEN), broken];
    let (address, _) = site(&answers);
    let url = format!("http://{address}/x");
    let store = folder.path().join("store.sqlite");
    let run = || {
        let arguments = once(folder.path(), &["--format", "jsonl", &url]);
        texts(&verger(&store, &arguments, ""))
    };
    let (code, out, messages) = run();
    assert_eq!((code, &*out), (Some(0), ""));
    assert_eq!(messages, "");
    assert_eq!(run(), (Some(0), String::new(), String::new()), "a comment");
    for (outcome, direction) in [("served", "opened"), ("absent", ""), ("served", "")] {
        let (code, out, messages) = run();
        let report = &json(&out)[0];
        assert_eq!((code, report["outcome"].as_str(), &*messages), (Some(1), Some(outcome), ""));
        let found = &report["diff"]["crawlers"][0]["changes"][0]["direction"];
        assert_eq!(found.as_str().unwrap_or_default(), direction);
    }
    for reports in [1, 0] {
        let (code, out, messages) = run();
        assert_eq!((code, json(&out).len()), (Some(2), reports));
        assert!(messages.contains(": robots.txt is unreachable: status 500"), "{messages}");
    }
    // The store has the versions.
    let (code, out, _) = texts(&verger(&store, &["watch", "--history", &url], ""));
    // The file before and after its absence is one version if both were seen in one second.
    let versions = out.lines().filter(|it| it.contains("` version ")).count();
    assert!(code == Some(0) && (3..=4).contains(&versions), "{out}");
    let (_, third) = out.split_once("` version 3, from ").unwrap();
    assert!(third.contains("opened: URLs such as `/x`"), "{out}");
}

#[test]
fn a_report_after_an_outage_has_one_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let broken = || answer("503 Broken", "", "");
    let gone = answer("403 Forbidden", "", "");
    let answers = [ok(DISALLOW_X), broken(), ok(DISALLOW_X), broken(), gone, broken(), ok(OPEN)];
    let (address, _) = site(&answers);
    let url = format!("http://{address}");
    let mut found = Vec::new();
    for _ in &answers {
        let output = verger(&folder.path().join("store"), &once(folder.path(), &[&url]), "");
        let (_, out, _) = texts(&output);
        found.extend(out.trim_end().lines().take(5).map(|line| {
            let line = line.replace(&url, "SITE");
            let line = line.split_once(", at ").map_or(&*line, |(start, _)| start).to_owned();
            line.split_once("the file of 20").map_or(line.clone(), |(start, rest)| {
                format!("{start}the file of 20…{}", &rest[18..])
            })
        }));
        found.push(String::new());
    }
    let outage = |last: &str| {
        format!(
            "`SITE`: robots.txt is unreachable\n  reason: status 503\n  outcome: `unreachable` instead of \
             `{last}`\n\n"
        )
    };
    let end = |facts: &str| format!("`SITE` changed\n{facts}");
    let same = end("  outcome: `served` instead of `unreachable`\n");
    let gone = end(
        "  reason: status 403\n  outcome: `absent` instead of `unreachable`\n  status: \
                    `403` instead of `200`\nrobots.txt: from the file of 20… to no file (status 403)\n\n",
    );
    let back =
        end("  outcome: `served` instead of `unreachable`\n  status: `200` instead of `403`\n");
    let (served, absent) = (outage("served"), outage("absent"));
    assert_eq!(found.join("\n"), format!("\n{served}{same}\n{served}{gone}{absent}{back}"));
}

#[test]
fn an_expected_file_needs_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (file, list) = (folder.path().join("robots.txt"), folder.path().join("sites"));
    fs::write(&file, DISALLOW_X).unwrap();
    let [(same, _), (other, _)] = [DISALLOW_X, OPEN].map(|text| site(&[ok(text)]));
    fs::write(&list, format!("# sites\nhttp://{same}\n\nhttp://{other}/\n")).unwrap();
    let (file, list) = (file.to_str().unwrap(), list.to_str().unwrap());
    let state = folder.path().join("state");
    for _ in 0..2 {
        let more = ["--origins", list, "--expect", file, "--format", "markdown"];
        let (code, out, messages) = texts(&verger(Path::new("memory"), &once(&state, &more), ""));
        assert_eq!((code, &*messages), (Some(1), ""));
        assert!(
            out.starts_with(&format!("### `http://{other}` differs from what is expected")),
            "{out}"
        );
        assert!(out.contains("- **opened**: URLs such as `/x`"), "{out}");
        assert!(!out.contains(&same.to_string()));
    }
    assert!(!state.exists());
    // Of one site.
    let (expect, url) = (format!("http://{same}={file}"), format!("http://{same}"));
    let more = ["--expect", &*expect, &*url];
    let (code, out, _) = texts(&verger(Path::new("memory"), &once(&state, &more), ""));
    assert_eq!((code, &*out), (Some(0), ""));
}

#[test]
fn wrong_arguments_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for (more, expected) in [
        (&["--expect", "-", "http://h.example"][..], "but found standard input"),
        (&["--expect", "http://x.example=last", "http://h.example"], ", not a watched site"),
        (&["--expect", "a", "--expect", "b", "http://h.example"], "two values for all sites"),
        (&["--offline", "http://h.example"], "robots.txt was not fetched: offline"),
        (&["--max-age", "5", "http://h.example"], "cannot be used with"),
        (&["h.example"], "h.example"),
    ] {
        let (code, _, messages) =
            texts(&verger(Path::new("memory"), &once(folder.path(), more), ""));
        assert!(code == Some(2) && messages.contains(expected), "{messages}");
    }
    for (more, expected) in [
        (&["--interval", "5s"][..], "`5s`: expected `60s` to `365d`"),
        (&["--interval", "200000000000000d"], "`200000000000000d`: expected `60s` to `365d`"),
        (&["--history", "--max-age", "5"], "cannot be used with"),
        (&["--history", "--user-agent", "a"], "cannot be used with"),
        (&["--history", "--proxy", "http://h.example"], "cannot be used with"),
    ] {
        let arguments = [&["watch", "http://h.example"], more].concat();
        let (code, _, messages) = texts(&verger(Path::new("memory"), &arguments, ""));
        assert!(code == Some(2) && messages.contains(expected), "{messages}");
    }
}
