//! `verger page URL`.

use std::path::Path;
use std::process::Output;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use verger_fetch::record::RecordKey;
use verger_fetch::store::{SqliteOptions, SqliteStore, Store as _};

use crate::live::site::{DISALLOW_X, MEMORY, NEAR, answer, ok, site, verger};

/// Output of `verger page` for a path of a site with these responses.
struct Got {
    out: String,
    message: String,
    code: Option<i32>,
    requests: usize,
}

fn page(path: &str, answers: &[String], format: &str) -> Got {
    page_for("ExampleBot", path, answers, format)
}

fn page_for(agent: &str, path: &str, answers: &[String], format: &str) -> Got {
    let (site, requests) = site(answers);
    let url = format!("http://{site}{path}");
    let asks = ["page", &url, "--agent", agent, "--format", format, NEAR[0], NEAR[1]];
    let Output { status, stdout, stderr } = verger(Path::new(MEMORY), &asks, "");
    let [out, message] = [stdout, stderr]
        .map(|bytes| String::from_utf8(bytes).unwrap().replace(&site.to_string(), "site"));
    Got { out, message, code: status.code(), requests: requests.load(Ordering::SeqCst) }
}

/// The same in JSON, without messages.
#[track_caller]
fn page_json(path: &str, answers: &[String], code: i32, requests: usize) -> Value {
    let got = page(path, answers, "json");
    assert_eq!((&*got.message, got.code, got.requests), ("", Some(code), requests), "{}", got.out);
    serde_json::from_str(&got.out).unwrap()
}

fn moved(to: &str) -> String {
    answer("302 Found", &format!("Location: {to}\r\n"), "")
}

const FIELDS: &str = "Content-Type: text/html; charset=utf-8\r\nX-Robots-Tag: noarchive\r\n";
const PAGE: &str = "<!doctype html><meta name=examplebot content=noindex>";

#[test]
fn an_agent_that_no_group_can_name_fetches_no_page() {
    let got = page_for("*", "/y", &[ok(DISALLOW_X), answer("200 OK", FIELDS, PAGE)], "text");
    assert_eq!((&*got.out, got.code, got.requests), ("", Some(2), 0), "{}", got.message);
    let message = "expected a product token, or a User-Agent header with one, but found `*`";
    assert!(got.message.contains(message), "{}", got.message);
    // The product tokens of a header are used.
    let robots = ok("User-agent: ExampleBot\nDisallow: /\n");
    let got = page_for("Mozilla/5.0 (compatible; ExampleBot/1.0)", "/y", &[robots], "text");
    assert_eq!(got.requests, 1, "{}", got.message);
    assert!(got.message.contains("may not be fetched"), "{}", got.message);
}

#[test]
fn a_page_is_fetched_with_its_header_fields_and_meta_elements() {
    let json = page_json("/y", &[ok(DISALLOW_X), answer("200 OK", FIELDS, PAGE)], 1, 2);
    assert_eq!(json["directives"].as_array().unwrap().len(), 2, "{json}");
    assert_eq!(json["url"], "http://site/y");
    assert_eq!(json["fetch"]["hops"], json!([]));
    assert_eq!(json["fetch"]["bytes"], PAGE.len());
    assert!(json["fetch"]["waited"].is_f64(), "{json}");
    let check = &json["check"];
    assert_eq!((&check["url"], &check["agent"]), (&json["url"], &"ExampleBot".into()));
    assert_eq!((&check["allowed"], &check["reason"]), (&true.into(), &"no_rule_matches".into()));
    assert_eq!(check["decision"]["final_url"], "http://site/robots.txt");
}

#[test]
fn text_shows_redirects_and_the_answer_of_robots_txt() {
    // Another site, so that there is no pause before its request.
    let (target, _) = site(&[ok(DISALLOW_X), answer("200 OK", FIELDS, PAGE)]);
    let answers = [ok(DISALLOW_X), moved(&format!("http://{target}/z"))];
    let got = page("/y", &answers, "text");
    let way = format!(
        "fetched\n  redirect: 302 http://site/y\n  from: http://{target}/z\n  status: 200\n  \
         robots.txt: allowed: no rule matches in the group for `*` (line 1) (status 200, "
    );
    assert!(got.out.contains(&way), "{}", got.out);
    assert!(got.out.contains(")\n  waited: "), "{}", got.out);
    assert_eq!((&*got.message, got.code), ("", Some(1)));
}

#[test]
fn a_page_beyond_two_limits_has_one_warning() {
    let long = |megabytes: usize, element: &str| {
        let page =
            format!("<!doctype html>{}", element.repeat(megabytes * 1_000_000 / element.len()));
        let answers = [ok(DISALLOW_X), answer("200 OK", FIELDS, &page)];
        page_for("ExampleBot", "/y", &answers, "text").message
    };
    let expected = "warning: the page is longer than 1048576 bytes: the rest was not read\n";
    assert_eq!(long(3, "<p>x</p>"), expected);
    assert_eq!(long(2, "<p>x</p>"), expected);
}

