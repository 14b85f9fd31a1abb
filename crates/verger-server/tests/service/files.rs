//! Files in requests: evaluation, comparison; and known crawlers.

use std::sync::Arc;

use crate::world::{HandClock, Service, shop};

#[test]
fn an_evaluation_has_verdicts_explanations_and_findings() {
    let service = Service::shop();
    let response = service.post(
        "/v1/evaluate",
        r#"{"robots":"User-agent: *\nDissalow: /x\nDisallow: /cart\n","agent":"GPTBot","urls":["/cart","https://shop.example/a"]}"#,
    );
    assert_eq!(response.status, 200, "{response:?}");
    let json = response.json();
    assert_eq!(
        (&json["answers"][0]["allowed"], &json["answers"][1]["allowed"]),
        (&false.into(), &true.into())
    );
    assert_eq!(json["answers"][0]["matches"][0]["pattern"], "/cart");
    assert_eq!(json["lint"]["findings"][0]["code"], "misspelt-key");
    let short =
        service.post("/v1/evaluate", r#"{"robots_b64":"VXNlci1hZ2VudDogKgo=","lint":false}"#);
    assert_eq!(short.text(), "{\"answers\":[]}\n");
}

#[test]
fn several_crawlers_have_their_own_answers_one_crawler_after_the_other() {
    let service = Service::shop();
    let body = r#"{"robots":"User-agent: a\nDisallow: /x\n","crawlers":["a","Bot/1 (b)","*"],
        "urls":["/x","/y"],"explain":false,"lint":false}"#;
    let json = service.post("/v1/evaluate", body).json();
    let answers = json["answers"].as_array().unwrap();
    let found: Vec<_> = answers.iter().map(|it| (&it["agent"], &it["allowed"])).collect();
    let expected = [("a", false), ("a", true), ("Bot/1 (b)", true), ("Bot/1 (b)", true)];
    for ((agent, allowed), found) in expected.into_iter().zip(&found) {
        assert_eq!((agent, allowed), (found.0.as_str().unwrap(), found.1.as_bool().unwrap()));
    }
    assert_eq!(found.len(), 6);
}

