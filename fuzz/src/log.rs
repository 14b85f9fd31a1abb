//! Target `log`: access logs.
//!
//! The same requests are read in any pieces. Each has its line, a target and a time in UTC.
//! Messages are inert. A text that a client chooses, as servers write it, is read back as itself,
//! and becomes no other part of a request.

use std::io::Read;

use serde_json::json;
use verger_audit::log::{LogFormat, LogOptions, LogTotals, Request, read_log};

use crate::inert::assert_inert;

/// Checks a log, after a format up to an octet 0, and texts of a client between such octets.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    texts_stay_in_their_parts(bytes);
    let (format, log) = match bytes.iter().position(|octet| *octet == 0) {
        Some(end) => (std::str::from_utf8(&bytes[..end]).ok(), &bytes[end + 1..]),
        None => (None, bytes),
    };
    let format = match format.map(LogFormat::custom) {
        Some(Err(error)) => return assert_inert(&error),
        format => format.and_then(Result::ok),
    };
    let options = LogOptions { format, zone: "-03:30".parse().ok() };
    let found = read(log, &options);
    assert_eq!(found, read(Octets(log), &options));
    let (requests, totals) = found;
    let totals = match totals {
        Ok(totals) => totals,
        Err(error) => return assert_inert(&error),
    };
    assert_eq!(requests.len() as u64, totals.requests);
    assert!(requests.is_sorted_by(|a, b| a.line < b.line) && !totals.has_local_times);
    if let Some((line, text)) = totals.first_skipped {
        assert!(line > 0 && totals.skipped > 0);
        assert_inert(&text);
    }
}

/// The facts about a request.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    line: u64,
    peer: Option<String>,
    status: Option<u16>,
    host: Option<Vec<u8>>,
    target: Vec<u8>,
    agent: Option<Vec<u8>>,
    others: String,
}

fn read(log: impl Read, options: &LogOptions) -> (Vec<Found>, Result<LogTotals, String>) {
    let mut requests = Vec::new();
    let totals = read_log(log, options, |request| {
        assert!(!request.target.is_empty() && !request.raw.is_empty() && !request.is_local);
        let Request { line, peer, status, .. } = request;
        let (host, agent) = (request.host.as_deref(), request.user_agent.as_deref());
        let (host, agent) = (host.map(<[u8]>::to_vec), agent.map(<[u8]>::to_vec));
        let (target, peer) = (request.target.to_vec(), peer.map(|it| it.to_string()));
        let others = format!("{:?} {:?} {:?}", request.at, request.headers, request.scheme);
        requests.push(Found { line, peer, status, host, target, agent, others });
    });
    (requests, totals)
}

/// A reader that returns one octet at a time.
struct Octets<'a>(&'a [u8]);

impl Read for Octets<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

const PEER: &str = "198.51.100.7";
const TIME: &str = "10/Oct/2026:13:55:36 +0200";

/// The user name, path, Referer and User-Agent headers of a client, and a field that it names.
fn texts_stay_in_their_parts(bytes: &[u8]) {
    let mut texts = bytes.split(|octet| *octet == 0);
    let [user, path, referer, agent, name] = [(); 5].map(|()| texts.next().unwrap_or_default());
    let target = [b"/", path].concat();
    let [escaped_user, escaped_target, escaped_referer, escaped_agent] =
        [user, &target, referer, agent].map(escaped);
    let end = format!(
        "{escaped_user} [{TIME}] \"GET {escaped_target} HTTP/1.1\" 200 7 \"{escaped_referer}\" \"{escaped_agent}\""
    );
    let custom = r#"$host $remote_addr - $remote_user [$time_local] "$request" $status $bytes_sent "$http_referer" "$http_user_agent""#;
    let custom = LogOptions { format: LogFormat::custom(custom).ok(), zone: None };
    for (line, options) in [
        (format!("{PEER} - {end}"), LogOptions::default()),
        (format!("{escaped_referer} {PEER} - {end}"), LogOptions::default()),
        (format!("shop.example {PEER} - {end}"), custom),
    ] {
        for found in read(line.as_bytes(), &options).0 {
            assert!(found.peer.as_deref().is_none_or(|peer| peer == PEER), "{line}");
            assert_eq!(found.status, Some(200), "{line}");
            check(&found, path, agent, &line);
        }
    }
    let [path, name] = [path, name].map(|text| String::from_utf8_lossy(text).into_owned());
    let agent = String::from_utf8_lossy(agent);
    // Servers write these in one spelling.
    if ["user-agent", "host"].iter().any(|it| name.eq_ignore_ascii_case(it)) {
        return;
    }
    let line = json!({
        "ts": 1, "status": 200, "request": {
            "remote_ip": PEER, "host": "shop.example", "uri": format!("/{path}"),
            "headers": { name: [agent], "User-Agent": [agent] },
        },
    });
    let line = line.to_string();
    let (found, totals) = read(line.as_bytes(), &LogOptions::default());
    let [found] = &found[..] else { panic!("{line}: {totals:?}") };
    assert_eq!((found.peer.as_deref(), found.status), (Some(PEER), Some(200)), "{line}");
    assert_eq!(found.host.as_deref(), Some(&b"shop.example"[..]), "{line}");
    check(found, path.as_bytes(), agent.as_bytes(), &line);
}