#[test]
fn a_disallowed_page_is_not_fetched() {
    let json = page_json("/x", &[ok(DISALLOW_X)], 2, 1);
    let message = json["error"]["message"].as_str().unwrap();
    let expected = "`http://site/x` may not be fetched: disallowed by `Disallow: /x` on line 2";
    assert!(message.starts_with(expected), "{message}");
    assert_eq!((&json["url"], json.get("fetch")), (&"http://site/x".into(), None));
    assert_eq!(json["check"]["allowed"], false);
    assert_eq!(json["check"]["rule"]["line"], 2);
    let got = page("/x", &[ok(DISALLOW_X)], "text");
    assert!(got.message.starts_with(&format!("error: {expected}")), "{}", got.message);
    assert_eq!((&*got.out, got.code, got.requests), ("", Some(2), 1));
}

#[test]
fn a_redirect_is_checked_against_the_rules_of_its_target() {
    let json = page_json("/y", &[ok(DISALLOW_X), moved("/x")], 2, 2);
    assert_eq!((&json["url"], json.get("fetch")), (&"http://site/y".into(), None));
    assert_eq!(json["check"]["url"], "http://site/x");
    assert_eq!(json["check"]["allowed"], false);
}

#[test]
fn an_absent_page_is_an_error_with_its_status() {
    let json = page_json("/y", &[ok(DISALLOW_X), answer("404 Not Found", "", "")], 2, 2);
    assert_eq!(json["error"]["message"], "`http://site/y`: status 404");
    assert_eq!(json["fetch"]["status"], 404);
    assert_eq!(json["check"]["allowed"], true);
}

#[test]
fn an_unreachable_site_is_an_error_with_its_reason() {
    let json = page_json("/y", &[answer("503 Unavailable", "", "")], 2, 1);
    let message = json["error"]["message"].as_str().unwrap();
    let expected = "disallowed: robots.txt cannot be fetched";
    assert!(message.contains(expected) && message.ends_with(" (status 503)"), "{message}");
    assert_eq!(json["check"]["reason"], "unreachable");
}

#[test]
fn a_back_off_is_stored_when_the_run_ends() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let (site, _) = site(&[ok(DISALLOW_X), answer("503 Unavailable", "Retry-After: 600\r\n", "")]);
    let url = format!("http://{site}/y");
    let asks = ["page", &url, "--agent", "ExampleBot", NEAR[0], NEAR[1]];
    let Output { status, stderr, .. } = verger(&store, &asks, "");
    let message = String::from_utf8(stderr).unwrap();
    assert!(message.contains("status 503"), "{message}");
    assert_eq!(status.code(), Some(2), "{message}");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let record = runtime.block_on(async {
        let store = SqliteStore::open(&store, SqliteOptions::default()).await.unwrap();
        let [entry] = &store.list(None, 2).await.unwrap()[..] else { panic!("one record") };
        let key = RecordKey::from_text(&entry.key).unwrap();
        store.get(&key).await.unwrap().found().unwrap()
    });
    let back_off = record.back_off().unwrap();
    let wait = back_off.until.since(record.tried_at());
    assert!(back_off.refusals == 1 && wait.as_secs() >= 600, "{back_off:?}");
}

#[test]
fn a_back_off_is_an_error_with_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let (site, _) = site(&[ok(DISALLOW_X), answer("429 Slow Down", "Retry-After: 90\r\n", "")]);
    let url = format!("http://{site}/y");
    let asks = ["page", &url, "--agent", "ExampleBot", NEAR[0], NEAR[1]];
    verger(&store, &asks, "");
    let Output { status, stderr, .. } = verger(&store, &asks, "");
    let message = String::from_utf8(stderr).unwrap();
    let start = format!("error: `{url}` was not fetched: the next request is possible in ");
    assert!(message.starts_with(&start), "{message}");
    let cause = "; the last page request got 429, 503 or no response; no page is requested until 2";
    assert!(message.contains(cause), "{message}");
    let hint = "\n\nhint: `--timeout 120` waits longer, up to this number of seconds\n";
    assert!(message.ends_with(hint), "{message}");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn an_invalid_url_is_an_error_in_place_of_the_report() {
    for (url, message) in [
        ("shop.example", "bad URL `shop.example`: "),
        ("/x", "expected a URL, but found the path `/x`"),
        ("ftp://shop.example/", "bad URL `ftp://shop.example/`: "),
    ] {
        let output = verger(Path::new(MEMORY), &["page", url, "--format", "json"], "");
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = json["error"]["message"].as_str().unwrap();
        assert!(found.starts_with(message), "{found}");
        assert_eq!((json.get("check"), &json["url"]), (None, &url.into()));
        assert_eq!((output.status.code(), &*output.stderr), (Some(2), &b""[..]));
    }
}

#[test]
fn a_long_crawl_delay_is_an_error() {
    let slow = ok("User-agent: *\nCrawl-delay: 300\n");
    let (site, requests) = site(&[slow, moved("/y"), ok("y")]);
    let url = format!("http://{site}/x");
    let asks = ["page", &url, "--agent", "ExampleBot", "--timeout", "3", NEAR[0], NEAR[1]];
    let Output { status, stderr, .. } = verger(Path::new(MEMORY), &asks, "");
    let message = String::from_utf8(stderr).unwrap();
    assert_eq!((status.code(), requests.load(Ordering::SeqCst)), (Some(2), 2), "{message}");
    assert!(message.contains("the next request is possible in 300 s"), "{message}");
}
