//! `verger rights`.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::live::site::{MEMORY, NEAR, answer, ok, site, verger};

/// The site answers robots.txt, the page and the TDMRep file in this order.
fn rights(robots: &str, page: &str, tdmrep: &str, format: &str) -> (String, String, Option<i32>) {
    let missing = answer("404 Not Found", "", "");
    let tdmrep = if tdmrep.is_empty() { missing } else { ok(tdmrep) };
    let page = answer("200 OK", "Content-Type: text/html\r\n", page);
    let (site, _) = site(&[ok(robots), page, tdmrep]);
    let url = format!("http://{site}/a");
    let asks = ["rights", &url, "--agent", "ExampleBot", "--format", format, NEAR[0], NEAR[1]];
    let Output { status, stdout, stderr } = verger(Path::new(MEMORY), &asks, "");
    let [out, message] = [stdout, stderr]
        .map(|bytes| String::from_utf8(bytes).unwrap().replace(&site.to_string(), "site"));
    (out, message, status.code())
}

#[test]
fn each_use_names_the_statements_that_decide() {
    let robots = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n";
    let page = "<meta name=tdm-reservation content=1>\u{1b}";
    let (out, message, code) = rights(robots, page, "", "text");
    assert_eq!((&*message, code), ("", Some(1)), "{out}");
    for line in [
        "\n  search       allowed      [1]\n",
        "\n  ai_training  refused      [1]\n",
        "\n  ai_input     unstated\n",
        "\n  tdm          refused      [2]\n",
        "\n  http://site/a  allowed by `Allow: /` on line 3",
        "\n  [1] Content-Signal: `search=yes, ai-train=no`  line 2  http://site/robots.txt\n      \
         search allowed, ai_training refused\n",
        "\n  [2] tdm-reservation: `1`  in the meta element at 1:1  http://site/a\n      tdm refused\n",
        "\n  tdmrep  http://site/.well-known/tdmrep.json  20",
    ] {
        assert!(out.contains(line), "{line}\n{out}");
    }
    assert_eq!(out.matches("status 404").count(), 1, "{out}");
}

#[test]
fn json_is_a_receipt_and_the_exit_code_tells_whether_anything_restricts() {
    let free = r#"[{"location":"/","tdm-reservation":0}]"#;
    let (out, message, code) = rights("User-agent: *\nAllow: /\n", "<p>", free, "json");
    assert_eq!((&*message, code), ("", Some(0)), "{out}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["uses"][3]["outcome"], "allowed");
    let documents = report["documents"].as_array().unwrap();
    assert_eq!(documents.len(), 3);
    for document in documents {
        assert_eq!(document["sha256"].as_str().map(str::len), Some(64), "{document}");
        assert!(document["at"].is_u64() && document["bytes"].is_u64(), "{document}");
    }
    let (out, _, code) = rights("User-agent: *\nAllow: /\n", "<p>", "{", "json");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["uses"][3]["outcome"], code), (&"unknown".into(), Some(1)));
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_invalid_url_is_an_error_in_both_formats() {
    let run = |format| {
        let asks = ["rights", "shop.example", "--agent", "ExampleBot", "--format", format];
        verger(Path::new(MEMORY), &asks, "")
    };
    let text = run("text");
    assert_eq!((text.status.code(), &*text.stdout), (Some(2), &b""[..]));
    assert!(String::from_utf8_lossy(&text.stderr).contains("did you mean `https://shop.example`"));
    let json = run("json");
    let error: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json.status.code(), Some(2));
    assert!(error["error"]["message"].is_string(), "{error}");
}
