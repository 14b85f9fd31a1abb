//! `verger watch` and `verger generate`, killed at random moments: 32 and 10 times, 300 in the
//! thorough suite (`VERGER_CASES`).
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{sleep, spawn};
use std::time::Duration;

use serde_json::Value;
use verger_testkit::generate::is_thorough;

use crate::live::site::ok;
use crate::watch::once;

/// Runs the program, and kills it within 300 milliseconds, or not.
fn killed(arguments: &[&str], is_killed: bool) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    if is_killed {
        sleep(Duration::from_micros(RandomState::new().hash_one(0) % 300_000));
        child.kill().unwrap();
    }
    child.wait_with_output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
}

/// The process is killed also between the report of a change and its memory. Every change of every
/// site is reported, and repetitions have its `id`.
#[test]
fn a_killed_watch_loses_no_change_and_damages_no_memory() {
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
    let mut run = |is_killed: bool, version: usize| {
        let output = killed(&arguments, is_killed);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(!messages.contains("damaged"), "{messages}");
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
    assert_eq!(run(false, 0), (Some(0), 0));
    let rounds = if is_thorough() { 38 } else { 4 };
    for round in 1..=rounds {
        version.store(round, Ordering::SeqCst);
        for _ in 0..8 {
            run(true, round);
        }
        run(false, round);
        assert_eq!(run(false, round), (Some(0), 0), "all are remembered");
    }
    assert_eq!(ids.len(), SITES * rounds, "{ids:?}");
    assert!(ids.values().all(|ids| ids.len() == 1), "{ids:?}");
    let all: BTreeSet<_> = ids.values().flatten().collect();
    assert_eq!(all.len(), SITES * rounds);
    let names = names(folder.path());
    // A file for each site, and the lock.
    assert!(names.len() == SITES + 1 && !names.iter().any(|it| it.starts_with('.')), "{names:?}");
}

#[test]
fn a_killed_generate_leaves_the_old_or_the_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    let update = |answer: &str, is_killed: bool| {
        let arguments = ["generate", "--training", answer, "--update", file.to_str().unwrap()];
        killed(&arguments, is_killed);
        fs::read_to_string(&file).unwrap()
    };
    fs::write(&file, "User-agent: *\nDisallow: /cart\n").unwrap();
    let whole = ["no", "yes"].map(|answer| update(answer, false));
    assert!(whole.iter().all(|it| it.contains("Content-Signal")) && whole[0] != whole[1]);
    for at in 0..if is_thorough() { 300 } else { 10 } {
        let text = update(["no", "yes"][at % 2], true);
        assert!(whole.contains(&text), "{text}");
    }
    // The next run removes what killed ones have left, also if it changes nothing.
    let text = fs::read_to_string(&file).unwrap();
    let answer = if text == whole[0] { "no" } else { "yes" };
    assert_eq!(update(answer, false), text);
    assert_eq!(names(folder.path()), ["robots.txt"]);
}
