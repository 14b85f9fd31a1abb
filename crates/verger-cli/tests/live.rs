//! `verger check` without `--robots`, against a server on loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A site that answers every request with this robots.txt, and the number of requests so far.
fn site(robots: &'static str) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            assert!(head.starts_with(b"GET /robots.txt HTTP/1.1\r\n"));
            count.fetch_add(1, Ordering::SeqCst);
            let length = robots.len();
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{robots}").unwrap();
        }
    });
    (address, requests)
}

fn check(store: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(["check", "--agent", "ExampleBot", "--store"])
        .arg(store)
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(stderr).unwrap(), "");
    (String::from_utf8(stdout).unwrap(), status.code())
}

#[test]
fn a_file_is_fetched_once_and_then_is_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("cache").join("store.sqlite");
    let (site, requests) = site("User-agent: *\nDisallow: /x\n");
    let (x, y) = (format!("http://{site}/x"), format!("http://{site}/y"));
    let near = ["--allow-net", "127.0.0.0/8"];

    let (text, code) = check(&store, &[near[0], near[1], &x]);
    assert!(text.starts_with(&format!("disallow  {x}  by `Disallow: /x` on line 2")), "{text}");
    assert!(text.contains("(status 200, ") && !text.contains("from the store"), "{text}");
    assert_eq!(code, Some(1));

    let (text, code) = check(&store, &[near[0], near[1], &y]);
    assert!(text.contains("(status 200, ") && text.ends_with(", from the store)\n"), "{text}");
    assert_eq!(code, Some(0));

    let (json, code) = check(&store, &["--offline", "--format", "jsonl", &x]);
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    let decision = &answer["decision"];
    assert_eq!(answer["allowed"], false);
    assert_eq!((&decision["version"], &decision["status"]), (&1.into(), &200.into()));
    assert_eq!((&decision["source"], &decision["bytes"]), (&"store".into(), &27.into()));
    assert_eq!(code, Some(1));
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

#[test]
fn what_the_guard_refuses_is_unreachable_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("cache").join("store.sqlite");
    let (site, requests) = site("");
    let (text, code) = check(&store, &[&format!("http://{site}/")]);
    let why = "(refused to connect to 127.0.0.1: a loopback address, ";
    assert!(text.starts_with("disallow  ") && text.contains(why), "{text}");
    assert_eq!((code, requests.load(Ordering::SeqCst)), (Some(1), 0));
}

#[test]
fn offline_what_is_not_kept_is_unreachable_and_says_why() {
    let (text, code) = check(Path::new("memory"), &["--offline", "https://shop.example/"]);
    assert!(text.contains("(offline, and nothing is kept of this origin, "), "{text}");
    assert_eq!(code, Some(1));
}
