//! Requests with unusual hosts, methods and times.

use std::io::Read as _;

use flate2::Compression;
use flate2::read::GzEncoder;
use verger::access::Timestamp;
use verger_audit::limits::LINE_BYTES;
use verger_audit::log::{LogOptions, Request, read_log};
use verger_audit::{Audit, History, Options, Verdict, Version};
use verger_identity::{Identifier, Lists};

use crate::script::{identifier, play, time};

#[test]
fn hosts_are_matched_with_origins() {
    let identifier = identifier();
    let history = single(b"User-agent: *\nDisallow: /\n");
    let origins =
        ["https://a.example", "https://b.example", "http://b.example", "https://a.example:8443"];
    let histories = origins.iter().map(|it| (it.parse().expect("an origin"), history.clone()));
    let mut audit = Audit::new(histories.collect(), &identifier, Options::default());
    for (host, scheme, expected) in [
        (Some("a.example"), None, Some(0)),
        (Some("A.Example:443"), None, Some(0)),
        (Some("a.example:8443"), None, Some(3)),
        (Some("a.example:80"), None, None),
        (Some("a.example"), Some("http"), None),
        (Some("b.example"), Some("http"), Some(2)),
        (Some("b.example"), Some("https"), Some(1)),
        (Some("b.example:80"), None, Some(2)),
        (Some("b.example"), None, None),
        (Some("c.example"), None, None),
        (Some("[::1]:443"), None, None),
        (Some("a.example:99999"), None, None),
        (None, None, None),
    ] {
        let request = Request {
            at: Some(time("100")),
            host: host.map(|host| host.as_bytes().into()),
            scheme,
            target: b"/x"[..].into(),
            user_agent: Some(b"Bytespider"[..].into()),
            ..Request::default()
        };
        let judged = audit.add(&request, |claim| identifier.identify(claim, Timestamp::EPOCH));
        assert_eq!(judged.origin, expected, "{host:?} {scheme:?}");
    }
    let report = audit.finish();
    assert_eq!(report.other_hosts, 7);
}

#[test]
fn only_gets_are_fetches_and_one_without_a_time_is_a_gap() {
    let identifier = identifier();
    let history = single(b"User-agent: *\nDisallow: /\n");
    let origin = "https://a.example".parse().expect("an origin");
    let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
    let request = |hour, method: &'static str, target: &'static str| Request {
        at: hour,
        method: method.as_bytes().into(),
        target: target.as_bytes().into(),
        status: Some(200),
        user_agent: Some(b"Bytespider"[..].into()),
        ..Request::default()
    };
    let by_browser = Some(b"Mozilla/5.0"[..].into());
    let fetch = request(Some(time("0")), "GET", "/robots.txt");
    let mut verdict =
        |request| audit.add(&request, |claim| identifier.identify(claim, Timestamp::EPOCH)).verdict;
    verdict(Request { user_agent: by_browser, ..fetch });
    assert_eq!(verdict(request(None, "GET", "/x")), Verdict::Unknown);
    assert_eq!(verdict(request(Some(time("0")), "HEAD", "/robots.txt")), Verdict::RobotsTxt);
    assert_eq!(verdict(request(Some(time("1")), "GET", "/x")), Verdict::Unknown);
    assert_eq!(verdict(request(Some(time("24:01")), "GET", "/x")), Verdict::DisallowedUnread);
    assert_eq!(verdict(request(Some(time("24:01")), "GET", "/robots.txt")), Verdict::RobotsTxt);
    assert_eq!(verdict(request(Some(time("24:01")), "POST", "/x")), Verdict::DisallowedKnown);
    assert_eq!(verdict(request(None, "GET", "/robots.txt")), Verdict::RobotsTxt);
    assert_eq!(verdict(request(Some(time("24:02")), "GET", "/x")), Verdict::Unknown);
    let report = audit.finish();
    assert_eq!((report.without_time, report.crawlers[0].fetches.len()), (2, 1));
}

