//! Hostile requests as bytes, with the permitted statuses.

use std::net::SocketAddr;

use super::{JSON, Raw};
use crate::client::request;

/// Bodies of `POST /v1/check`.
pub(super) fn bodies(at: SocketAddr) -> Vec<Raw> {
    let url = "http://shop.example/";
    let deep = format!("{{\"agent\":{}", "[".repeat(100_000));
    let rows: Vec<(u16, Vec<u8>, &[u16])> = vec![
        (1, b"".to_vec(), &[400]),
        (2, b"hello".to_vec(), &[400]),
        (3, b"null".to_vec(), &[400]),
        (4, b"[{}]".to_vec(), &[400]),
        (5, format!(r#"{{"agent":"x","url":"{url}","wait_ms":1e999}}"#).into(), &[400]),
        (6, deep.into_bytes(), &[400]),
        (8, format!(r#"{{"agent":"x","agent":"y","url":"{url}"}}"#).into(), &[400]),
        (9, format!(r#"{{"agent":"x","url":"{url}","admin":true}}"#).into(), &[400]),
        (10, br#"{"agent":"\ud800","url":"http://shop.example/"}"#.to_vec(), &[400]),
        (11, br#"{"agent":"a\u0000b","url":"http://shop.example/"}"#.to_vec(), &[422]),
        (
            12,
            [b"\xef\xbb\xbf", &br#"{"agent":"x","url":"http://shop.example/"}"#[..]].concat(),
            &[400],
        ),
        (13, format!(r#"{{"agent":"x","url":"{url}"}} trailing"#).into(), &[400]),
        (14, "{\"agent\":\"x\"}".encode_utf16().flat_map(u16::to_le_bytes).collect(), &[400]),
        (61, br#"{"agent":"x"}"#.to_vec(), &[422]),
        (62, br#"{"agent":"x","url":""}"#.to_vec(), &[422]),
        (63, br#"{"agent":"x","url":"/cart"}"#.to_vec(), &[422]),
        (64, format!(r#"{{"agent":"x","url":"{url}{}"}}"#, "a".repeat(1_000_000)).into(), &[422]),
        (65, br#"{"agent":"x","url":"file:///etc/passwd"}"#.to_vec(), &[422]),
        (66, br#"{"agent":"x","url":"ftp://shop.example/"}"#.to_vec(), &[422]),
        (67, br#"{"agent":"x","url":"gopher://shop.example/"}"#.to_vec(), &[422]),
        (84, br#"{"agent":"x","url":"http://user:secret@shop.example/"}"#.to_vec(), &[422]),
        (85, br#"{"agent":"x","url":"http://shop.example/\r\nX: y"}"#.to_vec(), &[422]),
        (86, br#"{"url":"http://shop.example/"}"#.to_vec(), &[422]),
        (87, format!(r#"{{"agent":"{}","url":"{url}"}}"#, "a".repeat(10_240)).into(), &[422]),
        (88, br#"{"agent":"x\r\ny","url":"http://shop.example/"}"#.to_vec(), &[422]),
        (89, br#"{"agent":"*","url":"http://shop.example/"}"#.to_vec(), &[200]),
        (
            90,
            format!(r#"{{"agents":[{}],"url":"{url}"}}"#, vec!["\"a\""; 10_000].join(",")).into(),
            &[422],
        ),
        (
            91,
            format!(r#"{{"agent":"x","urls":[{}]}}"#, vec!["\"x\""; 1_000_000].join(",")).into(),
            &[413],
        ),
        (
            92,
            {
                let urls: Vec<_> =
                    (0..10_000).map(|at| format!("\"http://{at}.example/\"")).collect();
                format!(r#"{{"agent":"x","urls":[{}]}}"#, urls.join(",")).into()
            },
            &[422],
        ),
        (94, br#"{"agent":"x","urls":["http://shop.example/","bad"]}"#.to_vec(), &[422]),
        (98, format!(r#"{{"agent":"x","url":"{url}","max_bytes":1e12}}"#).into(), &[400]),
        (99, format!(r#"{{"agent":"x","url":"{url}","wait_ms":0}}"#).into(), &[200]),
        (100, format!(r#"{{"agent":"x","url":"{url}","wait_ms":1000000000}}"#).into(), &[422]),
        (101, format!(r#"{{"agent":"x","url":"{url}","wait_ms":-1}}"#).into(), &[400]),
        (102, format!(r#"{{"agent":"x","url":"{url}","wait_ms":NaN}}"#).into(), &[400]),
        (103, format!(r#"{{"agent":"x","url":"{url}","access_profile":"none"}}"#).into(), &[400]),
    ];
    let raw = |(id, body, statuses): (u16, Vec<u8>, _)| Raw {
        id,
        bytes: request(at, "POST", "/v1/check", JSON, &body),
        statuses,
    };
    rows.into_iter().map(raw).collect()
}

/// Heads and framings.
pub(super) fn heads(at: SocketAddr) -> Vec<Raw> {
    let check = "/v1/check?agent=x&url=http://shop.example/";
    let body = r#"{"agent":"x","url":"http://shop.example/"}"#;
    let with = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        request(at, method, path, headers, body.as_bytes())
    };
    let large = "a".repeat(1_000_000);
    let head = |lines: &str| {
        format!("GET {check} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n{lines}\r\n")
            .into_bytes()
    };
    let post = |lines: &str, body: &str| {
        format!("POST /v1/check HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/json\r\n{lines}\r\n{body}").into_bytes()
    };
    let many: String = (0..100_000).map(|at| format!("X-{at}: y\r\n")).collect();
    let parameters: String = (0..100_000).map(|at| format!("&p{at}=1")).collect();
    let rows: Vec<(u16, Vec<u8>, &'static [u16])> = vec![
        (7, post("Content-Length: 100000000\r\n", &format!("\"{large}")), &[413]),
        (
            15,
            with(
                "POST",
                "/v1/check",
                &[("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
                "\x1f\u{8b}",
            ),
            &[415],
        ),
        (16, with("POST", "/v1/check", &[], body), &[415]),
        (17, with("POST", "/v1/check", &[("Content-Type", "text/xml")], body), &[415]),
        (18, post("Content-Length: 10000000000\r\n", "{"), &[413]),
        (19, post("Transfer-Encoding: chunked\r\n", "1\r\n{\r\n"), &[408]),
        (22, head(&many), &[0, 400, 431]),
        (23, head(&format!("X: {large}\r\n")), &[0, 400, 431]),
        (
            24,
            format!("GET /{large} HTTP/1.1\r\nHost: {at}\r\n\r\n").into_bytes(),
            &[0, 400, 414, 431],
        ),
        (25, with("BREW", check, &[], ""), &[405]),
        (
            26,
            format!("CONNECT shop.example:443 HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n")
                .into_bytes(),
            &[400, 404, 405, 421],
        ),
        (27, with("TRACE", check, &[], ""), &[405]),
        (
            28,
            with(
                "OPTIONS",
                "/v1/check",
                &[("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")],
                "",
            ),
            &[403],
        ),
        (29, with("HEAD", check, &[], ""), &[200]),
        (30, with("PUT", "/v1/check", JSON, body), &[405]),
        (31, format!("GET {check} HTTP/1.0\r\n\r\n").into_bytes(), &[400]),
        (32, head("Host: evil.example\r\n"), &[400]),
        (
            33,
            format!("GET {check} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
                .into_bytes(),
            &[421],
        ),
        (
            34,
            format!("GET {check} HTTP/1.1\r\nHost: 127.0.0.1:99999\r\nConnection: close\r\n\r\n")
                .into_bytes(),
            &[400, 421],
        ),
        (
            35,
            format!(
                "GET http://evil.example{check} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n"
            )
            .into_bytes(),
            &[400, 421],
        ),
        (
            36,
            format!("OPTIONS * HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n").into_bytes(),
            &[400, 404, 405],
        ),
        (38, post("Content-Length: 10\r\nExpect: 100-continue\r\n", ""), &[408]),
        (39, head("Upgrade: websocket\r\nConnection: upgrade\r\n"), &[200]),
        (40, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec(), &[0, 400]),
        (
            41,
            [
                &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
                &b"\0\0\x04\x03\0\0\0\0\x01\0\0\0\x08".repeat(10_000),
            ]
            .concat(),
            &[0, 400],
        ),
        (
            42,
            [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &b"\0\0\0\x09\0\0\0\0\x01".repeat(10_000)]
                .concat(),
            &[0, 400],
        ),
        (43, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(), &[0, 400]),
        (47, head("Range: bytes=0-0\r\n"), &[200]),
        (48, head(&format!("If-None-Match: \"{large}\"\r\n")), &[0, 400, 431]),
        (49, post("Content-Length: 42\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), &[0, 400]),
        (50, post("Transfer-Encoding: xchunked\r\n", body), &[0, 400]),
        (53, with("GET", "/%2e%2e/%2e%2e/etc/passwd", &[], ""), &[404]),
        (54, with("GET", "/v1/origins/http%253A%252F%252Fshop.example", &[], ""), &[422]),
        (55, with("GET", "/v1/crawlers%00", &[], ""), &[404]),
        (56, with("GET", "/v1\\check", &[], ""), &[0, 400, 404]),
        (57, with("GET", "//shop.example/v1/check", &[], ""), &[400, 404, 421]),
        (58, with("GET", &format!("{check}{parameters}"), &[], ""), &[0, 400, 414, 422, 431]),
        (59, with("GET", &format!("{check}&agent=y"), &[], ""), &[422]),
        (60, with("GET", &format!("{check}&url=http://other.example/"), &[], ""), &[422]),
        (104, with("GET", &format!("{check}&format=%3Cscript%3E"), &[], ""), &[422]),
        (105, with("GET", &format!("{check}&callback=alert(1)"), &[], ""), &[422]),
        (106, with("GET", &format!("{check}&fields=../../"), &[], ""), &[422]),
        (107, with("GET", "/v1/crawlers?page=-1", &[], ""), &[422]),
        (108, with("GET", "/v1/crawlers?page=1000000000", &[], ""), &[422]),
        (109, with("DELETE", "/v1/turns/1'%20OR%20'1'='1", &[], ""), &[404]),
        (110, head("If-Match: \"forged\"\r\n"), &[200]),
        (111, head("Idempotency-Key: same\r\n"), &[200]),
        (111, head("Idempotency-Key: same\r\n"), &[200]),
        (124, with("GET", check, &[("Origin", "https://evil.example")], ""), &[403]),
        (
            125,
            format!("GET {check} HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n")
                .into_bytes(),
            &[421],
        ),
        (
            126,
            with(
                "OPTIONS",
                "/v1/check",
                &[("Origin", "null"), ("Access-Control-Request-Method", "PUT")],
                "",
            ),
            &[403],
        ),
        // A form of another page sends cookies and one of three simple media types.
        (
            127,
            with("POST", "/v1/check", &[("Content-Type", "text/plain"), ("Cookie", "a=b")], body),
            &[415],
        ),
        (129, head(&format!("X-Request-Id: {large}\r\n")), &[0, 400, 431]),
        (130, head("traceparent: 00-zz-\u{1}-x\r\n"), &[200, 400]),
        (131, head(&format!("Accept-Language: {large}\r\n")), &[0, 400, 431]),
    ];
    rows.into_iter().map(|(id, bytes, statuses)| Raw { id, bytes, statuses }).collect()
}

/// Destinations, which are refused by their text.
pub(super) fn destinations(at: SocketAddr) -> Vec<Raw> {
    let own = format!("http://{at}/");
    let rows: &[(u16, &str)] = &[
        (68, "http://127.0.0.1/"),
        (69, "http://[::1]/"),
        (70, "http://0/"),
        (71, "http://localhost/"),
        (72, "http://169.254.169.254/"),
        (73, "http://[::ffff:a9fe:a9fe]/"),
        (74, "http://[64:ff9b::7f00:1]/"),
        (79, "http://shop.example:22/"),
        (80, "http://shop.example:25/"),
        (81, "http://shop.example:6379/"),
        (82, &own),
    ];
    let raw = |&(id, url): &(u16, &str)| {
        let path = format!("/v1/check?agent=x&url={}", crate::client::escaped(url));
        Raw { id, bytes: request(at, "GET", &path, &[], b""), statuses: &[403] }
    };
    rows.iter().map(raw).collect()
}

/// Files in requests.
pub(super) fn files(at: SocketAddr) -> Vec<Raw> {
    let large = "a".repeat(10_000_000);
    let rows: Vec<(u16, String, &'static [u16])> = vec![
        (95, format!(r#"{{"robots":"{large}"}}"#), &[413]),
        (96, r#"{"robots_b64":"VXNlci1hZ2VudDog/w==","lint":true}"#.to_owned(), &[200]),
        (97, r#"{"robots_b64":"%%%"}"#.to_owned(), &[422]),
    ];
    let raw = |(id, body, statuses): (u16, String, _)| Raw {
        id,
        bytes: request(at, "POST", "/v1/evaluate", JSON, body.as_bytes()),
        statuses,
    };
    rows.into_iter().map(raw).collect()
}
