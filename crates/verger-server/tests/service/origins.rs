//! Records of origins.

use std::sync::Arc;
use std::time::{Duration, Instant};

use verger_server::settings::Settings;
use verger_testkit::server::{Script, ScriptedResponse, ServerAction, Setup, Site};

use crate::client::{PATIENCE, escaped, send};
use crate::world::{HandClock, Service, rules};

fn path(suffix: &str) -> String {
    format!("/v1/origins/{}{suffix}", escaped("http://shop.example"))
}

#[test]
fn a_record_has_hops_times_versions_and_the_identity() {
    let site = Site::new()
        .path("/robots.txt", ScriptedResponse::redirect(302, "/real.txt").script())
        .any(rules("User-agent: *\nDisallow: /cart\n"));
    let service = Service::start(Setup::web("shop.example", site));
    assert_eq!(service.get(&path("")).status, 404);
    service.get("/v1/check?agent=GPTBot&url=http://shop.example/");
    let record = service.get(&path(""));
    assert_eq!(record.status, 200, "{record:?}");
    let json = record.json();
    assert_eq!(
        (&json["origin"], &json["access"]),
        (&"http://shop.example".into(), &"rules".into())
    );
    assert_eq!(json["hops"][0]["status"], 302);
    assert!(json["user_agent"].as_str().unwrap().starts_with("verger-serve/"));
    assert_eq!(json["versions"][0]["sha256"], json["sha256"]);
    assert_eq!(json.get("body"), None);
    let body = service.get(&path("?body=true")).json();
    assert_eq!(body["body"], "User-agent: *\nDisallow: /cart\n");
    let version = format!("?version={}", json["sha256"].as_str().unwrap());
    assert_eq!(service.get(&path(&version)).json()["body"], body["body"]);
    assert_eq!(service.get(&path(&format!("?version={}", "0".repeat(64)))).status, 404);
}

