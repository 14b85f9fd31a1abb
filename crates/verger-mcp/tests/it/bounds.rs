//! Sites that write too much.

use std::fmt::Write as _;

use serde_json::{Value, json};
use verger_testkit::server::{ScriptedResponse, Site};

use crate::session::{Place, run};

/// Bytes of any answer without a page.
const MOST: usize = 64 * 1024;

fn site(robots: &str) -> Site {
    Site::new().path("/robots.txt", ScriptedResponse::new(200).body(robots).script())
}

async fn results(site: Site, calls: &[(&str, Value)]) -> Vec<Value> {
    let mut session = Place::start(site).await.session().await;
    let mut results = Vec::new();
    for (name, arguments) in calls {
        let (mut result, is_error) = session.call(name, arguments.clone()).await;
        assert!(!is_error, "{name}: {result:.300}");
        let page = result["content"]["text"].take();
        let length = result.to_string().len();
        assert!(length <= MOST, "{name}: {length}");
        result["content"]["text"] = page;
        results.push(result);
    }
    results
}

#[test]
fn a_long_pattern_is_cut_in_every_answer() {
    run(async {
        let robots = format!("User-agent: *\nDisallow: /{}\n", "*".repeat(300_000));
        let url = json!({"url": "http://shop.example/a"});
        let urls: Vec<_> = (0..100).map(|at| format!("http://shop.example/{at}")).collect();
        let calls = [
            ("check", json!({"urls": urls})),
            ("fetch", url.clone()),
            ("explain", url.clone()),
            ("rights", url.clone()),
            ("lint", url),
            ("diff", json!({"before": "", "after": robots})),
        ];
        let results = results(site(&robots), &calls).await;
        let answers = results[0]["answers"].as_array().unwrap();
        assert!(answers.iter().map(|it| &it["url"]).eq(&urls), "{answers:?}");
        for answer in [&answers[0], &answers[99], &results[1]["robots"], &results[2]] {
            assert_eq!((&answer["allowed"], &answer["rule"]["line"]), (&json!(false), &json!(2)));
            let pattern = answer["rule"]["pattern"].as_str().unwrap();
            assert!(pattern.ends_with("**…") && pattern.chars().count() <= 8_193, "{pattern}");
        }
    });
}

#[test]
fn a_file_with_thousands_of_mistakes_has_some_findings_and_a_count() {
    run(async {
        let robots = format!("User-agent: *\n{}Disallow: x\n", "Dissalow: /q\n".repeat(30_000));
        let url = json!({"url": "http://shop.example/"});
        let calls = [("lint", json!({"robots": robots})), ("lint", url)];
        for report in results(site(&robots), &calls).await {
            assert_eq!(report["findings"].as_array().map(Vec::len), Some(40));
            let omitted = report["omitted"]["misspelt-key"].as_u64().unwrap();
            assert_eq!(40 + report["findings_omitted"].as_u64().unwrap() + omitted, 30_002);
        }
    });
}

#[test]
fn a_price_is_whole() {
    run(async {
        let price = "eyJ4NDAyVmVyc2lvbiI6Mn0=".repeat(250);
        let paid = ScriptedResponse::new(402).field("Payment-Required", &price);
        let paid = paid.field("Price", "USD 0.01");
        let calls = [("fetch", json!({"url": "http://shop.example/a"}))];
        let results = results(site("").path("/a", paid.script()), &calls).await;
        let headers = &results[0]["edge"]["untrusted_headers"];
        assert_eq!(
            (&headers["payment-required"], &headers["price"]),
            (&json!(price), &json!("USD 0.01"))
        );
    });
}

/// Every piece of text that a site can write into an answer, as long and as often as it can.
#[test]
fn no_text_of_a_site_fills_an_answer() {
    let long = "\u{e0061}".repeat(2_000);
    let mut robots = String::new();
    for at in 0..400 {
        let _ = writeln!(robots, "User-agent: bot-{}\nUser-agent: *", "x".repeat(300));
        let _ = writeln!(robots, "Content-Usage: /{at} train-ai=n, x={}", &long[..400]);
        let _ = writeln!(robots, "Sitemap: /{at}{}\nLicense: :/{at}", &long[..400]);
        let _ = writeln!(robots, "Disallow: /{at}{}*z", &long[..80]);
    }
    let pages = |at: usize| format!("/{}{at}", "x".repeat(6_000));
    let page = (0..400).fold(String::new(), |mut page, at| {
        let _ = write!(page, "<meta name=robots content='noai, unavailable_after: {at} {long}'>");
        page
    });
    let end = ScriptedResponse::new(200).field("Content-Type", "text/html").body(page);
    let refused = ScriptedResponse::new(402).field("Link", &long).field("Price", &long);
    let site = (0..4).fold(site(&robots), |site, at| {
        let next = ScriptedResponse::redirect(302, pages(at + 1)).field("X-Robots-Tag", &long);
        site.path(&pages(at), next.script())
    });
    let site = site.path(&pages(4), end.script()).path("/paid", refused.script());
    let url = |path: &str| json!({"url": format!("http://shop.example{path}")});
    let urls = vec![format!("http://shop.example/1{}", &long[..80]); 100];
    let calls = [
        ("check", json!({"urls": urls})),
        ("fetch", url(&pages(0))),
        ("fetch", url("/paid")),
        ("explain", url(&format!("/1{}", &long[..80]))),
        ("rights", url(&pages(0))),
        ("lint", url("/")),
        ("diff", json!({"before": "User-agent: *\nDisallow: /\n", "after": robots})),
    ];
    let results = run(results(site, &calls));
    assert_eq!(results[0]["answers"].as_array().map(Vec::len), Some(100));
    assert_eq!(results[1]["fetched"], true, "{:.300}", results[1]);
    assert_eq!(results[2]["edge"]["kind"], "payment", "{:.300}", results[2]);
}