#[track_caller]
fn check(found: &Found, path: &[u8], agent: &[u8], line: &str) {
    let expected = [b"/", path].concat();
    assert_eq!(found.target.trim_ascii(), expected.trim_ascii(), "{line}");
    let agent = Some(agent).filter(|agent| !matches!(*agent, b"" | b"-"));
    assert_eq!(found.agent.as_deref(), agent, "{line}");
}

/// A value as nginx writes it.
fn escaped(text: &[u8]) -> String {
    if text.is_empty() {
        return "-".to_owned();
    }
    let octet = |octet: &u8| match octet {
        b' '..=b'~' if !b"\"\\".contains(octet) => char::from(*octet).to_string(),
        _ => format!("\\x{octet:02X}"),
    };
    text.iter().map(octet).collect()
}

/// Logs in several formats, and texts of clients, as seeds.
pub(crate) const SEEDS: [&str; 10] = [
    "192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] \"GET /a?b HTTP/1.1\" 404 153 \"-\" \"Bot/1.0 (\\x22)\"\nh 192.0.2.1 - - [x] \"GET / HTTP/2.0\" 200 1 \"-\" \"-\" \"203.0.113.9, 192.0.2.8\"",
    "<190>Oct 11 22:14:15 web nginx: 192.0.2.1 - joe [10/Oct/2026:13:55:36] \"HEAD http://h/ HTTP/1.1\" 200 -",
    "h2 2026-03-01T22:23:05.186641Z app/shop/cb8 192.0.2.7:4 - 0.006 4.108 -1 200 200 498 1485 \"GET https://h:443/ HTTP/2.0\" \"GPTBot/1.2\" - -",
    "10.0.1.2:33 [06/Feb/2026:12:14:14.655] in s/s 1/0/3/6/9 200 2 - - ---- 1/1/1/1/0 0/0 {shop.example|GPTBot/1.2#7D} \"GET /a#22 HTTP/1.1\"",
    "#Date: 2026-03-01\n#Fields: time c-ip cs-method cs-uri-stem cs-uri-query cs(User-Agent) sc-status sc-win32-status\n22:23:01 192.0.2.7 GET /b - Bot/1+(x) 304 0",
    "#Fields: date time x-edge-location c-ip cs-uri-stem cs(User-Agent) cs-uri-query time-taken\n2026-03-01\t22:23:00\tFRA2\t192.0.2.7\t/a%2520b\tBot/1%20(x)\tq=1\t2.500",
    r#"{"log":"{\"msec\":1772403780.123,\"request\":{\"uri\":\"/\\x22\"},\"status\":\"200\",\"UA\":\"Bot%2F1+x\"}\n","stream":"stdout"}"#,
    "$host $remote_addr|$time_iso8601|$http_user_agent|$status|$request_uri\0h 192.0.2.1|2026-03-01T22:23:00+01:00|Bot/1|200|/a\nh x|-|x|y|200|/b",
    "66.249.66.1 - x\0a\" HTTP/1.0\0x: 66.249.66.1\0GPTBot/1.2 (+https://h)\0X_Forwarded_For",
    "[x] \"GET / HTTP/1.1\" 200 1\0 \0x/1\0\\\0Uri",
];