/// A request is not judged by fetches that were forgotten.
#[test]
fn a_request_before_all_remembered_fetches_is_not_decided() {
    let mut script = vec!["-48 serves /cart".to_owned()];
    script.extend((0..70).map(|minute| format!("1:{minute} gptbot 200 /robots.txt = robots_txt")));
    script.push("1:05 gptbot 200 /cart = unknown backwards".to_owned());
    script.push("1:06 gptbot 200 /cart = unknown backwards".to_owned());
    script.push("1:10 gptbot 200 / = allowed backwards".to_owned());
    let report = play("many fetches", Options::default(), &script.join("\n"));
    assert_eq!(report.crawlers[0].fetches.len(), 64);
}

/// The verdict for the last request of logs.
fn last_verdict<'l>(logs: impl IntoIterator<Item = &'l [u8]>) -> Option<Verdict> {
    let identifier = identifier();
    let history = single(b"User-agent: *\nDisallow: /cart\n");
    let origin = "https://a.example".parse().expect("an origin");
    let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
    let mut last = None;
    for log in logs {
        let each = |request: Request<'_>| {
            let identify = |claim: &_| identifier.identify(claim, Timestamp::EPOCH);
            last = Some(audit.add(&request, identify).verdict);
        };
        let totals = read_log(log, &LogOptions::default(), each).expect("a log");
        if totals.ends_with_loss {
            audit.gap();
        }
    }
    last
}

