//! Sites on loopback, and runs of the program with them.

use std::ffi::OsStr;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use verger::Origin;
use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::record::{Attempt, File, OriginRecord, ReadOptions, Response};
use verger_fetch::store::{SqliteOptions, SqliteStore, Store as _};

use crate::common;

/// A site that answers with these texts in order, and with the last one from then on. Returns its
/// address and the number of requests so far.
pub(crate) fn site(answers: &[String]) -> (SocketAddr, Arc<AtomicUsize>) {
    let answers = answers.to_vec();
    serve(move |at| answers[at.min(answers.len() - 1)].clone())
}

pub(crate) fn serve<A: Into<Vec<u8>>>(
    answer: impl Fn(usize) -> A + Send + 'static,
) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = read_head(&mut stream);
            assert!(head.starts_with(b"GET /"));
            let at = count.fetch_add(1, Ordering::SeqCst);
            stream.write_all(&answer(at).into()).unwrap();
        }
    });
    (address, requests)
}

/// Reads a request up to the empty line.
pub(crate) fn read_head(stream: &mut impl Read) -> Vec<u8> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    head
}

pub(crate) fn ok(robots: &str) -> String {
    answer("200 OK", "", robots)
}

pub(crate) fn answer(status: &str, fields: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

pub(crate) fn verger(store: &Path, arguments: &[&str], input: &str) -> Output {
    let arguments = arguments.iter().map(OsStr::new);
    let store = [OsStr::new("--store"), store.as_os_str()];
    common::run(&arguments.chain(store).collect::<Vec<_>>(), input)
}

/// Runs the program, and checks that it writes no messages.
pub(crate) fn run_silent(store: &Path, arguments: &[&str], input: &str) -> (String, Option<i32>) {
    let Output { status, stdout, stderr } = verger(store, arguments, input);
    assert_eq!(String::from_utf8(stderr).unwrap(), "", "{arguments:?}");
    (String::from_utf8(stdout).unwrap(), status.code())
}

pub(crate) fn check(store: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    run_silent(store, &[&["check", "--agent", "ExampleBot"], arguments].concat(), "")
}

pub(crate) fn json(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) const NEAR: [&str; 2] = ["--allow-net", "127.0.0.0/8"];
pub(crate) const MEMORY: &str = "memory";
pub(crate) const DISALLOW_X: &str = "User-agent: *\nDisallow: /x\n";

/// Stores a file that the site served two days ago, so that a fetch is due.
pub(crate) fn keep_expired(store: &Path, site: SocketAddr, body: &str) {
    let origin = Origin::of(&format!("http://{site}/")).unwrap().unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let fetched_at = Timestamp::from_seconds(now.as_secs() - 2 * 24 * 60 * 60);
    let response = Response::new(fetched_at, Outcome::Success, origin.robots_url());
    let mut attempt = Attempt::new(Response { status: Some(200), ..response });
    attempt.file = Some(File::new(&origin, body, fetched_at));
    let options = ReadOptions::new(Profile::RFC9309).with_identity("verger");
    let record = OriginRecord::new(options.key(&origin)).after(None, &options, attempt, 0);
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let store = SqliteStore::open(store, SqliteOptions::default()).await.unwrap();
        store.put(Arc::new(record.shared.unwrap())).await.unwrap();
        store.close().await;
    });
}
