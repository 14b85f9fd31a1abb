//! `verger lint URL`.

use std::path::Path;

use serde_json::Value;

use crate::site::{MEMORY, NEAR, answer, site, verger};

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