/// A fetch of a file of 30 bytes and a later request, with these fields beside.
#[test]
fn requests_are_judged_by_the_fields_of_servers() {
    for (fields, expected) in [
        (r#""method":"GET","body_bytes_sent":30"#, Verdict::DisallowedKnown),
        // Some frameworks write the method in lower case.
        (r#""method":"get","body_bytes_sent":30"#, Verdict::DisallowedKnown),
        (r#""method":"head","body_bytes_sent":30"#, Verdict::Unknown),
        // Another page, and header fields beside the file.
        (r#""body_bytes_sent":330"#, Verdict::Unknown),
        (r#""bytes_sent":330"#, Verdict::DisallowedKnown),
        (r#""bytes_sent":48211"#, Verdict::Unknown),
        (r#""request":{"size":48211},"response":{"size":330}"#, Verdict::DisallowedKnown),
        (r#""request":{"size":30},"response":{"size":48211}"#, Verdict::Unknown),
        // Nanoseconds.
        (r#""event":{"duration":86400000000}"#, Verdict::DisallowedKnown),
    ] {
        let line = |minute, target| {
            let client = r#""status":200,"ip":"192.0.2.1","user_agent":"GPTBot/1.2""#;
            format!(
                r#"{{"time":"2026-01-03T00:{minute}:00Z","request_uri":"{target}",{client},{fields}}}"#
            )
        };
        let log = [line("00", "/robots.txt"), line("05", "/cart")].join("\n");
        assert_eq!(last_verdict([log.as_bytes()]), Some(expected), "{fields}");
    }
}

/// A lost line may have been a fetch of a newer text.
#[test]
fn nobody_is_accused_by_a_copy_from_before_lost_lines() {
    let line = |second, target| {
        let end = "200 30 \"-\" \"GPTBot/1.2\"\n";
        format!("192.0.2.1 - - [03/Jan/2026:00:00:{second} +0000] \"GET {target} HTTP/1.1\" {end}")
    };
    let (fetch, request) =
        (line("00", "/robots.txt"), line("59", "/cart").replace(":00:59", ":02:00"));
    let json = "{\"uri\": \"/robots.txt\"}\n";
    let other = line("30", "*").replace("\"-\"", "\"/robots.txt\"");
    let long = "x".repeat(LINE_BYTES + 1) + "\n";
    let gzip = |text: &str| {
        let mut encoder = GzEncoder::new(text.as_bytes(), Compression::fast());
        let mut data = Vec::new();
        encoder.read_to_end(&mut data).expect("memory");
        data
    };
    for (logs, expected) in [
        ([fetch.clone().into_bytes(), request.clone().into_bytes()], Verdict::DisallowedKnown),
        ([[&fetch, json].concat().into_bytes(), request.clone().into_bytes()], Verdict::Unknown),
        ([Vec::new(), [&fetch, json, &request].concat().into_bytes()], Verdict::Unknown),
        // A line in the format without a URL is no fetch.
        ([Vec::new(), [&fetch, &*other, &request].concat().into_bytes()], Verdict::DisallowedKnown),
        ([Vec::new(), [&fetch, &*long, &request].concat().into_bytes()], Verdict::Unknown),
        ([[&gzip(&fetch)[..], fetch.as_bytes()].concat(), gzip(&request)], Verdict::Unknown),
        ([Vec::new(), [gzip(&fetch), gzip(&request)].concat()], Verdict::DisallowedKnown),
    ] {
        let last = last_verdict(logs.iter().map(Vec::as_slice));
        assert_eq!(last, Some(expected));
    }
}

#[test]
fn unconfirmed_fallbacks_and_lists_of_other_years_accuse_nobody() {
    for (name, script) in [
        (
            "a fallback that no source confirms",
            "0 serves = User-agent: GoogleOther | Disallow: /a | User-agent: * | Disallow: /b
             24 serves = User-agent: GoogleOther | Disallow: /a | User-agent: * | Disallow: /a
             1 otherimage 200 /robots.txt = robots_txt
             2 otherimage 200 /a = unknown
             2 otherimage 200 / = allowed
             25 otherimage 200 /robots.txt = robots_txt
             26 otherimage 200 /a = disallowed_known @2",
        ),
        (
            "a list of addresses that is too far away",
            "-9602 serves /cart
             -9601 gptbot 200 /cart = unknown unproved
             -9600 gptbot 200 /robots.txt = robots_txt
             -9599 gptbot 200 /cart = disallowed_known @2
             9599 gptbot 200 /robots.txt = robots_txt
             9600 gptbot 200 /cart = disallowed_known @2
             9600:00:01 gptbot 200 /cart = disallowed_known unproved @2
             9600:00:02 impostor 200 /cart = disallowed_known unproved @2",
        ),
    ] {
        play(name, Options::default(), script);
    }
}

/// The verdicts for requests: beginning, end, User-Agent header and target.
#[track_caller]
fn check(history: History, requests: &[(&str, &str, &str, &str, Verdict)]) {
    let (identifier, origin) = (identifier(), "https://a.example".parse().expect("an origin"));
    let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
    for (at, end, agent, target, expected) in requests {
        let request = Request {
            at: Some(time(at)),
            end: Some(time(end)),
            target: target.as_bytes().into(),
            status: Some(200),
            user_agent: Some(agent.as_bytes().into()),
            ..Request::default()
        };
        let judged = audit.add(&request, |claim| identifier.identify(claim, Timestamp::EPOCH));
        assert_eq!(judged.verdict, *expected, "{at} {target}");
    }
}

/// A client that reads slowly does not have the file before.
#[test]
fn a_file_is_received_at_the_end_of_its_fetch() {
    let mut history = History::new();
    for (from, text) in [("0", ""), ("0:50:00", "User-agent: *\nDisallow: /x\n")] {
        let text = Some(text.as_bytes().into());
        history.add(Version { from: time(from), text, name: String::new() });
    }
    check(
        history,
        &[
            ("1:00:00", "1:01:40", "Bytespider", "/robots.txt", Verdict::RobotsTxt),
            ("1:02:30", "1:02:30", "Bytespider", "/x", Verdict::Grace),
            ("1:02:45", "1:02:45", "Bytespider", "/x", Verdict::DisallowedKnown),
        ],
    );
}

/// A client chooses how long its connection is open.
#[test]
fn a_log_does_not_begin_with_a_connection_before_it() {
    check(
        single(b"User-agent: *\nDisallow: /x\n"),
        &[
            ("0", "48:00:00", "Mozilla/5.0", "/socket", Verdict::NotACrawler),
            ("48:01:00", "48:01:00", "curl/8", "/robots.txt", Verdict::NotACrawler),
            ("48:02:00", "48:02:00", "Bytespider", "/x", Verdict::Unknown),
        ],
    );
}

/// Otherwise a signature that covers them would be that of an impostor.
#[test]
fn parts_that_a_log_lacks_are_not_known() {
    let history = single(b"User-agent: *\nDisallow: /\n");
    let (identifier, origin) = (identifier(), "https://a.example".parse().expect("an origin"));
    let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
    for (method, target, is_target_unclear, expected) in [
        ("GET", "/a?b", false, ("GET", "/a?b")),
        ("", "https://a.example/a?b", false, ("", "/a?b")),
        ("GET", "/a", true, ("GET", "")),
    ] {
        let request = Request {
            at: Some(time("0")),
            method: method.as_bytes().into(),
            target: target.as_bytes().into(),
            is_target_unclear,
            headers: vec![("signature", b"s=:AA:"[..].into())],
            ..Request::default()
        };
        let mut asked = None;
        audit.add(&request, |claim| {
            asked = Some(claim.clone());
            identifier.identify(claim, Timestamp::EPOCH)
        });
        let asked = asked.expect("a signature is a claim");
        assert_eq!((&*asked.method, &*asked.target), expected);
        assert_eq!((&*asked.scheme, asked.headers.len()), ("", 1), "{target}");
    }
}

/// Operators change their lists at any time of a day.
#[test]
fn a_known_client_is_judged_by_the_list_of_each_moment() {
    let mut lists = Lists::default();
    for (copied, prefix) in [("00:00:00Z", "192.0.2.0/24"), ("12:00:00Z", "198.51.100.0/24")] {
        let list = format!(r#""copied":"2026-01-01T{copied}","list":["{prefix}"]"#);
        lists.read(&format!(r#"{{"urls":["https://openai.com/gptbot.json"],{list}}}"#)).unwrap();
    }
    let identifier = Identifier::new(lists);
    let history = single(b"User-agent: *\nDisallow: /\n");
    let origin = "https://a.example".parse().expect("an origin");
    let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
    for (at, peer, is_impostor, is_asked) in [
        ("11:59:58", "192.0.2.1", false, true),
        ("11:59:59", "192.0.2.1", false, false),
        ("12", "192.0.2.1", true, true),
        ("12", "198.51.100.1", false, true),
        ("12:00:01", "192.0.2.1", true, false),
        ("11:59:59", "198.51.100.1", true, true),
        // 60 days after a copy, it is called outdated.
        ("1452", "198.51.100.1", false, true),
        ("1452", "198.51.100.1", false, false),
        ("1452:00:01", "198.51.100.1", false, true),
    ] {
        let request = Request {
            at: Some(time(at)),
            peer: peer.parse().ok(),
            user_agent: Some(b"GPTBot/1.2"[..].into()),
            target: b"/"[..].into(),
            ..Request::default()
        };
        let mut asked = false;
        let judged = audit.add(&request, |claim| {
            asked = true;
            identifier.identify(claim, Timestamp::EPOCH)
        });
        let found = (judged.verdict == Verdict::Impostor, asked);
        assert_eq!(found, (is_impostor, is_asked), "{at} {peer}");
    }
}

#[test]
fn addresses_of_a_crawler_that_only_a_group_names_are_those_behind_proxies() {
    let mut identifier = identifier();
    let proxies = vec!["172.64.0.0/13".parse().expect("a network")];
    identifier.proxies = verger_identity::TrustedProxies::new(proxies, "X-Forwarded-For");
    for agent in ["FooBot/1.0", "FooBot/1.0 axios/1.2"] {
        let history = single(b"User-agent: FooBot\nDisallow: /\n");
        let origin = "https://shop.example".parse().expect("an origin");
        let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
        for client in ["203.0.113.1", "203.0.113.2"] {
            let request = Request {
                at: Some(time("1")),
                peer: "172.70.1.1".parse().ok(),
                user_agent: Some(agent.as_bytes().into()),
                target: b"/"[..].into(),
                headers: vec![("x-forwarded-for", client.as_bytes().into())],
                ..Request::default()
            };
            let judged = audit.add(&request, |claim| identifier.identify(claim, Timestamp::EPOCH));
            let address = judged.identity.and_then(|it| it.address);
            assert_eq!(address, client.parse().ok(), "{agent}");
        }
    }
}

/// A history of one file for all times.
fn single(text: &[u8]) -> History {
    let mut history = History::new();
    let text = Some(text.into());
    history.add(Version { from: Timestamp::EPOCH, text, name: "robots.txt".to_owned() });
    history
}
