//! Turns for workers.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::send;
use crate::world::Service;

fn reserve(service: &Service, wait_ms: u64) -> (u16, Value) {
    let body = format!(
        r#"{{"agent":"GPTBot","url":"http://shop.example/a","wait_ms":{wait_ms},"hold_seconds":5}}"#
    );
    let response = service.post("/v1/turns", &body);
    (response.status, response.json())
}

#[test]
fn turns_of_an_origin_are_a_pause_apart() {
    let service = Service::shop();
    let (status, first) = reserve(&service, 5_000);
    assert_eq!((status, &first["granted"]), (201, &true.into()), "{first}");
    assert_eq!((&first["pause_ms"], &first["answer"]["allowed"]), (&1_000.into(), &true.into()));
    let turn = first["turn"].as_str().unwrap().to_owned();
    let (status, second) = reserve(&service, 0);
    assert_eq!((status, &second["granted"]), (200, &false.into()), "{second}");
    assert!(second["wait_ms"].as_u64().unwrap() > 0);
    let released = service.post(&format!("/v1/turns/{turn}/release"), r#"{"status":200}"#);
    assert_eq!((released.status, &released.json()["pause_ms"]), (200, &1_000.into()));
    let begun = Instant::now();
    let (status, third) = reserve(&service, 10_000);
    assert_eq!(status, 201, "{third}");
    assert!(begun.elapsed() > Duration::from_millis(800), "{:?}", begun.elapsed());
    assert!(third["fence"].as_u64() > first["fence"].as_u64());
    assert_eq!(service.post(&format!("/v1/turns/{turn}/release"), r#"{"status":200}"#).status, 409);
}

#[test]
fn a_refusal_is_a_back_off_for_everybody() {
    let service = Service::shop();
    let (_, turn) = reserve(&service, 5_000);
    let turn = turn["turn"].as_str().unwrap();
    let path = format!("/v1/turns/{turn}/release");
    let released = service.post(&path, r#"{"status":503,"retry_after":120}"#);
    assert_eq!(released.json()["pause_ms"], 120_000, "{released:?}");
    let (status, next) = reserve(&service, 0);
    assert_eq!((status, &next["granted"]), (200, &false.into()));
    assert!(next["wait_ms"].as_u64().unwrap() > 100_000, "{next}");
    let record = service.get("/v1/origins/http%3A%2F%2Fshop.example").json();
    assert_eq!(record["back_off"]["refusals"], 1);
}

#[test]
fn a_turn_is_renewed_given_up_or_lost() {
    let service = Service::shop();
    let (_, turn) = reserve(&service, 5_000);
    let path = format!("/v1/turns/{}", turn["turn"].as_str().unwrap());
    let renewed = service.post(&format!("{path}/renew"), r#"{"hold_seconds":30}"#);
    assert_eq!((renewed.status, &renewed.json()["expires_in_ms"]), (200, &30_000.into()));
    assert_eq!(send(service.at, "DELETE", &path, &[], b"").status, 204);
    let lost = send(service.at, "DELETE", &path, &[], b"");
    assert_eq!(lost.status, 409, "{lost:?}");
    assert_eq!(service.post(&format!("{path}/renew"), "{}").status, 409);
}

#[test]
fn disallowed_urls_have_no_turn() {
    let service = Service::shop();
    let response =
        service.post("/v1/turns", r#"{"agent":"GPTBot","url":"http://shop.example/cart"}"#);
    let json = response.json();
    assert_eq!((response.status, &json["granted"]), (200, &false.into()));
    assert_eq!((&json["answer"]["reason"], json.get("wait_ms")), (&"rule".into(), None));
    let dead =
        service.post("/v1/turns", r#"{"agent":"GPTBot","url":"http://nowhere.example/"}"#).json();
    assert_eq!(
        (&dead["granted"], &dead["answer"]["allowed"]),
        (&false.into(), &false.into()),
        "{dead}"
    );
}

#[test]
fn wrong_values_are_problems() {
    let service = Service::shop();
    let (_, turn) = reserve(&service, 5_000);
    let path = format!("/v1/turns/{}/release", turn["turn"].as_str().unwrap());
    for (path, body, status) in [
        (path.as_str(), "{}", 422),
        (&path, r#"{"status":200,"failed":true}"#, 422),
        (&path, r#"{"status":20}"#, 422),
        (&path, r#"{"status":"x"}"#, 400),
        ("/v1/turns/'%20OR%201=1/release", r#"{"status":200}"#, 404),
        ("/v1/turns", r#"{"agent":"x","url":"http://shop.example/","hold_seconds":0}"#, 422),
        ("/v1/turns", r#"{"agent":"x"}"#, 422),
    ] {
        let response = service.post(path, body);
        assert_eq!(response.status, status, "{path} {body}: {response:?}");
    }
}
