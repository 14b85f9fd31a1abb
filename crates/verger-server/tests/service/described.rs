//! The description of the API: it has all routes, and real responses fit its schemas.

use std::collections::BTreeSet;

use serde_json::Value;
use verger_testkit::server::{Script, ScriptedResponse, Setup, Site};

use crate::client::{Response, escaped, send};
use crate::schema::problems;
use crate::world::{Service, rules};

/// Requests for every route: method, path in the description, path, body.
fn requests(turn: &str) -> Vec<(&'static str, &'static str, String, &'static str)> {
    let check = |query: &str| format!("/v1/check?agent=GPTBot&{query}");
    let origin = escaped("http://shop.example");
    let turn = |rest: &str| format!("/v1/turns/{turn}{rest}");
    let (one, two) = ("/v1/origins/{origin}", "/v1/origins/{origin}/refresh");
    vec![
        ("get", "/v1/check", check("url=http://shop.example/cart"), ""),
        ("get", "/v1/check", check("url=http://shop.example/cart&explain=true"), ""),
        ("get", "/v1/check", check("url=http://shop.example/robots.txt"), ""),
        ("get", "/v1/check", check("url=http://dead.example/"), ""),
        ("get", "/v1/check", check("url=http://moved.example/"), ""),
        ("get", "/v1/check", check("url=http://127.0.0.1/"), ""),
        ("get", "/v1/check", check("url=x&dialect=y"), ""),
        (
            "get",
            "/v1/check",
            "/v1/check?token=Googlebot-Image&url=http://shop.example/".to_owned(),
            "",
        ),
        (
            "post",
            "/v1/check",
            "/v1/check".to_owned(),
            r#"{"id":"a","agents":["a","b"],"union":true,"urls":["http://shop.example/","http://dead.example/"]}"#,
        ),
        (
            "post",
            "/v1/check",
            "/v1/check".to_owned(),
            r#"{"agent":"x","url":"http://cold.example/","wait_ms":0}"#,
        ),
        ("post", "/v1/check", "/v1/check".to_owned(), r#"{"agent":"x","urls":[]}"#),
        (
            "post",
            "/v1/evaluate",
            "/v1/evaluate".to_owned(),
            r#"{"robots":"User-agent: *\nDissalow: /x\n Disallow: /\n","agent":"x","urls":["/","/x"]}"#,
        ),
        (
            "post",
            "/v1/diff",
            "/v1/diff".to_owned(),
            r#"{"before":"User-agent: *\nDisallow: /a\n","after":"User-agent: *\nDisallow: /\nSitemap: https://a.example/s.xml\n"}"#,
        ),
        ("get", one, format!("/v1/origins/{origin}"), ""),
        ("get", one, format!("/v1/origins/{origin}?body=true"), ""),
        ("get", one, "/v1/origins/x".to_owned(), ""),
        (
            "put",
            one,
            format!("/v1/origins/{}", escaped("http://new.example")),
            r#"{"robots":"User-agent: *\nDisallow: /\n"}"#,
        ),
        ("post", two, format!("/v1/origins/{origin}/refresh"), "{}"),
        ("post", two, format!("/v1/origins/{origin}/refresh"), "{}"),
        (
            "post",
            "/v1/turns",
            "/v1/turns".to_owned(),
            r#"{"agent":"GPTBot","url":"http://shop.example/cart"}"#,
        ),
        ("post", "/v1/turns/{turn}/renew", turn("/renew"), "{}"),
        ("post", "/v1/turns/{turn}/release", turn("/release"), r#"{"status":429}"#),
        ("post", "/v1/turns/{turn}/release", turn("/release"), r#"{"status":200}"#),
        ("delete", "/v1/turns/{turn}", turn(""), ""),
        ("get", "/v1/crawlers", "/v1/crawlers".to_owned(), ""),
        (
            "post",
            "/v1/identify",
            "/v1/identify".to_owned(),
            r#"{"ip":"203.0.113.9","user_agent":"GPTBot/1.2"}"#,
        ),
        ("post", "/v1/identify", "/v1/identify".to_owned(), r#"{"ip":"x"}"#),
        ("get", "/healthz", "/healthz".to_owned(), ""),
        ("get", "/readyz", "/readyz".to_owned(), ""),
        ("get", "/metrics", "/metrics".to_owned(), ""),
        ("get", "/openapi.json", "/openapi.json".to_owned(), ""),
        ("get", "/", "/".to_owned(), ""),
    ]
}

fn service() -> Service {
    let site = Site::new()
        .host(
            "moved.example",
            ScriptedResponse::redirect(301, "http://shop.example/robots.txt").script(),
        )
        .host("dead.example", ScriptedResponse::new(503).script())
        .host("cold.example", Script::new().then_never())
        .any(rules("User-agent: GPTBot\nUser-agent: \u{e9}\nDisallow: /cart\nCrawl-delay: 2\n"));
    let setup = Setup::web("shop.example", site);
    Service::start(setup.host("moved.example").host("dead.example").host("cold.example"))
}

/// The schema of a response in the description.
fn schema<'d>(description: &'d Value, method: &str, path: &str, found: &Response) -> &'d Value {
    let responses = &description["paths"][path][method]["responses"];
    let status = found.status.to_string();
    let class = format!("{}XX", &status[..1]);
    let described =
        [status.as_str(), class.as_str()].into_iter().find_map(|key| responses.get(key));
    let described =
        described.unwrap_or_else(|| panic!("{method} {path}: {status} is not described"));
    let media = found.header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default();
    match described["content"].get(media) {
        Some(content) => &content["schema"],
        None if found.body.is_empty() => &Value::Null,
        None => panic!("{method} {path}: {media} is not described: {described}"),
    }
}

#[test]
fn real_responses_fit_the_description() {
    let service = service();
    let description = service.get("/openapi.json").json();
    assert_eq!(description["openapi"], "3.1.0");
    let turn = service
        .post("/v1/turns", r#"{"agent":"GPTBot","url":"http://shop.example/","wait_ms":9000}"#);
    let mut checked = BTreeSet::new();
    let turn_schema = schema(&description, "post", "/v1/turns", &turn);
    assert_eq!(problems(&description, turn_schema, &turn.json()), Vec::<String>::new());
    let turn = turn.json()["turn"].as_str().unwrap().to_owned();
    for (method, path, target, body) in requests(&turn) {
        let headers: &[_] =
            if body.is_empty() { &[] } else { &[("Content-Type", "application/json")] };
        let found = send(service.at, &method.to_uppercase(), &target, headers, body.as_bytes());
        checked.insert((method.to_owned(), path.to_owned(), found.status));
        let schema = schema(&description, method, path, &found);
        let is_json = found.header("content-type").is_some_and(|media| media.contains("json"));
        if is_json && path != "/openapi.json" {
            let wrong = problems(&description, schema, &found.json());
            assert!(
                wrong.is_empty(),
                "{method} {target}: {}: {wrong:?}\n{}",
                found.status,
                found.text()
            );
        }
    }
    // Every route of the description was asked, and every asked route is described.
    let described: BTreeSet<_> = description["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| {
            methods.as_object().unwrap().keys().map(move |method| (method.clone(), path.clone()))
        })
        .collect();
    let mut asked: BTreeSet<_> =
        checked.iter().map(|(method, path, _)| (method.clone(), path.clone())).collect();
    asked.insert(("post".to_owned(), "/v1/turns".to_owned()));
    assert_eq!(described, asked);
    for (method, path, status) in [
        ("get", "/v1/check", 200),
        ("get", "/v1/check", 403),
        ("get", "/v1/check", 422),
        ("post", "/v1/check", 202),
        ("put", "/v1/origins/{origin}", 201),
        ("post", "/v1/origins/{origin}/refresh", 429),
        ("post", "/v1/turns/{turn}/release", 409),
    ] {
        assert!(
            checked.contains(&(method.to_owned(), path.to_owned(), status)),
            "{method} {path} {status}: {checked:?}"
        );
    }
}

#[test]
fn the_description_is_whole() {
    let description = Service::start(Setup::new()).get("/openapi.json");
    let root = description.json();
    let references = description.text().split("\"$ref\": \"#").skip(1);
    let mut names: Vec<_> = references.map(|rest| rest.split('"').next().unwrap()).collect();
    names.retain(|name| root.pointer(name).is_none());
    assert_eq!(names, Vec::<&str>::new(), "schemas that are referred to, but missing");
    let dialects = root["components"]["schemas"]["DialectName"]["enum"].as_array().unwrap();
    assert_eq!(dialects.len(), verger::Dialect::PUBLISHED.len());
}

#[test]
fn unknown_paths_and_methods_are_problems() {
    let service = Service::start(Setup::new());
    for (method, path, status, allow) in [
        ("GET", "/v1/nothing", 404, None),
        ("PUT", "/v1/check", 405, Some("GET,HEAD,POST")),
        ("GET", "/v1/evaluate", 405, Some("POST")),
        ("DELETE", "/", 405, Some("GET,HEAD")),
        ("POST", "/healthz", 405, Some("GET,HEAD")),
    ] {
        let found = send(service.at, method, path, &[], b"");
        assert_eq!((found.status, found.header("allow")), (status, allow), "{method} {path}");
        assert_eq!(found.header("content-type"), Some("application/problem+json"));
    }
    // Labels are from a closed set.
    service.get("/v1/turns/a-name/renew");
    let seconds = |route: &str| service.number("verger_serve_request_seconds_count", route);
    assert!(seconds("route=\"other\"") > 0.0 && seconds("route=\"/v1/turns/{turn}/renew\"") > 0.0);
    assert_eq!((seconds("nothing"), seconds("a-name")), (0.0, 0.0));
}
