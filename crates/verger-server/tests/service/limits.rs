//! Limits of requests, and of requests at the same time.

use std::time::Duration;

use verger_server::settings::Settings;
use verger_testkit::server::{Script, Setup, Site};

use crate::client::{PATIENCE, connect, get, response, send};
use crate::world::{Service, rules, shop};

#[test]
fn requests_beyond_the_limit_are_told_to_come_back() {
    let silent = Setup::web("silent.example", Site::always(Script::new().then_never()));
    let service = Service::with(silent, |settings| Settings { max_requests: 3, ..settings });
    let ask = "/v1/check?agent=x&url=http://silent.example/";
    // One that comes while another request is answered may itself be refused.
    let hold = || loop {
        let answer = service.get(ask);
        if answer.status != 503 {
            return answer;
        }
    };
    std::thread::scope(|scope| {
        let held: Vec<_> = (0..3).map(|_| scope.spawn(hold)).collect();
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
fn head_of_a_request_has_the_documented_limits() {
    let service = Service::with(shop(), |settings| settings);
    for (bytes, how, expected) in [
        (64 * 1024, "a query", 200),
        (64 * 1024, "a field", 200),
        (128 * 1024, "a query", 431),
        (128 * 1024, "a field", 431),
    ] {
        let (line, end) = ("GET /healthz", "Host: localhost\r\n\r\n");
        let filled = |before: &str, after: &str| {
            let filling = "a".repeat(bytes - before.len() - after.len());
            format!("{before}{filling}{after}")
        };
        let head = match how {
            "a query" => filled(&format!("{line}?"), &format!(" HTTP/1.1\r\n{end}")),
            _ => filled(&format!("{line} HTTP/1.1\r\nX: "), &format!("\r\n{end}")),
        };
        assert_eq!(head.len(), bytes);
        let response = crate::client::exchange(service.at, head.as_bytes());
        assert_eq!(response.map(|it| it.status), Some(expected), "{bytes} bytes with {how}");
    }
    for (fields, expected) in [(99, 200), (100, 431)] {
        let fields = "X: y\r\n".repeat(fields);
        let head = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n");
        let response = crate::client::exchange(service.at, head.as_bytes());
        assert_eq!(response.map(|it| it.status), Some(expected));
    }
    let nonsense = crate::client::exchange(service.at, b"nonsense\r\n\r\n").unwrap();
    assert_eq!((nonsense.status, nonsense.body.len()), (400, 0));
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
fn explanations_have_a_limit_of_bytes_and_streams_wait_for_their_reader() {
    // Each of 400 rules matches the path, so an explanation has more than 100 kB.
    let path = "/".to_owned() + &"a".repeat(400);
    let list: String = (1..=400).map(|end| format!("Disallow: {}\n", &path[..end])).collect();
    let robots = format!("User-agent: *\n{list}");
    let service = Service::start(Setup::web("shop.example", Site::new().any(rules(&robots))));
    let question = |count: usize, explain: bool, file: &str| {
        let urls = vec![format!("\"http://shop.example{path}\""); count].join(",");
        format!(r#"{{"agent":"x",{file}"urls":[{urls}],"explain":{explain}}}"#)
    };
    let own_file = format!("\"robots\":{},", serde_json::to_string(&robots).unwrap());
    for (target, file) in [("/v1/check", ""), ("/v1/evaluate", own_file.as_str())] {
        let few = service.post(target, &question(10, true, file));
        assert_eq!(few.status, 200, "{target}: {few:?}");
        let long = service.post(target, &question(100, true, file));
        assert_eq!((long.status, &long.json()["errors"][0]["pointer"]), (422, &"/urls".into()));
        assert!(long.text().contains("at most 8388608 bytes"), "{}", long.text());
        assert_eq!(service.post(target, &question(100, false, file)).status, 200, "{target}");
    }
    let ndjson = [("Content-Type", "application/x-ndjson")];
    let lines = question(100, true, "") + "\n" + &question(1, false, "");
    let response = send(service.at, "POST", "/v1/check", &ndjson, lines.as_bytes());
    let answers: Vec<serde_json::Value> =
        response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 101);
    let matches = |answer: &serde_json::Value| answer["matches"].as_array().map(Vec::len);
    assert!(answers[..100].iter().all(|answer| matches(answer) == Some(400)));
    assert_eq!((matches(&answers[100]), &answers[100]["allowed"]), (None, &false.into()));
}

#[test]
fn waits_end_with_an_answer_before_the_service_does() {
    let silent = || Setup::web("silent.example", Site::always(Script::new().then_never()));
    let stop_time = Duration::from_secs(2);
    let turn = r#"{"agent":"x","url":"http://silent.example/a","wait_ms":30000}"#;
    // More than wait at the same time.
    let urls: Vec<_> = (0..100).map(|at| format!(r#""http://silent.example/{at}""#)).collect();
    let list = format!(r#"{{"agent":"x","wait_ms":30000,"urls":[{}]}}"#, urls.join(","));
    let refresh = "/v1/origins/http%3A%2F%2Fsilent.example/refresh";
    for (path, body, status) in [
        ("/v1/turns", turn, 200),
        ("/v1/check", &list, 202),
        (refresh, r#"{"wait_ms":30000}"#, 202),
    ] {
        let service = Service::with(silent(), |settings| Settings { stop_time, ..settings });
        let at = service.at;
        let body = body.to_owned();
        let waiting = std::thread::spawn(move || crate::client::post(at, path, &body));
        std::thread::sleep(Duration::from_millis(300));
        assert!(service.stop(), "{path}: it finishes what it accepted");
        assert_eq!(waiting.join().unwrap().status, status, "{path}");
    }
}

#[test]
fn half_a_head_does_not_hold_up_the_end() {
    let service = Service::with(shop(), |settings| Settings {
        stop_time: PATIENCE,
        header_time: PATIENCE,
        ..settings
    });
    let mut half = connect(service.at);
    std::io::Write::write_all(&mut half, b"GET /healthz HT").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let begun = std::time::Instant::now();
    assert!(service.stop());
    assert!(begun.elapsed() < PATIENCE / 2, "{:?}", begun.elapsed());
}

#[test]
fn a_service_that_stops_finishes_what_it_accepted() {
    let pause = verger_testkit::server::ServerAction::Pause(Duration::from_millis(500));
    let slow = Script::new().then(pause).then_all(rules("User-agent: *\nDisallow: /\n"));
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
