//! Questions about URLs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use verger::access::Profile;
use verger_server::settings::Settings;
use verger_testkit::server::{Script, ScriptedResponse, Setup, Site};

use crate::client::{escaped, send};
use crate::world::{HandClock, Service, rules};

const CART: &str = "/v1/check?agent=GPTBot&url=http://shop.example/cart";

#[test]
fn an_answer_has_its_evidence_and_names_the_rule() {
    let service = Service::shop();
    let response = service.get(CART);
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(response.header("content-length"), Some(response.body.len().to_string().as_str()));
    let answer = response.json();
    assert_eq!((&answer["allowed"], &answer["reason"]), (&false.into(), &"rule".into()));
    assert_eq!(answer["rule"]["line"], 2);
    assert_eq!(answer["decision"]["origin"], "http://shop.example");
    assert_eq!(answer["decision"]["source"], "fetch");
    assert_eq!(service.requests(), 1);
}

#[test]
fn prepared_answers_are_those_of_the_client_byte_by_byte() {
    let robots = "User-agent: GPTBot\nDisallow: /cart\nAllow: /cart/help\n\nUser-agent: *\nDisallow: /*.pdf$\nCrawl-delay: 3\n\
                  \n# caf\u{e9} \u{202e}\nDisallow: /caf\u{e9}\n";
    let site = || Setup::web("shop.example", Site::always(rules(robots)));
    let profiles = ["rfc9309", "strict"].map(|name| Profile::named(name).unwrap());
    let with = |access, cache_bytes| {
        Service::with(site(), |settings| Settings { access, cache_bytes, ..settings })
    };
    let same = |text: &str| {
        let mut json: serde_json::Value = serde_json::from_str(text).unwrap();
        let decision = json["decision"].as_object_mut().unwrap();
        // Two services differ in these.
        for key in
            ["decided_at", "tried_at", "fetched_at", "fresh_until", "valid_until", "next_try"]
        {
            decision.remove(key);
        }
        let keys: Vec<String> = json.as_object().unwrap().keys().cloned().collect();
        (keys, json)
    };
    for profile in profiles {
        // With no bytes, no decision is prepared.
        let (warm, cold) = (with(profile, 1 << 20), with(profile, 0));
        for agent in ["GPTBot", "Mozilla/5.0 (compatible; \"Bot\\\u{e9}/1.0\")", "*", "x"] {
            for dialect in ["rfc9309", "google", "orig1994"] {
                for path in [
                    "/",
                    "/cart",
                    "/cart/help",
                    "/a.pdf",
                    "/caf%C3%A9",
                    "/caf\u{e9}",
                    "/x?a=b&c",
                    "/robots.txt",
                    "/a/../cart",
                    "/cart#part",
                    "/%63art",
                    "/a%2Fb",
                    "",
                    "//x",
                    "/\u{1F600}'\"<>",
                    "/robots.txt?x",
                ] {
                    let url = escaped(&format!("http://shop.example{path}"));
                    let query =
                        format!("/v1/check?agent={}&url={url}&dialect={dialect}", escaped(agent));
                    let expected = loop {
                        let found = cold.get(&query);
                        assert_eq!(found.status, 200, "{query}: {found:?}");
                        if !found.text().contains(r#""source":"fetch""#) {
                            break found;
                        }
                    };
                    let mut found = warm.get(&query);
                    for _ in 0..2 {
                        found = warm.get(&query);
                    }
                    assert_eq!(same(found.text()), same(expected.text()), "{query}");
                }
            }
        }
        assert_eq!((warm.requests(), cold.requests()), (1, 1));
        assert!(warm.number("verger_serve_answers_total", "prepared") > 0.0);
    }
}

#[test]
fn several_urls_are_answered_in_order() {
    let service = Service::shop();
    let response = service.post(
        "/v1/check",
        r#"{"id":7,"agent":"GPTBot","urls":["http://shop.example/cart","http://shop.example/a","http://nowhere.example/"]}"#,
    );
    assert_eq!(response.status, 200);
    let answers = response.json();
    let allowed: Vec<_> =
        answers.as_array().unwrap().iter().map(|it| it["allowed"].as_bool()).collect();
    assert_eq!(allowed, [Some(false), Some(true), Some(false)]);
    assert_eq!(answers[2]["reason"], "unreachable");
    assert_eq!(answers[0]["id"], 7);
}

