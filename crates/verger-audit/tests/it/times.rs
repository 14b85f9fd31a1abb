//! Times of requests in logs.

use verger::access::Timestamp;
use verger_audit::Options;
use verger_audit::log::{LogOptions, LogZone, first_request, read_log};

use crate::script::play;

/// The beginning of a request and its end, in seconds after 22:23.
#[test]
fn times_are_those_of_the_beginning_and_the_end() {
    for (line, expected) in [
        (
            r#"{"time_iso8601":"2026-03-01T22:23:05Z","request_time":"5.000","request_uri":"/"}"#,
            Some((0, Some(5))),
        ),
        // A whole number can be milliseconds.
        (
            r#"{"time_iso8601":"2026-03-01T22:23:05Z","request_time":"5000","request_uri":"/"}"#,
            Some((5, Some(5))),
        ),
        (
            r#"{"ts":1772403785.5,"duration":5.0e0,"request":{"uri":"/"},"status":200}"#,
            Some((0, Some(5))),
        ),
        (
            r#"{"StartUTC":"2026-03-01T22:23:00Z","Duration":5000000000,"RequestPath":"/"}"#,
            Some((0, Some(5))),
        ),
        (
            r#"{"start_time":"2026-03-01T22:23:00Z","duration":5000,"path":"/","status":200}"#,
            Some((0, Some(5))),
        ),
        (
            r#"{"EdgeStartTimestamp":1772403780,"EdgeEndTimestamp":1772403785,"ClientRequestURI":"/"}"#,
            Some((0, Some(5))),
        ),
        (r#"{"started_at":1772403780000,"request":{"uri":"/"}}"#, Some((0, None))),
        (
            r#"10.0.1.2:33317 [01/Mar/2026:22:23:00.655 +0000] in s/s 1/0/3/6/5000 200 2 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1""#,
            Some((0, Some(5))),
        ),
        (
            r#"[2026-03-01T22:23:00.310Z] "GET / HTTP/2" 204 - 154 0 5000 100 "10.0.35.28" "x" "cc" "shop.example" "tcp://10.0.2.1:80""#,
            Some((0, Some(5))),
        ),
        // That of `verger identify`, whose `at` is the end.
        (r#"{"at":1772403785.5,"duration":"5.000","target":"/"}"#, Some((0, Some(5)))),
        // Nobody knows which of two is that of a collector.
        (
            r#"{"timestamp":"2026-03-01T22:23:05Z","@timestamp":"2026-03-01T22:23:04Z","request_uri":"/"}"#,
            Some((5, Some(5))),
        ),
        (
            r#"{"timestamp":"2026-03-01T22:23:05Z","@timestamp":"2026-03-01T22:13:04Z","request_uri":"/"}"#,
            None,
        ),
        (r#"{"date":1772403785.5,"@timestamp":"2026-03-01T22:13:04Z","request_uri":"/"}"#, None),
        (r#"{"time":1772403785,"nginx":{"time":1772403085},"request_uri":"/"}"#, None),
        // A time that cannot be read is not that of a collector; a duration is no time.
        (
            r#"{"time":"Sun Mar 1 22:23:00 2026","@timestamp":"2026-03-01T22:23:05Z","request_uri":"/"}"#,
            None,
        ),
        (
            r#"{"time":0.045,"@timestamp":"2026-03-01T22:23:05Z","request_uri":"/"}"#,
            Some((5, Some(5))),
        ),
    ] {
        let mut found = Vec::new();
        let seconds = |time: Timestamp| time.seconds().abs_diff(1_772_403_780);
        let totals = read_log(line.as_bytes(), &LogOptions::default(), |it| {
            found.push(it.at.map(|at| (seconds(at), it.end.map(seconds))));
        });
        assert_eq!((found, totals.is_ok()), (vec![expected], true), "{line}");
    }
}

#[test]
fn a_zone_is_that_of_times_without_one() {
    let line = |time| format!("192.0.2.1 - - [{time}] \"GET / HTTP/1.1\" 200 7");
    for (zone, time, expected) in [
        (None, "10/Oct/2026:13:55:36", Some(("2026-10-10T13:55:36Z", true))),
        (Some("UTC"), "10/Oct/2026:13:55:36", Some(("2026-10-10T13:55:36Z", false))),
        (Some("+02:00"), "10/Oct/2026:01:55:36", Some(("2026-10-09T23:55:36Z", false))),
        (Some("-0330"), "10/Oct/2026:13:55:36", Some(("2026-10-10T17:25:36Z", false))),
        (Some("-03"), "10/Oct/2026:13:55:36 +0100", Some(("2026-10-10T12:55:36Z", false))),
        (Some("Europe/Berlin"), "", None),
        (Some("2"), "", None),
        (Some(""), "", None),
    ] {
        let read: Option<Result<LogZone, _>> = zone.map(str::parse);
        assert_eq!(read.is_some_and(|it| it.is_err()), expected.is_none(), "{zone:?}");
        let Some((expected, is_local)) = expected else { continue };
        let options = LogOptions { format: None, zone: read.and_then(Result::ok) };
        let (first, _) = first_request(line(time).as_bytes(), &options).expect("a time");
        assert_eq!(first.to_string(), expected, "{zone:?} {time}");
        let totals = read_log(line(time).as_bytes(), &options, |_| ()).expect("a log");
        assert_eq!(totals.has_local_times, is_local, "{zone:?} {time}");
    }
}

#[test]
fn of_the_w3c_format_only_date_and_time_are_in_utc() {
    for (columns, times, is_local) in [
        ("date time", "2026-10-10 13:55:36", false),
        ("timestamp", "2026-10-10T13:55:36", true),
        ("timestamp", "2026-10-10T13:55:36Z", false),
    ] {
        let log = format!("#Fields: {columns} c-ip cs-method cs-uri\n{times} 192.0.2.1 GET /a\n");
        let totals = read_log(log.as_bytes(), &LogOptions::default(), |_| ()).expect("a log");
        assert_eq!((totals.has_local_times, totals.skipped), (is_local, 0), "{log}");
    }
}

#[test]
fn a_pace_is_too_fast_only_by_a_limit_that_the_crawler_itself_had_received() {
    let served = "0 serves = User-agent: * | Crawl-delay: 10 | Disallow: /cart\n\
                  2 serves = User-agent: * | Crawl-delay: 5 | Disallow: /cart\n";
    let fetch = "1 gptbot 200 /robots.txt = robots_txt\n";
    // Of ends of requests, two windows of ten less a minute: 18 steps take at least 120 seconds.
    let many = |at: &str, status: &str| format!("{at} gptbot {status} / = allowed\n").repeat(18);
    let unclear = "1:02:01 gptbot 200 ~/cart = unknown\n".repeat(18);
    for (name, script) in [
        (
            "as fast as possible",
            format!(
                "{fetch}{}1:04:00 gptbot 200 / = allowed too_fast\n\
                 1:04:01 gptbot 200 / = allowed\n1:04:01 gptbot 200 /robots.txt = robots_txt",
                many("1:02:01", "200")
            ),
        ),
        (
            "a target that is not clear",
            format!("{fetch}{unclear}1:04 gptbot 200 ~/cart = unknown too_fast"),
        ),
        (
            "a few",
            format!(
                "{fetch}{}1:03:30 gptbot 200 / = allowed",
                many("1:02:01", "200").replacen("1:02:01 gptbot 200 / = allowed\n", "", 1)
            ),
        ),
        (
            "planned before",
            format!("{fetch}{}1:01:10 gptbot 200 / = allowed", many("1:00:59", "200")),
        ),
        ("redirects", format!("{fetch}{}1:02:02 gptbot 200 / = allowed", many("1:02:01", "301"))),
        (
            "a clock that was ahead",
            format!("{fetch}{}1:02:02 gptbot 200 / = allowed", many("3:02:01", "200")),
        ),
        (
            "another crawler of the operator",
            format!(
                "1 searchbot 200 /robots.txt = robots_txt\n{}1:02:02 gptbot 200 / = allowed",
                many("1:02:01", "200")
            ),
        ),
        (
            "another version",
            format!(
                "{fetch}{}2:10 gptbot 200 /robots.txt = robots_txt\n2:10:01 gptbot 200 / = allowed",
                many("2:09", "200")
            ),
        ),
    ] {
        play(name, Options::default(), &format!("{served}{script}"));
    }
    let mistake = "0 serves = User-agent: * | Crawl-delay 10 | Disallow: /cart\n";
    let script =
        format!("{mistake}{fetch}{}1:02:02 gptbot 200 / = allowed", many("1:02:01", "200"));
    play("only with a mistake", Options::default(), &script);
}
