//! Files in requests: evaluation, comparison; and known crawlers.

use crate::world::Service;

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
fn known_crawlers_are_listed_by_purpose() {
    let service = Service::shop();
    let all = service.get("/v1/crawlers").json().as_array().unwrap().len();
    let training = service.get("/v1/crawlers?purpose=training").json();
    let training = training.as_array().unwrap();
    assert!(training.len() < all && training.iter().any(|crawler| crawler["token"] == "GPTBot"));
    assert_eq!(service.get("/v1/crawlers?purpose=x").status, 422);
}
