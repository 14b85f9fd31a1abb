//! `verger watch` as a program: exit codes, its memory, and kills at any moment.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{sleep, spawn};
use std::time::Duration;

use serde_json::Value;

use crate::common::texts;
use crate::live::site::{DISALLOW_X, NEAR, answer, json, ok, site, verger};

const OPEN: &str = "User-agent: *\nAllow: /\n";

/// The arguments of a single run with its memory in a folder.
fn once<'a>(folder: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
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
    assert!(messages.contains("1 site seen for the first time"), "{messages}");
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
    let (code, out, _) =
        texts(&verger(&store, &["watch", "--history", "--format", "jsonl", &url], ""));
    let versions = json(&out);
    // The file before and after its absence is one version if both were seen in one second.
    assert!(code == Some(0) && (3..=4).contains(&versions.len()), "{out}");
    assert_eq!(versions[0].get("diff"), None);
    assert_eq!(versions[2]["diff"]["crawlers"][0]["changes"][0]["direction"], "opened");
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
        (&["--expect", "http://x.example=last", "http://h.example"], "which is no watched site"),
        (&["--offline", "http://h.example"], "expected a network"),
        (&["h.example"], "h.example"),
    ] {
        let (code, _, messages) =
            texts(&verger(Path::new("memory"), &once(folder.path(), more), ""));
        assert!(code == Some(2) && messages.contains(expected), "{messages}");
    }
    for (more, expected) in [
        (&["--interval", "5s"][..], "`5s`: expected at least `60s`"),
        (&["--max-age", "5"], "cannot be used with"),
        (&["--history", "--user-agent", "a"], "cannot be used with"),
        (&["--history", "--proxy", "http://h.example"], "cannot be used with"),
    ] {
        let arguments = [&["watch", "http://h.example"], more].concat();
        let (code, _, messages) = texts(&verger(Path::new("memory"), &arguments, ""));
        assert!(code == Some(2) && messages.contains(expected), "{messages}");
    }
}

/// The process is killed after growing times, also between the report of a change and its memory. Every
/// change of every site is reported, and repetitions have its `id`.
#[test]
fn a_kill_at_any_moment_loses_no_change() {
    const SITES: usize = 8;
    let folder = tempfile::tempdir().unwrap();
    let version = Arc::new(AtomicUsize::new(0));
    let urls: Vec<String> = (0..SITES)
        .map(|_| {
            let (version, listener) =
                (Arc::clone(&version), TcpListener::bind(("127.0.0.1", 0)).unwrap());
            let address = listener.local_addr().unwrap();
            // A client that is killed resets its connection.
            spawn(move || {
                for mut stream in listener.incoming().flatten() {
                    let path = version.load(Ordering::SeqCst);
                    let answer = ok(&format!("User-agent: *\nDisallow: /{path}\n"));
                    let _ = stream
                        .read(&mut [0; 4096])
                        .and_then(|_| stream.write_all(answer.as_bytes()));
                }
            });
            format!("http://{address}")
        })
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let more: Vec<&str> = [&["--format", "jsonl", "--store", "memory"], &urls[..]].concat();
    let arguments = once(folder.path(), &more);
    // Reports by site and version, with their ids.
    let mut ids: BTreeMap<(String, usize), BTreeSet<String>> = BTreeMap::new();
    let mut run = |kill_after: Option<Duration>, version: usize| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_verger"))
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        if let Some(time) = kill_after {
            sleep(time);
            let _ = child.kill();
        }
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut count = 0;
        for report in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let report: Value = serde_json::from_str(report).unwrap();
            let [origin, id] = ["origin", "id"].map(|key| report[key].as_str().unwrap().to_owned());
            ids.entry((origin, version)).or_default().insert(id);
            count += 1;
        }
        (output.status.code(), count)
    };
    assert_eq!(run(None, 0), (Some(0), 0));
    for round in 1..=4 {
        version.store(round, Ordering::SeqCst);
        for step in 0..8 {
            run(Some(Duration::from_millis(step * 30 + round as u64 * 7)), round);
        }
        run(None, round);
        assert_eq!(run(None, round), (Some(0), 0), "all are remembered");
    }
    assert_eq!(ids.len(), SITES * 4, "{ids:?}");
    assert!(ids.values().all(|ids| ids.len() == 1), "{ids:?}");
    let all: BTreeSet<_> = ids.values().flatten().collect();
    assert_eq!(all.len(), SITES * 4);
}
