//! Access logs.

use std::io::Read;

use verger::Untrusted;

use super::format::LogFormat;
use super::json::{self, JsonLine};
use super::request::Request;
use crate::limits::{FORMAT_LINES, QUOTED_BYTES};
use crate::lines::{at_line, each_line};

/// The lines of an access log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogTotals {
    /// The name of the format; `None` for an empty log.
    pub format: Option<&'static str>,
    /// Lines with a request.
    pub requests: u64,
    /// Lines that are not in the format, and requests without a target, such as `OPTIONS *`.
    pub skipped: u64,
    /// The first of the skipped lines, counted from 1.
    pub first_skipped: Option<u64>,
    /// Whether bytes after the compressed data were ignored.
    pub has_trailing_bytes: bool,
}

/// Passes each request of an access log to a function.
///
/// The first line with a request decides the format. Later lines in other formats are counted, not
/// read.
///
/// # Errors
///
/// A line is too long, the reader fails, or the log is not empty and none of its first 10,000 lines
/// has a request in one of the formats.
pub fn read_log(reader: impl Read, mut each: impl FnMut(Request<'_>)) -> Result<LogTotals, String> {
    let mut totals = LogTotals::default();
    let mut decided: Option<LogFormat> = None;
    let mut first: Option<String> = None;
    let unknown = |number, line: &[u8]| {
        let (names, found) =
            (LogFormat::names(), Untrusted::new(line).limited_to(QUOTED_BYTES).quoted());
        let message =
            format!("expected an access log in a known format ({names}), but found {found}");
        at_line(number, message)
    };
    totals.has_trailing_bytes = each_line(reader, |number, line| {
        let is_w3c = decided.as_ref().is_none_or(|format| format.has_directives);
        if is_w3c && let [b'#', b'A'..=b'Z', ..] = line {
            if let Some(names) = line.strip_prefix(b"#Fields:") {
                decided = Some(LogFormat::of_columns(names).ok_or_else(|| unknown(number, line))?);
            }
            return Ok(());
        }
        let mut text = line;
        let mut json = json::read(text);
        let wrapped;
        if let Some(JsonLine::Wrapped(inner)) = json {
            wrapped = inner;
            text = wrapped.trim_ascii();
            json = json::read(text);
        }
        let found = match (json, &decided) {
            (Some(JsonLine::Request(request)), None) => Some((Some(LogFormat::JSON), request)),
            (Some(JsonLine::Request(request)), Some(format)) => {
                (*format == LogFormat::JSON).then_some((None, request))
            }
            (_, Some(format)) => format.request(text).map(|request| (None, request)),
            (_, None) => LogFormat::detect(text).map(|(format, request)| (Some(format), request)),
        };
        if let Some((format, request)) = found.filter(|(_, request)| is_target(&request.target)) {
            totals.requests += 1;
            each(request);
            decided = format.or(decided.take());
            return Ok(());
        }
        totals.skipped += 1;
        totals.first_skipped.get_or_insert(number);
        if decided.is_none() {
            let error = first.get_or_insert_with(|| unknown(number, line));
            if totals.skipped >= FORMAT_LINES {
                return Err(error.clone());
            }
        }
        Ok(())
    })?;
    totals.format = decided.map(|format| format.name);
    match first.filter(|_| totals.requests == 0) {
        Some(error) => Err(error),
        None => Ok(totals),
    }
}

/// Whether a text is a path or a URL: not `*` of `OPTIONS`, and not the host of `CONNECT`.
fn is_target(text: &[u8]) -> bool {
    text.starts_with(b"/") || text.windows(3).any(|three| three == b"://")
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "h - - [x]";

    /// Targets and User-Agent headers.
    type Found = Vec<(String, Option<String>)>;

    fn requests(log: &[u8]) -> (Found, Result<LogTotals, String>) {
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        let mut found = Vec::new();
        let totals = read_log(log, |it| {
            found.push((text(&it.target), it.user_agent.as_deref().map(text)));
        });
        (found, totals)
    }

    #[track_caller]
    fn check(log: &str, format: &str, expected: &[(&str, &str)]) {
        let (found, totals) = requests(log.as_bytes());
        let found: Vec<_> =
            found.iter().map(|(a, b)| (&**a, b.as_deref().unwrap_or_default())).collect();
        assert_eq!(found, expected, "{log}");
        assert_eq!(totals.expect("a log").format, Some(format), "{log}");
    }

    #[test]
    fn escapes_of_servers_are_read() {
        let line = r#"h - - [x] "GET /\"a\x22\\b\t\x\xzz\xC3 HTTP/1.1" 200 1 "\"" "\x1b[2J""#;
        check(line, "combined", &[(r#"/\"a\"\\b\t\\x\\xzz\xc3"#, r"\x1b[2J")]);
    }

    #[test]
    fn other_lines_are_counted() {
        let log = "# comment\nh - - [x] \"OPTIONS * HTTP/1.1\" 200 1\nh - - [x] \"CONNECT h:443 HTTP/1.1\" 400 1\n\
                   h - - [x] \"\\x16\\x03\" 400 1\nh - - [x] \"-\" 408 0\nh - - [x] \"GET http://h/a HTTP/1.1\" 200 1\n\
                   \"\\\n{\n{\"a\": 1}\nh - - [x] \"GET  HTTP/1.1\" 200\n";
        let (found, totals) = requests(log.as_bytes());
        assert_eq!(found, [("http://h/a".to_owned(), None)]);
        let totals = totals.expect("a log");
        assert_eq!((totals.requests, totals.skipped, totals.first_skipped), (1, 9, Some(1)));
        assert_eq!(requests(b"\n").1, Ok(LogTotals::default()));
    }

    #[test]
    fn a_log_has_one_format() {
        let common = format!("{START} \"GET /a HTTP/1.1\" 200 1\n");
        let combined = format!("{START} \"GET /b HTTP/1.1\" 200 1 \"-\" \"x\"\n");
        let json = "{\"uri\": \"/c\"}\n#Fields: x-edge-location cs-uri-stem\nFRA2 /d\n";
        let (found, totals) = requests([&common, &combined, json].concat().as_bytes());
        assert_eq!(found, [("/a".to_owned(), None)]);
        let totals = totals.expect("a log");
        assert_eq!((totals.format, totals.skipped), (Some("common"), 4));
        assert_eq!(totals.first_skipped, Some(2));
        check(&[json, &common].concat(), "JSON", &[("/c", "")]);
    }

    #[test]
    fn an_unknown_format_is_refused_with_its_first_line() {
        let start = "expected an access log in a known format (combined, common, AWS load balancer, CloudFront or JSON), but found ";
        for (log, found) in [
            ("\nx\ny\n", "`x` (line 2)"),
            (
                "#Software: Microsoft Internet Information Services 10.0\n#Fields: date cs-uri-stem\n1 /a\n",
                "`#Fields: date cs-uri-stem` (line 2)",
            ),
            ("a`b", "``a`b`` (line 1)"),
            ("h [t] 'GET /a HTTP/1.1' 200", "`h [t] 'GET /a HTTP/1.1' 200` (line 1)"),
        ] {
            let error = requests(log.as_bytes()).1.expect_err("no log");
            assert_eq!(error, format!("{start}{found}"));
        }
        let late = "x\n".repeat(10_000) + &format!("{START} \"GET /a HTTP/1.1\" 200 1\n");
        assert!(requests(late.as_bytes()).1.is_err_and(|error| error.ends_with(" (line 1)")));
        assert_eq!(requests(&late.as_bytes()[2..]).1.map(|totals| totals.requests), Ok(1));
    }

    #[test]
    fn lines_inside_json_are_read() {
        let docker = r#"{"log":"192.0.2.7 - - [t] \"GET /cart HTTP/1.1\" 200 117 \"-\" \"AhrefsBot/7.0\"\n","stream":"stdout","time":"t"}
{"log":"\u001b[0;33mnginx.1 | \u001b[0mh - - [t] \"GET /a?x=1\u0026y=2 HTTP/2.0\" 200 844 \"-\" \"curl/8.0\"\n","stream":"stdout"}
{"log":"started\n","stream":"stderr"}
"#;
        check(docker, "combined", &[("/cart", "AhrefsBot/7.0"), ("/a?x=1&y=2", "curl/8.0")]);
        let of_nginx = r#"{"message": "{\"uri\": \"/\\x22\", \"user_agent\": \"GPTBot\"}"}"#;
        check(of_nginx, "JSON", &[(r#"/\""#, "GPTBot")]);
        // Once, and not if the object is a request.
        let (_, twice) = requests(br#"{"log": "{\"log\": \"h - - [t] \\\"GET /a\\\" 200 1\"}"}"#);
        assert!(twice.is_err());
        check(r#"{"uri": "/a", "message": "h - - [t] \"GET /b\" 200 1"}"#, "JSON", &[("/a", "")]);
    }

    #[test]
    fn a_log_of_cloudfront_can_have_several_headers() {
        let log = "#Version: 1.0\n#Fields: x-edge-location cs-uri-stem cs(User-Agent)\nFRA2\t/a\tGPTBot/1%20x\n\
                   #Version: 1.0\n#Fields: x-edge-location cs(User-Agent) cs-uri-stem\nFRA2\tx\t/b\n";
        check(log, "CloudFront", &[("/a", "GPTBot/1 x"), ("/b", "x")]);
        assert_eq!(requests(log.as_bytes()).1.map(|totals| totals.skipped), Ok(0));
    }

    #[test]
    fn bytes_after_a_compressed_log_are_reported() {
        let line = format!("{START} \"GET /a HTTP/1.1\" 200 1\n");
        let log = [&crate::gzip::compressed(line.as_bytes()), line.as_bytes()].concat();
        let totals = requests(&log).1.expect("a log");
        assert_eq!((totals.requests, totals.has_trailing_bytes), (1, true));
    }

    #[test]
    fn damaged_lines_are_read_or_skipped() {
        for line in [
            r#"h - - [t] "GET /a%2\x22 HTTP/1.1" 200 1 "-" "x""#,
            r#"h2 2026-03-01T22:23:00Z e c t 1 1 1 200 200 1 1 "GET /a HTTP/2.0" "x" - -"#,
            r#"{"log": "{\"uri\": \"/\\x22\", \"user_agent\": \"%2520\"}"}"#,
            "#Fields: x-edge-location cs-uri-stem cs-uri-query cs(User-Agent) sc-status\nA\t/a%25\tq\tx%20y\t200",
        ] {
            for at in 0..line.len() {
                let _ = requests(&line.as_bytes()[..at]);
                for byte in *b"\"[]\\ %#\n\xff" {
                    let mut damaged = line.as_bytes().to_vec();
                    damaged[at] = byte;
                    let _ = requests(&damaged);
                }
            }
        }
    }
}