#[test]
fn an_imported_file_answers_without_a_fetch_and_replaces_prepared_answers() {
    let service = Service::start(Setup::new());
    let check = "/v1/check?agent=GPTBot&url=http://shop.example/cart";
    let created = service.put(&path(""), r#"{"robots":"User-agent: *\nDisallow: /cart\n"}"#);
    assert_eq!(created.status, 201, "{created:?}");
    for _ in 0..3 {
        assert_eq!(service.get(check).json()["allowed"], false);
    }
    let changed = service.put(&path(""), r#"{"robots":"User-agent: *\nDisallow: /other\n"}"#);
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(service.get(check).json()["allowed"], true);
    let old = service.put(&path(""), r#"{"robots":"","fetched_at":1}"#);
    assert_eq!((old.status, &old.json()["errors"][0]["pointer"]), (422, &"/fetched_at".into()));
    let future = service.put(&path(""), r#"{"robots":"","fetched_at":99999999999}"#);
    assert_eq!(future.status, 422);
    for (key, text) in [("robots", "a".repeat(600_000)), ("robots_b64", "AAAA".repeat(200_000))] {
        let long = service.put(&path(""), &format!(r#"{{"{key}":"{text}"}}"#));
        let pointer = format!("/{key}");
        assert_eq!((long.status, &long.json()["errors"][0]["pointer"]), (422, &pointer.into()));
    }
    assert_eq!(service.requests(), 0);
}

/// Its record is of the future (REP-CACHE-23).
#[test]
fn a_file_is_imported_after_the_clock_went_back() {
    let clock = Arc::new(HandClock::at(2_000_000_000));
    let service = Service::with_clock(Setup::new(), clock.clone());
    let check = "/v1/check?agent=GPTBot&url=http://shop.example/cart";
    let import = |path_of| {
        let body = format!(r#"{{"robots":"User-agent: *\nDisallow: {path_of}\n"}}"#);
        service.put(&path(""), &body).status
    };
    assert_eq!(import("/cart"), 201);
    clock.set(1_000_000_000);
    assert_eq!(import("/other"), 200);
    assert_eq!(service.get(check).json()["allowed"], true);
}

#[test]
fn a_refresh_that_nobody_awaits_replaces_prepared_answers() {
    let slow = Script::of(ServerAction::Pause(Duration::from_millis(300)));
    let site = Site::new()
        .path_once("/robots.txt", rules("User-agent: *\nDisallow: /cart\n"))
        .any(slow.then_all(rules("User-agent: *\nDisallow: /new\n")));
    let service = Service::start(Setup::web("shop.example", site));
    let check = "/v1/check?agent=GPTBot&url=http://shop.example/new";
    for _ in 0..2 {
        assert_eq!(service.get(check).json()["allowed"], true);
    }
    let pending = service.post(&path("/refresh"), r#"{"wait_ms":0}"#);
    assert_eq!(pending.status, 202, "{pending:?}");
    let begun = Instant::now();
    while service.get(check).json()["allowed"] == true {
        assert!(begun.elapsed() < PATIENCE, "the old file still answers");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn paths_and_queries_are_utf8() {
    let service = Service::shop();
    let cases = [
        ("GET", "/v1/check?agent=x&url=http://shop.example/%FF"),
        ("GET", "/v1/check?agent=%80&url=http://shop.example/"),
        ("GET", "/v1/origins/%FF"),
        ("DELETE", "/v1/turns/%FF"),
    ];
    for (method, path) in cases {
        let found = send(service.at, method, path, &[], b"");
        assert_eq!(found.status, 422, "{path}: {found:?}");
        assert_eq!(found.json()["status"], 422, "{path}: {found:?}");
    }
    // A replacement character that is meant.
    let meant = service.get("/v1/check?agent=x&url=http://shop.example/%EF%BF%BD");
    assert_eq!(meant.json()["decision"]["checked_url"], "http://shop.example/%EF%BF%BD");
}

#[test]
fn a_refresh_fetches_again_but_not_twice_a_minute() {
    let site = Site::new()
        .path_once("/robots.txt", rules("User-agent: *\nDisallow: /cart\n"))
        .any(rules("User-agent: *\nDisallow: /other\n"));
    let service = Service::start(Setup::web("shop.example", site));
    let check = "/v1/check?agent=GPTBot&url=http://shop.example/cart";
    for _ in 0..3 {
        assert_eq!(service.get(check).json()["allowed"], false);
    }
    let refreshed = service.post(&path("/refresh"), "{}");
    assert_eq!(refreshed.status, 200, "{refreshed:?}");
    assert_eq!(service.get(check).json()["allowed"], true);
    let again = service.post(&path("/refresh"), "{}");
    assert_eq!(again.status, 429);
    assert!(again.header("retry-after").unwrap().parse::<u64>().unwrap() > 50);
    assert_eq!(service.requests(), 2);
}

#[test]
fn a_slow_refresh_is_joined_and_its_record_shown_once() {
    let slow = Script::of(ServerAction::Pause(Duration::from_millis(500)));
    let site = Site::always(slow.then_all(rules("User-agent: *\nDisallow: /cart\n")));
    let service = Service::start(Setup::web("shop.example", site));
    for _ in 0..2 {
        let pending = service.post(&path("/refresh"), r#"{"wait_ms":0}"#);
        assert_eq!((pending.status, pending.header("retry-after")), (202, Some("1")));
    }
    let joined = service.post(&path("/refresh"), r#"{"wait_ms":10000}"#);
    assert_eq!(joined.status, 200, "{joined:?}");
    let shown = service.post(&path("/refresh"), r#"{"wait_ms":0}"#);
    assert_eq!((shown.status, &shown.json()["access"]), (200, &"rules".into()));
    assert_eq!(service.post(&path("/refresh"), "{}").status, 429);
    assert_eq!(service.requests(), 1);
}

#[test]
fn an_import_is_seen_at_once_also_behind_a_store_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite").to_string_lossy().into_owned();
    let service = Service::with(Setup::new(), |settings| Settings { store, ..settings });
    let check = "/v1/check?agent=GPTBot&url=http://shop.example/cart";
    for disallowed in [true, false, true] {
        let path_of = if disallowed { "/cart" } else { "/other" };
        let body = format!(r#"{{"robots":"User-agent: *\nDisallow: {path_of}\n"}}"#);
        assert!(service.put(&path(""), &body).status < 300);
        for _ in 0..2 {
            assert_eq!(service.get(check).json()["allowed"], !disallowed);
        }
    }
}

#[test]
fn origins_are_checked() {
    let service = Service::start(Setup::new());
    for origin in [
        "x",
        "http://",
        "file:///x",
        "ftp://shop.example",
        "http://shop.example/path",
        "https%3A%2F%2Fshop.example",
    ] {
        let response = service.get(&format!("/v1/origins/{}", escaped(origin)));
        assert_eq!(
            (response.status, &response.json()["errors"][0]["parameter"]),
            (422, &"origin".into()),
            "{origin}"
        );
    }
}
