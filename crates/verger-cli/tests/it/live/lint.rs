//! `verger lint URL`.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::live::site::{MEMORY, NEAR, answer, read_head, site, verger};

/// The codes of the findings, and the exit code.
fn lint(response: String, arguments: &[&str]) -> (Vec<String>, Option<i32>) {
    let (site, _) = site(&[response]);
    let url = format!("http://{site}/deep/page");
    let all = [&["lint", NEAR[0], NEAR[1], "--format", "json", &url], arguments].concat();
    let output = verger(Path::new(MEMORY), &all, "");
    let files: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = files[0]["findings"].as_array().unwrap_or_else(|| panic!("{files}"));
    let codes = findings.iter().map(|finding| finding["code"].as_str().unwrap().to_owned());
    (codes.collect(), output.status.code())
}

#[test]
fn text_and_response_of_a_site_are_linted() {
    let robots = "User-agent: *\nDissalow: /cart\n";
    let plain = answer("200 OK", "Content-Type: text/plain\r\n", robots);
    assert_eq!(lint(plain, &[]), (vec!["misspelt-key".to_owned()], Some(1)));
    let html = answer("200 OK", "Content-Type: text/html\r\n", robots);
    let (codes, _) = lint(html, &[]);
    assert_eq!(codes, ["content-type", "misspelt-key"]);
}

#[test]
fn an_outage_of_a_site_is_a_finding() {
    let (codes, status) = lint(answer("503 Unavailable", "", ""), &[]);
    assert_eq!((codes, status), (vec!["unavailable".to_owned()], Some(1)));
    // A port without a server.
    let output =
        verger(Path::new(MEMORY), &["lint", NEAR[0], NEAR[1], "http://127.0.0.1:9999"], "");
    let found = String::from_utf8(output.stdout).unwrap();
    assert!(
        found.starts_with("error[unavailable]: there is no response: could not connect: "),
        "{found}"
    );
    for (response, code) in [
        (answer("302 Found", "", ""), "unavailable"),
        (answer("302 Found", "Location: /robots.txt\r\n", ""), "many-redirects"),
        (
            answer("200 OK", "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n", "x"),
            "unavailable",
        ),
    ] {
        assert_eq!(lint(response, &[]), (vec![code.to_owned()], Some(1)));
    }
    // No file is a choice, and not a problem.
    assert_eq!(lint(answer("404 Not Found", "", "no"), &[]), (vec![], Some(0)));
}

#[test]
fn the_origin_of_a_site_is_known() {
    let robots = "User-agent: *\nDisallow: /x\nSitemap: https://other.example/s.xml\n";
    let text = || answer("200 OK", "Content-Type: text/plain\r\n", robots);
    assert_eq!(lint(text(), &[]).0, ["foreign-sitemap"]);
    assert_eq!(lint(text(), &["--origin", "https://other.example"]).0, [""; 0]);
}

#[test]
fn fixes_of_a_site_are_shown_as_a_diff() {
    let (site, _) = site(&[answer("200 OK", "", "User-agent: *\nDissalow: /cart\n")]);
    let url = format!("http://{site}");
    let arguments = ["lint", NEAR[0], NEAR[1], &url, "--diff", "--unsafe-fixes"];
    let output = verger(Path::new(MEMORY), &arguments, "");
    let diff = String::from_utf8(output.stdout).unwrap();
    assert!(diff.ends_with("-Dissalow: /cart\n+Disallow: /cart\n"), "{diff}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn responses_to_crawlers_are_compared() {
    let robots = "User-agent: *\nDisallow: /x\n";
    let plain = answer("200 OK", "Content-Type: text/plain\r\n", robots);
    // robots.txt without and as the crawler, and the first page as the crawler and without.
    let requests = |answers: &[String]| {
        let (site, count) = site(answers);
        let url = format!("http://{site}");
        let arguments = ["lint", NEAR[0], NEAR[1], &url, "--as", "GPTBot", "--format", "concise"];
        let output = verger(Path::new(MEMORY), &arguments, "");
        (String::from_utf8(output.stdout).unwrap(), count.load(Ordering::SeqCst))
    };
    let refused = answer("403 Forbidden", "", "");
    let (found, count) = requests(&[plain.clone(), refused.clone()]);
    assert!(found.contains("`GPTBot` gets status 403; it treats everything as allowed"), "{found}");
    assert!(!found.contains("refused-crawler"), "everybody is refused: {found}");
    assert_eq!(count, 4);
    let (found, _) = requests(&[plain.clone(), plain.clone(), refused, plain.clone()]);
    assert!(found.contains("`GPTBot` is allowed, but gets status 403"), "{found}");
    let closed = answer("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /\n");
    let (found, count) = requests(&[plain, closed]);
    assert!(found.contains("`GPTBot` gets another robots.txt"), "{found}");
    assert_eq!(count, 2, "a page that is not allowed is not requested");
}

#[test]
fn a_header_is_sent_as_given_and_known_crawlers_have_notes() {
    const HEADER: &str = "Mozilla/5.0 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://h/bot)";
    let requests = |crawlers: &str| {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let site = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                seen.lock().unwrap().extend(read_head(&mut stream));
                stream.write_all(answer("403 Forbidden", "", "").as_bytes()).unwrap();
            }
        });
        let url = format!("http://{site}");
        let arguments = ["lint", NEAR[0], NEAR[1], &url, "--as", crawlers, "--format", "concise"];
        let output = verger(Path::new(MEMORY), &arguments, "");
        let heads = String::from_utf8(heads.lock().unwrap().clone()).unwrap();
        (heads, String::from_utf8(output.stderr).unwrap())
    };
    let (heads, messages) = requests(HEADER);
    assert!(heads.contains(&format!("{HEADER}\r\n")), "{heads}");
    assert!(messages.contains("its product token is `GPTBot`"), "{messages}");
    let (heads, messages) = requests("Google-Extended, CCBot/2.0");
    assert!(heads.contains(" (compatible; Google-Extended/1.0)\r\n"), "{heads}");
    assert!(heads.contains(": CCBot/2.0\r\n"), "{heads}");
    assert!(messages.contains("about `Google-Extended`: "), "{messages}");
}

#[test]
fn crawlers_need_a_site() {
    let output = verger(Path::new(MEMORY), &["lint", "-", "--as", "GPTBot"], "");
    assert_eq!(output.status.code(), Some(2));
}