#[test]
fn an_inspection_describes_the_file_for_the_first_crawler() {
    let service = Service::shop();
    let inspect = |body: &str| service.post("/v1/evaluate", body).json()["file"].take();
    let robots =
        r"User-agent: *\nUser-agent: OneBot\nDisallow: /x\n\nUser-agent: onebot/2\nAllow: /\n";
    let body = format!(r#"{{"robots":"{robots}","agent":"OneBot","inspect":true,"lint":false}}"#);
    let expected = serde_json::json!({
        "lines": 7, "truncated": false, "crawlers": ["OneBot"],
        "obeyed": [{"line": 1, "agents": [1, 2]}, {"line": 5, "agents": [5]}],
        "ignores_star": false,
    });
    assert_eq!(inspect(&body), expected);
    let long = format!("User-agent: *\\n{}", "# x\\n".repeat(130_000));
    let long = inspect(&format!(r#"{{"robots":"{long}","inspect":true,"lint":false}}"#));
    assert_eq!((&long["lines"], &long["truncated"]), (&127_998.into(), &true.into()));
    let google = inspect(r#"{"robots":"","agent":"AdsBot-Google","inspect":true,"lint":false}"#);
    assert_eq!((&google["lines"], &google["ignores_star"]), (&1.into(), &true.into()));
}

#[test]
fn an_inspection_has_the_stated_uses_of_each_answer() {
    let service = Service::shop();
    let robots = concat!(
        r"User-agent: GPTBot\nContent-Usage: train-ai=n\nContent-Usage: /press/ train-ai=y\n",
        r"Content-Signal: search=yes\nDisallow: /cart\n\nUser-agent: *\nAllow: /\n",
    );
    let body = format!(
        r#"{{"robots":"{robots}","crawlers":["GPTBot","OneBot"],"urls":["/","/press/1","/cart"],"inspect":true,"lint":false}}"#
    );
    let uses = service.post("/v1/evaluate", &body).json()["file"]["uses"].take();
    // REP-EXT-37: a disallowed page has no preferences.
    let expected = serde_json::json!([
        ["train-ai=n", "search=yes"],
        ["train-ai=y", "search=yes"],
        ["search=yes"],
        [],
        [],
        []
    ]);
    assert_eq!(uses, expected);
}

#[test]
fn fixes_of_the_linter_make_a_file() {
    let service = Service::shop();
    let fixed = |robots: &str, fix: &str| {
        let body = format!(r#"{{{robots},"fix":"{fix}","lint":false}}"#);
        service.post("/v1/evaluate", &body).json()
    };
    let mistakes = r#""robots":"User-agent: *\nDissalow: /a\nDisallow: /b\nDisallow: /b\n""#;
    let expected = "User-agent: *\nDissalow: /a\nDisallow: /b\n";
    assert_eq!(fixed(mistakes, "safe"), serde_json::json!({"answers": [], "fixed": expected}));
    let all = fixed(mistakes, "unsafe");
    assert!(all["fixed"].as_str().unwrap().contains("\nDisallow: /a\n"), "{all}");
    // The corrected lines are equal, which only a second pass sees.
    let twice = r#""robots":"User-agent: *\nDissalow: /a\nDisallow: a\n""#;
    assert_eq!(fixed(twice, "unsafe")["fixed"], "User-agent: *\nDisallow: /a\n");
    let correct = r#""robots":"User-agent: *\nDisallow: /b\n""#;
    assert_eq!(fixed(correct, "unsafe"), serde_json::json!({"answers": []}));
    // `# \xff`, and a misspelt key.
    let bytes = r#""robots_b64":"IyD/ClVzZXItYWdlbnQ6ICoKRGlzc2Fsb3c6IC9hCg==""#;
    let all = fixed(bytes, "unsafe");
    assert!(all["fixed_b64"].as_str().unwrap().starts_with("IyD/"), "{all}");
}

#[test]
fn names_have_the_answers_of_the_suite() {
    let service = Service::shop();
    let cases: serde_json::Value =
        serde_json::from_str(include_str!("../../../../testdata/names.json")).unwrap();
    for file in cases["files"].as_array().unwrap() {
        let answers = file["answers"].as_str().unwrap().chars();
        for (name, answer) in cases["names"].as_array().unwrap().iter().zip(answers) {
            let question = serde_json::json!({
                "robots": file["robots"], "dialect": file["dialect"], "agent": name,
                "urls": [cases["url"]], "explain": false, "lint": false,
            });
            let found = service.post("/v1/evaluate", &question.to_string()).json();
            assert_eq!(found["answers"][0]["allowed"], answer == 'a', "{question}: {found}");
        }
    }
}

#[test]
fn a_comparison_follows_the_fallbacks_of_a_name() {
    let service = Service::shop();
    let body = r#"{"before":"","after":"User-agent: Googlebot\nDisallow: /img\n","agents":["Googlebot-Image"]}"#;
    let json = service.post("/v1/diff", body).json();
    let changed = json["crawlers"][0]["crawlers"].as_array().unwrap();
    assert!(changed.iter().any(|name| name == "Googlebot-Image"), "{json}");
    assert_eq!(json["tokens"]["Googlebot-Image"][1], "Googlebot");
}

#[test]
fn a_comparison_has_the_changed_urls() {
    let service = Service::shop();
    let response = service.post(
        "/v1/diff",
        r#"{"before":"User-agent: *\nDisallow:\n","after":"User-agent: *\nDisallow: /cart\n","agents":["GPTBot"]}"#,
    );
    assert_eq!(response.status, 200, "{response:?}");
    let json = response.json();
    assert_eq!(json["crawlers"][0]["changes"][0]["target"], "/cart");
    assert_eq!(json["crawlers"][0]["changes"][0]["direction"], "closed");
}

#[test]
fn wrong_values_have_their_pointers() {
    let service = Service::shop();
    for (path, body, pointer) in [
        ("/v1/evaluate", r#"{"agent":"x"}"#, ""),
        ("/v1/evaluate", r#"{"robots":"","robots_b64":""}"#, ""),
        ("/v1/evaluate", r#"{"robots_b64":"%"}"#, "/robots_b64"),
        ("/v1/evaluate", r#"{"robots":"","agent":"x","urls":["/","x y"]}"#, "/urls/1"),
        ("/v1/evaluate", r#"{"robots":"","urls":["/"]}"#, ""),
        ("/v1/evaluate", r#"{"robots":"","dialect":"x"}"#, "/dialect"),
        ("/v1/evaluate", r#"{"robots":"","crawlers":[]}"#, "/crawlers"),
        ("/v1/evaluate", r#"{"robots":"","crawlers":["x",""]}"#, "/crawlers/1"),
        ("/v1/evaluate", r#"{"robots":"","crawlers":["x"],"agent":"y"}"#, "/crawlers"),
        ("/v1/evaluate", r#"{"robots":"","crawlers":["x"],"union":true}"#, "/crawlers"),
        ("/v1/evaluate", r#"{"robots":"","union":true}"#, "/union"),
        ("/v1/evaluate", r#"{"robots":"","agent":"x","union":true}"#, "/union"),
        ("/v1/evaluate", r#"{"robots":"","fix":"some"}"#, "/fix"),
        ("/v1/identify", r#"{"ip":"x"}"#, "/ip"),
        ("/v1/identify", r#"{"at":"yesterday"}"#, "/at"),
        ("/v1/identify", r#"{"colour":1}"#, "/colour"),
        ("/v1/identify", r#"{"headers":{"X":"a","X":"a"}}"#, "/headers"),
        ("/v1/diff", r#"{"before":""}"#, ""),
        ("/v1/diff", r#"{"before":"","after":"","agents":["x",""]}"#, "/agents/1"),
        ("/v1/diff", r#"{"before":"","after":5}"#, "/after"),
    ] {
        let response = service.post(path, body);
        assert!(matches!(response.status, 400 | 422), "{body}: {response:?}");
        assert_eq!(response.json()["errors"][0]["pointer"], pointer, "{body}");
    }
}

#[test]
fn a_client_is_identified() {
    let service = Service::shop();
    for (ip, verdict) in [("20.171.206.10", "verified"), ("203.0.113.9", "failed")] {
        let body = format!(r#"{{"ip":"{ip}","user_agent":"GPTBot/1.2","at":"2026-09-10"}}"#);
        let json = service.post("/v1/identify", &body).json();
        assert_eq!((&json["verdict"], &json["address"]), (&verdict.into(), &ip.into()), "{json}");
    }
}

#[test]
fn a_request_without_a_time_is_judged_by_the_clock_of_the_service() {
    let service = Service::with_clock(shop(), Arc::new(HandClock::at(1_788_998_400)));
    let body = r#"{"ip":"20.171.206.10","user_agent":"GPTBot/1.2"}"#;
    let json = service.post("/v1/identify", body).json();
    assert_eq!(json["at"], "2026-09-10T00:00:00Z", "{json}");
    assert_eq!(json["claims"][0]["addresses"]["list"]["is_outdated"], false, "{json}");
}

#[test]
fn known_crawlers_are_listed_by_purpose() {
    let service = Service::shop();
    let all = service.get("/v1/crawlers").json().as_array().unwrap().len();
    let training = service.get("/v1/crawlers?purpose=training").json();
    let training = training.as_array().unwrap();
    assert!(training.len() < all && training.iter().any(|crawler| crawler["token"] == "GPTBot"));
    assert_eq!(service.get("/v1/crawlers?purpose=x").status, 422);
}
