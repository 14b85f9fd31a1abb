//! `verger page URL`.

use std::path::Path;
use std::process::Output;
use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::site::{DISALLOW_X, MEMORY, NEAR, answer, ok, site, verger};

/// The page at a path of a site that has these answers, as JSON; what is told beside it; the exit status;
/// and how many requests it took.
fn page(path: &str, answers: &[String]) -> (Option<Value>, String, Option<i32>, usize) {
    let (site, requests) = site(answers);
    let url = format!("http://{site}{path}");
    let asks = ["page", &url, "--agent", "ExampleBot", "--format", "json", NEAR[0], NEAR[1]];
    let Output { status, stdout, stderr } = verger(Path::new(MEMORY), &asks, "");
    let told = String::from_utf8(stderr).unwrap().replace(&site.to_string(), "site");
    let requests = requests.load(Ordering::SeqCst);
    (serde_json::from_slice(&stdout).ok(), told, status.code(), requests)
}

#[test]
fn a_page_is_fetched_with_its_header_fields_and_meta_elements() {
    let fields = "Content-Type: text/html; charset=utf-8\r\nX-Robots-Tag: noarchive\r\n";
    let body = "<!doctype html><meta name=examplebot content=noindex>";
    let (json, told, code, requests) =
        page("/y", &[ok(DISALLOW_X), answer("200 OK", fields, body)]);
    let json = json.unwrap();
    assert_eq!(json["directives"].as_array().unwrap().len(), 2, "{json}");
    assert!(json["url"].as_str().unwrap().ends_with("/y"), "{json}");
    assert_eq!((told.as_str(), code, requests), ("", Some(1), 2));
}

#[test]
fn a_page_that_may_not_be_fetched_is_not() {
    let (json, told, code, requests) = page("/x", &[ok(DISALLOW_X)]);
    let expected = "`http://site/x` may not be fetched: disallowed by `Disallow: /x` on line 2";
    assert!(told.contains(expected), "{told}");
    assert_eq!((json, code, requests), (None, Some(2), 1));
}

#[test]
fn a_redirect_is_followed_by_the_rules_of_the_page_it_leads_to() {
    let moved = answer("302 Found", "Location: /x\r\n", "");
    let (json, told, code, requests) = page("/y", &[ok(DISALLOW_X), moved]);
    assert!(told.contains("`http://site/x` may not be fetched"), "{told}");
    assert_eq!((json, code, requests), (None, Some(2), 2));
}

#[test]
fn a_page_that_is_not_there_says_so() {
    let (json, told, code, requests) =
        page("/y", &[ok(DISALLOW_X), answer("404 Not Found", "", "")]);
    assert!(told.contains("`http://site/y`: status 404"), "{told}");
    assert_eq!((json, code, requests), (None, Some(2), 2));
}
