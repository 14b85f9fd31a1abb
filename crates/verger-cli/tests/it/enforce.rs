//! `verger enforce --prove` against servers that keep to a file, or do not.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use crate::common::run;

/// Starts a server that answers each request line and User-Agent header with a status, and with a redirect
/// to `/no`; returns its URL.
fn server(status: fn(&str, &str) -> u16) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let request = lines.next().unwrap_or_default();
            let agent = lines.find(|line| line.starts_with("User-Agent: ")).unwrap_or_default();
            // The rest of the head, so that the connection is not reset.
            let _ = lines.take_while(|line| !line.is_empty()).count();
            let status = status(&request, &agent);
            // The client can have gone.
            drop(write!(&stream, "HTTP/1.1 {status} x\r\n{REDIRECT}Content-Length: 0\r\n\r\n"));
        }
    });
    url
}

const REDIRECT: &str = "location: /no\r\n";
const ROBOTS: &str = "User-agent: GPTBot\nDisallow: /\n";

fn prove(robots: &str, url: &str, more: &[&str]) -> (Option<i32>, String) {
    let arguments =
        ["enforce", "-", "--agent", "GPTBot", "--prove", url, "--allow-net", "127.0.0.1"];
    let arguments = [&arguments[..], &["--rate", "1000", "--store", "memory"], more].concat();
    let output = run(&arguments, robots);
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_server_that_keeps_to_the_file_agrees() {
    let url = server(|request, agent| {
        let is_exempt = request.starts_with("HEAD /robots.txt ");
        if agent.contains("GPTBot") && !is_exempt { 403 } else { 204 }
    });
    let (code, text) = prove(ROBOTS, &url, &["--head"]);
    assert!(text.contains("GPTBot: ") && text.contains("a browser: "), "{text}");
    assert!(text.lines().all(|line| line.ends_with(" 0 differences")), "{text}");
    assert_eq!(code, Some(0));
}

#[test]
fn a_server_that_refuses_nothing_or_everything_differs() {
    let (code, text) = prove(ROBOTS, &server(|_, _| 200), &[]);
    assert!(
        text.contains("  //z is disallowed for GPTBot, but the server answered 200\n"),
        "{text}"
    );
    assert_eq!(code, Some(1));
    let (code, text) = prove(ROBOTS, &server(|_, _| 403), &["--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["a browser"]["differences"][0]["status"], 403, "{text}");
    assert_eq!(found["GPTBot"]["differences"][0]["target"], "/robots.txt", "{text}");
    assert_eq!(code, Some(1));
}

#[test]
fn only_the_redirect_of_the_answer_refuses() {
    let url = server(|request, agent| {
        let is_exempt = request.starts_with("GET /robots.txt ");
        if agent.contains("GPTBot") && !is_exempt { 302 } else { 200 }
    });
    let of_site = format!("{url}/no");
    let page = concat!("page:", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for (answer, expected) in [
        ("/no", 0),
        (&*of_site, 0),
        ("/other", 1),
        ("https://e.example/no", 1),
        (page, 1),
        ("403", 1),
    ] {
        let (code, text) = prove(ROBOTS, &url, &["--answer", answer]);
        assert_eq!(code, Some(expected), "{answer}: {text}");
        let found = "/z is disallowed for GPTBot, but the server answered 302 to /no\n";
        assert_eq!(text.contains(found), expected == 1, "{answer}: {text}");
    }
}

#[test]
fn every_crawler_is_asked_for_also_one_without_rules() {
    let url = server(|request, agent| {
        let is_refused = agent.contains("GPTBot") && request.contains('x');
        if is_refused || agent.contains("bingbot") { 403 } else { 200 }
    });
    let robots = "User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /x\n";
    let (code, text) = prove(robots, &url, &["--agent", "ClaudeBot", "--agent", "bingbot"]);
    assert!(
        text.contains("/x is disallowed for ClaudeBot, but the server answered 200\n"),
        "{text}"
    );
    assert!(text.contains("/x is allowed for bingbot, but the server answered 403\n"), "{text}");
    assert_eq!(code, Some(1));
    let (code, text) = prove("", &server(|_, _| 200), &[]);
    assert!(text.contains("GPTBot: ") && !text.contains("disallowed"), "{text}");
    assert_eq!(code, Some(0));
}
