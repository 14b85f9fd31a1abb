//! Limits of requests, and of requests at the same time.

use std::time::Duration;

use verger_server::settings::Settings;
use verger_testkit::server::{Script, Setup, Site};

use crate::client::{PATIENCE, connect, get, response, send};
use crate::world::{Service, shop};

#[test]
fn requests_beyond_the_limit_are_told_to_come_back() {
    let silent = Setup::web("silent.example", Site::always(Script::new().then_never()));
    let service = Service::with(silent, |settings| Settings { max_requests: 3, ..settings });
    let ask = "/v1/check?agent=x&url=http://silent.example/";
    std::thread::scope(|scope| {
        let held: Vec<_> = (0..3).map(|_| scope.spawn(|| service.get(ask))).collect();
        let mut refused = None;
        for _ in 0..2_000 {
            let found = service.get("/v1/crawlers?purpose=x");
            if found.status == 503 {
                refused = Some(found);
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let refused = refused.expect("the limit is reached");
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(refused.header("content-type"), Some("application/problem+json"));
        for held in held {
            let answer = held.join().unwrap();
            assert_eq!((answer.status, &answer.json()["allowed"]), (200, &false.into()));
        }
    });
    assert_eq!(service.get("/healthz").status, 200);
}

#[test]
fn connections_beyond_the_limit_get_an_answer() {
    let service = Service::with(shop(), |settings| Settings { max_connections: 2, ..settings });
    let held: Vec<_> = (0..2).map(|_| connect(service.at)).collect();
    // They are accepted in order.
    let mut third = connect(service.at);
    let refused = response(&mut third).unwrap();
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    drop(held);
    let found = (0..1_000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(5));
        let mut stream = connect(service.at);
        let bytes = crate::client::request(service.at, "GET", "/healthz", &[], b"");
        std::io::Write::write_all(&mut stream, &bytes).ok()?;
        response(&mut stream).filter(|found| found.status == 200)
    });
    assert!(found.is_some());
}

#[test]
fn a_rate_is_kept_for_each_address() {
    let service = Service::with(shop(), |settings| Settings { rate: 5, ..settings });
    let statuses: Vec<u16> = (0..40)
        .map(|at| {
            // A header of a client changes nothing.
            let from = format!("192.0.2.{at}");
            send(service.at, "GET", "/v1/crawlers?purpose=x", &[("X-Forwarded-For", &from)], b"")
                .status
        })
        .collect();
    let limited = statuses.iter().filter(|status| **status == 429).count();
    assert!((10..=30).contains(&limited), "{statuses:?}");
}

#[test]
fn lists_have_limits() {
    let service = Service::shop();
    let urls = |count: usize, of: fn(usize) -> String| {
        let urls: Vec<_> = (0..count).map(|at| format!("\"{}\"", of(at))).collect();
        format!(r#"{{"agent":"x","urls":[{}]}}"#, urls.join(","))
    };
    let many = service.post("/v1/check", &urls(1_001, |_| "http://shop.example/".to_owned()));
    assert_eq!((many.status, &many.json()["errors"][0]["pointer"]), (422, &"/urls".into()));
    let hosts = service.post("/v1/check", &urls(101, |at| format!("http://{at}.example/")));
    assert_eq!((hosts.status, &hosts.json()["errors"][0]["pointer"]), (422, &"/urls".into()));
    assert!(hosts.text().contains("at most 100 origins"));
    let body = service.post("/v1/check", &" ".repeat(1_048_577));
    assert_eq!(body.status, 413);
    assert_eq!(service.requests(), 0);
}

#[test]
fn a_service_that_stops_finishes_what_it_accepted() {
    let pause = verger_testkit::server::Step::Pause(Duration::from_millis(500));
    let slow =
        Script::new().then(pause).then_all(crate::world::rules("User-agent: *\nDisallow: /\n"));
    let service = Service::start(Setup::web("shop.example", Site::always(slow)));
    let at = service.at;
    let asks: Vec<_> = (0..50)
        .map(|number| {
            std::thread::spawn(move || {
                get(at, &format!("/v1/check?agent=x&url=http://shop.example/{number}"))
            })
        })
        .collect();
    while service.number("verger_serve_requests", "") < 51.0 {
        std::thread::sleep(Duration::from_millis(2));
    }
    let begun = std::time::Instant::now();
    assert!(service.stop());
    assert!(begun.elapsed() < PATIENCE / 6);
    for ask in asks {
        assert_eq!(ask.join().unwrap().json()["reason"], "rule");
    }
    assert!(std::net::TcpStream::connect(at).is_err());
}