#[test]
fn explanations_have_target_and_matches() {
    let service = Service::shop();
    let answer = service.get(&format!("{CART}&explain=true")).json();
    assert_eq!(answer["target"], "/cart");
    assert_eq!(answer["matches"][0]["standing"], "decides");
}

#[test]
fn a_slow_site_is_pending_and_answered_after_its_fetch() {
    let slow = rules("User-agent: *\nDisallow: /cart\n");
    let slow = Script::new()
        .then(verger_testkit::server::ServerAction::Pause(Duration::from_millis(700)))
        .then_all(slow);
    let service = Service::start(Setup::web("shop.example", Site::always(slow)));
    let pending = service.get(&format!("{CART}&wait_ms=0"));
    assert_eq!(pending.status, 202);
    assert_eq!(pending.header("retry-after"), Some("1"));
    assert_eq!(pending.header("cache-control"), Some("no-store"));
    let answer = pending.json();
    assert_eq!((&answer["allowed"], &answer["reason"]), (&false.into(), &"pending".into()));
    assert_eq!((&answer["unanswered"], &answer["retry_after"]), (&true.into(), &1.into()));
    let batch =
        service.post("/v1/check", r#"{"agent":"x","url":"http://shop.example/a","wait_ms":1}"#);
    assert_eq!((batch.status, &batch.json()[0]["reason"]), (202, &"pending".into()));
    let answered = service.get(CART);
    assert_eq!((answered.status, &answered.json()["allowed"]), (200, &false.into()));
    assert_eq!(service.requests(), 1, "the fetch went on");
}

#[test]
fn caches_can_use_an_answer_until_its_end() {
    let site = Site::always(
        ScriptedResponse::new(200)
            .field("Cache-Control", "max-age=600")
            .body("User-agent: *\nDisallow: /cart\n")
            .script(),
    );
    let service = Service::start(Setup::web("shop.example", site));
    service.get(CART);
    let response = service.get(CART);
    assert_eq!(response.header("cache-control"), Some("private, max-age=600"));
    let age: u64 = response.header("age").unwrap().parse().unwrap();
    assert!(age < 60, "{age}");
    let tag = response.header("etag").unwrap();
    let cached = send(service.at, "GET", CART, &[("If-None-Match", tag)], b"");
    assert_eq!((cached.status, cached.body.len()), (304, 0));
    assert_eq!(cached.header("etag"), Some(tag));
    let other = service.get("/v1/check?agent=GPTBot&url=http://shop.example/other");
    assert_ne!(other.header("etag"), Some(tag));
    let explained = service.get(&format!("{CART}&explain=true"));
    assert_ne!(explained.header("etag"), Some(tag));
    for known in ["*", "\"x\", *", &format!("\"x\", {tag}")] {
        let status = send(service.at, "GET", CART, &[("If-None-Match", known)], b"").status;
        assert_eq!(
            status,
            if known.contains('x') && known.ends_with('*') { 200 } else { 304 },
            "{known}"
        );
    }
}

#[test]
fn rep_ext_12_an_answer_ends_with_the_minute_if_a_rate_depends_on_the_time() {
    let day = 20_000 * 24 * 60 * 60;
    let clock = Arc::new(HandClock::at(day + 6 * 60 * 60 - 30));
    let service = Service::with_clock(Setup::new(), clock.clone());
    for (host, rate, max_age) in [
        ("a.example", "Request-rate: 1/60s 0600-0700", 30),
        ("b.example", "Request-rate: 1/60s", 86_400),
        ("c.example", "Crawl-delay: 60", 86_400),
    ] {
        clock.set(day + 6 * 60 * 60 - 30);
        let body = format!(r#"{{"robots":"User-agent: *\n{rate}\nDisallow: /x\n"}}"#);
        let imported = service.put(&format!("/v1/origins/http%3A%2F%2F{host}"), &body);
        assert_eq!(imported.status, 201, "{imported:?}");
        let path = format!("/v1/check?agent=GPTBot&url=http://{host}/");
        for _ in 0..2 {
            let control = format!("private, max-age={max_age}");
            assert_eq!(service.get(&path).header("cache-control"), Some(&*control), "{rate}");
        }
        clock.set(day + 6 * 60 * 60);
        assert_eq!(service.get(&path).json()["decision"]["kept_pause"], 60.0, "{rate}");
    }
}

#[test]
fn the_profile_is_that_of_the_service_and_the_dialect_that_of_the_question() {
    for (profile, allowed) in [("rfc9309", true), ("strict", false), ("google", true)] {
        let setup = Setup::web("shop.example", Site::always(ScriptedResponse::new(403).script()));
        let access = Profile::named(profile).unwrap();
        let service = Service::with(setup, |settings| Settings { access, ..settings });
        let answer = service.get(CART).json();
        assert_eq!(answer["allowed"], allowed, "{profile}");
        assert_eq!(answer["decision"]["access_profile"], profile);
        let answer = service.get(&format!("{CART}&dialect=google")).json();
        assert_eq!(answer["dialect"], "google");
        let refused = service.get(&format!("{CART}&access_profile=strict"));
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("but found `access_profile`"), "{refused:?}");
    }
}

#[test]
fn the_guard_refuses_without_a_packet() {
    let service = Service::shop();
    // Robots.txt needs no record, but the guard is asked.
    for path in ["", "robots.txt"] {
        let query = format!("/v1/check?agent=GPTBot&url=http://169.254.169.254/{path}");
        let response = service.get(&query);
        assert_eq!(
            (response.status, response.header("content-type")),
            (403, Some("application/problem+json")),
            "{path}"
        );
        let problem = response.json();
        assert_eq!(problem["answer"]["allowed"], false);
        assert_eq!(problem["answer"]["decision"]["failure"]["kind"], "refused");
    }
    let urls = r#"["http://10.0.0.1/","http://10.0.0.1/robots.txt","http://shop.example/"]"#;
    let many = service.post("/v1/check", &format!(r#"{{"agent":"x","urls":{urls}}}"#));
    let answers = many.json();
    for refused in &answers.as_array().unwrap()[..2] {
        assert_eq!((&refused["allowed"], &refused["unanswered"]), (&false.into(), &true.into()));
    }
    assert_eq!(answers[2]["allowed"], true);
    assert!(service.world.record().strays.is_empty());
}

#[test]
fn ten_thousand_questions_share_one_fetch() {
    let service = Service::shop();
    let begun = Instant::now();
    let urls: Vec<_> = (0..1_000).map(|at| format!("\"http://shop.example/{at}\"")).collect();
    let body = format!(r#"{{"agent":"x","urls":[{}]}}"#, urls.join(","));
    std::thread::scope(|scope| {
        let asks: Vec<_> =
            (0..10).map(|_| scope.spawn(|| service.post("/v1/check", &body))).collect();
        for ask in asks {
            let response = ask.join().unwrap();
            assert_eq!((response.status, response.json().as_array().unwrap().len()), (200, 1_000));
        }
    });
    assert_eq!(service.requests(), 1, "after {:?}", begun.elapsed());
}

#[test]
fn redirects_of_one_crawlers_rules_do_not_concern_others() {
    // `/a` is disallowed for everybody there, and robots.txt is a redirect to it.
    let site = Site::new()
        .path("/robots.txt", ScriptedResponse::redirect(301, "/a/robots").script())
        .any(rules("User-agent: *\nDisallow: /a\n"));
    let access = Profile::YANDEX;
    let setup = Setup::web("shop.example", site);
    let service = Service::with(setup, |settings| Settings { access, ..settings });
    let answer = service.get("/v1/check?agent=GPTBot&url=http://shop.example/b").json();
    assert_eq!(answer["allowed"], true, "{answer}");
    assert_eq!(answer["decision"]["hops"][0]["status"], 301);
}
