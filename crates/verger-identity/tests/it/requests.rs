//! Requests in the forms of HTTP, JSON and logs.

use verger_identity::Request;

#[test]
fn heads_of_requests_are_read() {
    for (text, expected) in [
        (
            "POST /a HTTP/2\r\nhost: a.test\r\nX:  b \r\n\r\nbody: no",
            Some(("POST", "/a", "a.test", 2)),
        ),
        ("Host: a.test\nSignature: s=:AA:\nsignature: t=:AA:", Some(("", "", "a.test", 2))),
        ("", Some(("", "", "", 0))),
        ("GET /\nHost: a.test", None),
        ("Host: a.test\nnonsense", None),
        ("a b: c", None),
    ] {
        let found = text.parse::<Request>().ok();
        let found = found
            .as_ref()
            .map(|it| (it.method.as_str(), it.target.as_str(), it.authority(), it.headers.len()));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn lines_of_logs_are_read() {
    for (line, expected) in [
        (
            r#"{"ip":"192.0.2.1","at":1789041600.5,"authority":"a.test","headers":{"X":"b","Y":"-","Z":""}}"#,
            Some(("https", "", "a.test", "b")),
        ),
        (
            r#"{"authority":"a.test","headers":{"X":["b","c"]}}"#,
            Some(("https", "", "a.test", "b, c")),
        ),
        // Octets as Apache writes them.
        (r#"{"headers":{"X":"\xe9\v\\x41"}}"#, Some(("https", "", "", "\u{e9}\u{b}\\x41"))),
        (
            r#"{"level":"info","ts":1.5,"request":{"remote_ip":"192.0.2.1","method":"GET","host":"a.test","uri":"/b","headers":{"X":["c"]}},"status":200}"#,
            Some(("http", "/b", "a.test", "c")),
        ),
        (
            r#"{"ts":1,"request":{"remote_ip":"::1","method":"GET","host":"a.test","uri":"/b","headers":{"X":["c"]},"tls":{"resumed":false}}}"#,
            Some(("https", "/b", "a.test", "c")),
        ),
        (r#"{"at":-1}"#, None),
        // Milliseconds.
        (r#"{"at":1789041600000}"#, None),
        (r#"{"at":"yesterday"}"#, None),
        (r#"{"request":{"host":"a.test"}}"#, None),
        (r#"{"unknown":1}"#, None),
        (r#"{"duration":-1}"#, None),
        (r#"{"duration":"1"}"#, None),
        // Serde would read the fields in order.
        (r#" ["192.0.2.1",null,null]"#, None),
        (r#"{"headers":{"X":"b","x":"c"}}"#, None),
        // Nobody knows which of two values counts.
        (r#"{"headers":{"X":"b","X":"b"}}"#, None),
        (r#"{"headers":{"X":"b","X":"-"}}"#, None),
        (r#"{"ip":"192.0.2.1","ip":"192.0.2.1"}"#, None),
        (
            r#"{"ts":1,"ts":2,"request":{"remote_ip":"::1","method":"GET","host":"a.test","uri":"/b","headers":{}}}"#,
            None,
        ),
        (
            r#"{"ts":1,"request":{"remote_ip":"::1","method":"GET","host":"a.test","uri":"/b","headers":{"X":["b"],"X":["c"]}}}"#,
            None,
        ),
        (
            r#"{"ts":1,"request":{"remote_ip":"::1","method":"GET","host":"a.test","host":"b.test","uri":"/b","headers":{}}}"#,
            None,
        ),
        (r#"{"headers":{"X":"\xe"}}"#, None),
    ] {
        let found = Request::of_log_line(line.as_bytes()).ok();
        let found = found.as_ref().map(|it| {
            let header = it.headers.get("x").map_or("", String::as_str);
            assert!(!it.headers.contains_key("y") && !it.headers.contains_key("z"), "{line}");
            (it.scheme.as_str(), it.target.as_str(), it.authority(), header)
        });
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn a_request_is_judged_by_its_start() {
    let request =
        r#""request":{"remote_ip":"::1","method":"GET","host":"a.test","uri":"/","headers":{}}"#;
    for (line, expected) in [
        (r#"{"at":1789041600.9}"#.to_owned(), 1_789_041_600),
        (r#"{"at":1789041600.1,"duration":0}"#.to_owned(), 1_789_041_600),
        (r#"{"at":1789041600.1,"duration":0.000}"#.to_owned(), 1_789_041_600),
        (r#"{"at":1789041600.1,"duration":0.2}"#.to_owned(), 1_789_041_599),
        (r#"{"at":1789041600.1,"duration":60.0}"#.to_owned(), 1_789_041_540),
        (r#"{"at":10,"duration":99999999999}"#.to_owned(), 0),
        (format!(r#"{{"ts":1789041600.1,{request},"duration":59.5}}"#), 1_789_041_540),
    ] {
        let request = Request::of_log_line(line.as_bytes()).unwrap();
        let identifier = verger_identity::Identifier::default();
        let found = identifier.identify(&request, verger::access::Timestamp::EPOCH);
        assert_eq!(found.at.seconds(), expected, "{line}");
    }
}

#[test]
fn lines_of_other_logs_have_other_keys() {
    let keys = r#"{"ip":1,"user_agent":1,"at":1,"duration":1,"method":1,"scheme":1,"authority":1,"target":1,"headers":1}"#;
    for (line, expected) in [
        (keys, false),
        ("{}", false),
        (r#"{"ip":"192.0.2.1","status":200}"#, true),
        (r#"{"ip":"192.0.2.1","headers":{"X":"\xe9"},"status":200}"#, true),
        (r#"{"ip":"192.0.2.1","status":200"#, false),
        ("192.0.2.1", false),
    ] {
        assert_eq!(Request::has_other_keys(line.as_bytes()), expected, "{line}");
    }
}

#[test]
fn an_array_is_refused_with_a_message() {
    let error = Request::of_log_line(br#"["192.0.2.1"]"#).unwrap_err().to_string();
    assert_eq!(error, "expected an object, but found an array");
}

#[test]
fn times_are_read_with_their_offsets() {
    for (text, expected) in [
        ("2026-09-10", Some(1_788_998_400)),
        ("2026-09-10T00:00:00Z", Some(1_788_998_400)),
        ("2026-09-10T00:00:01.123456", Some(1_788_998_401)),
        ("2026-09-10T02:00:00+02:00", Some(1_788_998_400)),
        ("2026-09-09T22:30:00-01:30", Some(1_788_998_400)),
        ("1970-01-01T00:00:00+01:00", None),
        ("1969-12-31", None),
        ("2026-02-29", None),
        ("2026-09", None),
        ("10:00:00", None),
        ("9999-12-31T23:59:59Z", Some(253_402_300_799)),
        ("9999-12-31T23:59:59-00:01", None),
        ("2026-09-10T24:00:00Z", None),
        ("yesterday\u{1b}", None),
        ("", None),
    ] {
        let found = Request::time(text);
        assert_eq!(found.as_ref().ok().map(|it| it.seconds()), expected, "{text}");
    }
}
