//! Bytes of responses in logs, and targets without their query.

use verger_audit::log::{LogFormat, LogOptions, read_log};

/// Lines of a log, and of each the bytes of the body, whether they may be those of header fields,
/// too, and whether a query may be missing.
#[test]
fn bytes_of_bodies_and_missing_queries_are_known() {
    let line = |request: &str, status: u16, bytes: &str| {
        format!("192.0.2.1 - - [x] \"{request} HTTP/1.1\" {status} {bytes} \"-\" \"-\"")
    };
    let custom = r#""$request_path" $status $upstream_status $body_bytes_sent"#;
    for (format, log, expected) in [
        (
            None,
            vec![line("GET /", 200, "7"), line("GET /", 304, "0"), line("HEAD /", 200, "-")],
            &[(Some(7), false, false), (Some(0), false, false), (Some(0), false, false)][..],
        ),
        // `%O` of Apache, until other lines deny it.
        (
            None,
            vec![
                line("GET /", 200, "300"),
                line("HEAD /", 200, "290"),
                line("GET /", 200, "300"),
                line("GET /", 200, "0"),
                line("GET /", 304, "0"),
                line("HEAD /", 200, "290"),
                line("GET /", 200, "300"),
            ],
            &[
                (Some(300), false, false),
                (Some(290), true, false),
                (Some(300), true, false),
                (Some(0), true, false),
                (Some(0), false, false),
                (Some(290), false, false),
                (Some(300), false, false),
            ],
        ),
        (
            None,
            vec![
                r#"{"request":{"uri":"/a"},"status":200,"size":0}"#.to_owned(),
                r#"{"uri":"/a","status":200,"body_bytes_sent":"8"}"#.to_owned(),
                r#"{"uri":"/a","args":"","status":200}"#.to_owned(),
                r#"{"reqPath":"/a","queryStr":"","statusCode":200}"#.to_owned(),
                r#"{"requestURI":"/a","queryString":"b","status":200}"#.to_owned(),
                r#"{"request_uri":"/a","queryString":"b","status":200}"#.to_owned(),
                r#"{"RequestPath":"/a","status":200}"#.to_owned(),
                r#"{"cs-uri-stem":"/a","cs-uri-query":"b","sc-status":200}"#.to_owned(),
                r#"{"x-edge-location":"FRA2","cs-uri-stem":"/a","cs-uri-query":"b"}"#.to_owned(),
                r#"{"target":"access","uri":"/a","status":200}"#.to_owned(),
                r#"{"request":{"uri":"/a","query":{"b":"1"}},"status":200}"#.to_owned(),
                r#"{"request":{"uri":"/a?b=1","query":{"b":"1"}},"status":200}"#.to_owned(),
                r#"{"url":"https://h/a","status":200}"#.to_owned(),
                // Azure.
                r#"{"properties":{"requestUri":"https://h/a","httpStatusCode":"200","responseBytes":"7"}}"#.to_owned(),
                r#"{"properties":{"requestUri":"/a","requestQuery":"b","httpStatus":200}}"#.to_owned(),
                r#"{"properties":{"originalRequestUriWithArgs":"/a?b","requestUri":"/c","requestQuery":"d","sentBytes":7}}"#
                    .to_owned(),
                // Kong, ECS and `$bytes_sent` of nginx: the first size is that of the request.
                r#"{"request":{"uri":"/a","size":"7"},"response":{"status":200,"size":"8"}}"#.to_owned(),
                r#"{"request":{"uri":"/a","size":"7"},"response":{"status":200}}"#.to_owned(),
                r#"{"request_uri":"/a","req":{"size":7},"source":{"bytes":7},"client":{"bytes":7}}"#.to_owned(),
                r#"{"request_uri":"/a","http":{"request":{"bytes":7},"response":{"bytes":8}}}"#.to_owned(),
                r#"{"request_uri":"/a","bytes_sent":8}"#.to_owned(),
                // Envoy.
                r#"{"request_uri":"/a","bytes_sent":8,"bytes_received":0}"#.to_owned(),
                r#"{"request_uri":"/a","bytes_sent":8,"body_bytes_sent":7}"#.to_owned(),
            ],
            &[
                (Some(0), false, false),
                (Some(8), false, true),
                (None, false, true),
                (None, false, false),
                (None, false, true),
                (None, false, true),
                (None, false, true),
                (None, false, true),
                (None, false, false),
                (None, false, true),
                (None, false, true),
                (None, false, false),
                (None, false, true),
                (Some(7), true, false),
                (None, false, true),
                (Some(7), true, false),
                (Some(8), true, false),
                (None, false, false),
                (None, false, false),
                (Some(8), true, false),
                (Some(8), true, false),
                (Some(8), false, false),
                (Some(7), false, false),
            ],
        ),
        (
            None,
            vec!["#Fields: cs-uri-stem sc-status sc-bytes\n/a 200 9".to_owned()],
            &[(Some(9), true, true)],
        ),
        (
            Some(custom),
            vec!["\"/a\" 200 200 7".to_owned(), "\"/a\" 200 502, 200 7".to_owned()],
            &[(Some(7), false, true), (None, false, true)],
        ),
    ] {
        let format = format.map(|it| LogFormat::custom(it).expect("a format"));
        let options = LogOptions { format, zone: None };
        let mut found = Vec::new();
        let log = log.join("\n");
        let read = read_log(log.as_bytes(), &options, |request| {
            let counts_headers = request.body_bytes.is_some() && request.header_bytes > 0;
            found.push((request.body_bytes, counts_headers, request.is_target_unclear));
        });
        assert_eq!(read.map(|totals| totals.first_skipped), Ok(None), "{log}");
        assert_eq!(found, expected, "{log}");
    }
}
