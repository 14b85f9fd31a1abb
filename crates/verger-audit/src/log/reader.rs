//! Access logs.

use std::borrow::Cow;
use std::io::Read;

use memchr::{memchr, memmem};
use verger::Untrusted;
use verger::access::Timestamp;

use super::columns::Columns;
use super::damage::{Head, is_glued, is_of_error_log};
use super::fields::{Field, Parts};
use super::format::{Kind, LogFormat, LogOptions};
use super::json;
use super::request::{ROBOTS_TXT, Request, absolute};
use super::rows::{Memory, ROWS};
use super::totals::LogTotals;
use crate::limits::{BODYLESS_SHARE, FIRST_BYTES, FORMAT_LINES, HEADER_FIELDS_BYTES, QUOTED_BYTES};
use crate::lines::{Lines, at_line, could_not_read};

/// Passes each request of an access log to a function.
///
/// Without a format, the first line with a request decides. Later lines in other formats are
/// counted, not read.
///
/// # Errors
///
/// The reader fails, or the log is not empty and none of its first 10,000 lines has a request in
/// the format, or in one of the known formats. Requests before a failure have been passed.
pub fn read_log(
    reader: impl Read,
    options: &LogOptions,
    mut each: impl FnMut(Request<'_>),
) -> Result<LogTotals, String> {
    let mut lines = Lines::new(reader).map_err(|error| could_not_read(&error))?;
    let mut log = LogLines::new(options.clone());
    let mut totals = LogTotals::default();
    let mut usual: Option<Head> = None;
    let (mut has_peers, mut has_times) = (false, false);
    while lines.advance().map_err(|error| could_not_read(&error))? {
        if lines.is_too_long() {
            totals.too_long += 1;
            totals.ends_with_loss = true;
            continue;
        }
        let (number, line) = (lines.number(), lines.text());
        // After a crash, or if a log was made empty while its server wrote (`copytruncate`).
        let nuls = line.iter().take_while(|byte| **byte == 0).count();
        totals.ends_with_loss |= nuls > 0;
        let line = &line[nuls..];
        let has_nul = memchr(0, line).is_some();
        if log.is_directive(line) {
            continue;
        }
        let is_read = !has_nul
            && log.read(line, &mut |request| {
                let (has_peer, has_time) = (request.peer.is_some(), request.written().is_some());
                let is_unclear = has_peers && !has_peer || has_times && !has_time;
                (has_peers, has_times) = (has_peers || has_peer, has_times || has_time);
                totals.has_local_times |= request.is_local;
                usual.get_or_insert_with(|| Head::of(line));
                let is_after_loss =
                    std::mem::take(&mut totals.ends_with_loss) || is_unclear && is_glued(line);
                each(Request { line: number, raw: line, is_after_loss, ..request });
            });
        if is_read {
            totals.requests += 1;
            continue;
        }
        let quoted = || Untrusted::new(line).limited_to(QUOTED_BYTES).quoted().to_string();
        totals.skipped += 1;
        let is_damaged = || {
            !lines.is_ended()
                || memmem::find(line, ROBOTS_TXT).is_some()
                // The first line of a log can be the rest of one.
                || usual.map_or(number == 1, |usual| usual.is_cut(line))
        };
        totals.ends_with_loss |=
            has_nul || !log.is_in_format && !is_of_error_log(line) && is_damaged();
        totals.first_skipped.get_or_insert_with(|| (number, quoted()));
        if totals.requests == 0 && totals.skipped >= FORMAT_LINES {
            break;
        }
    }
    if let Some((number, quoted)) = totals.first_skipped.as_ref().filter(|_| totals.requests == 0) {
        let rows = ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
        let expected = match log.options.format {
            Some(LogFormat(Kind::Custom(_))) => "a line in the given format".to_owned(),
            _ => format!("an access log in a known format ({rows}, W3C extended or JSON)"),
        };
        return Err(at_line(*number, format!("expected {expected}, but found {quoted}")));
    }
    totals.format = log.options.format.as_ref().map(LogFormat::name);
    totals.is_truncated = lines.is_truncated();
    totals.ends_with_loss |= totals.is_truncated;
    Ok(totals)
}

/// The time and the line of the first request of a log that has one, to read rotated files in order
/// and to find copies; `None` without one at its beginning.
pub fn first_request(reader: impl Read, options: &LogOptions) -> Option<(Timestamp, Vec<u8>)> {
    let mut first = None;
    let found = read_log(reader.take(FIRST_BYTES), options, |request| {
        first = first.take().or_else(|| Some((request.written()?, request.raw.to_vec())));
    });
    found.ok().and(first)
}

/// Reads the requests of single lines of a log, in order: the first one decides its format.
#[derive(Debug, Default)]
pub struct LogLines {
    options: LogOptions,
    memory: Memory,
    /// The number of words before an object in JSON, and whether its lines are texts in such
    /// objects, as Docker and collectors write them. Of others, clients choose such texts.
    wrapper: Option<(usize, bool)>,
    /// Whether the last line is in the format, although it may have no request for a target, or
    /// certainly no fetch of robots.txt.
    is_in_format: bool,
    /// Whether a field has named a host, so that an empty one is unknown. Clients choose those of
    /// absolute targets.
    has_hosts: bool,
    /// The lines of responses without a body, by their weight: with a number of bytes, and with
    /// none.
    without_body: [u64; 2],
}

impl LogLines {
    /// Lines that are read in this way.
    pub fn new(options: LogOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Reads a directive of the W3C extended format, which names the columns of the lines below.
    /// Returns whether the line is one, except of columns without a target.
    pub fn is_directive(&mut self, line: &[u8]) -> bool {
        let is_w3c =
            self.options.format.as_ref().is_none_or(|format| matches!(format.0, Kind::Columns(_)));
        if !is_w3c || !matches!(line, [b'#', b'A'..=b'Z', ..]) {
            return false;
        }
        if let Some(names) = line.strip_prefix(b"#Fields:") {
            self.options.format = Some(LogFormat(Kind::Columns(Columns::of(names))));
        }
        let Some(LogFormat(Kind::Columns(columns))) = &self.options.format else { return true };
        columns.has_target()
    }

    /// Passes the request of a line. Returns whether there is one.
    pub fn read(&mut self, line: &[u8], each: &mut dyn FnMut(Request<'_>)) -> bool {
        // Lines of a given format can be objects that look like wrapped lines.
        let is_object = matches!(&self.options.format, Some(LogFormat(Kind::Custom(template)))
            if template.start.starts_with(b"{"));
        if is_object && self.read_text(line, false, &mut Parts::default(), each) {
            return true;
        }
        let (mut buffer, mut of_inner) = (String::new(), String::new());
        let (words, object) = json::after_head(line);
        let mut parts = Parts::default();
        let (is_request, inner) = json::read(object, &mut buffer, &mut parts);
        let is_json = is_request || inner.is_some();
        let wrapper = (if is_json { words } else { 0 }, inner.is_some());
        self.is_in_format = false;
        let is_read = self.wrapper.is_none_or(|it| it == wrapper)
            && match &inner {
                Some(inner) => {
                    let (inner, mut parts) = (inner.trim_ascii(), Parts::default());
                    let (is_request, _) = json::read(inner, &mut of_inner, &mut parts);
                    self.read_text(inner, is_request, &mut parts, each)
                }
                None => self.read_text(line, is_request, &mut parts, each),
            };
        if is_read {
            self.wrapper = Some(wrapper);
        }
        is_read
    }

    /// `is_json`: the parts have been read from an object.
    fn read_text<'l>(
        &mut self,
        text: &'l [u8],
        is_json: bool,
        parts: &mut Parts<'l>,
        each: &mut dyn FnMut(Request<'_>),
    ) -> bool {
        let memory = &mut self.memory;
        let found = match &self.options.format {
            None if is_json => Some(Some(LogFormat(Kind::Json))),
            None => {
                let row = ROWS.iter().find(|row| row.read(text, parts, memory).is_some());
                row.map(|row| Some(LogFormat(Kind::Row(row))))
            }
            Some(format) => format.read(text, is_json, parts, memory).map(|()| None),
        };
        self.is_in_format = found.is_some();
        let Some(format) = found else { return false };
        let is_unclear = parts.has_two[Field::Agent as usize];
        let has_empty = |field| parts.has(field) && parts.value(field).is_none();
        let has_empty_host = [Field::Host, Field::AnyHost].into_iter().any(has_empty);
        let Some(mut request) = parts.request() else { return false };
        if is_unclear {
            self.is_in_format = !request.is_for_robots_txt();
            return false;
        }
        self.memory.seen.is_in_format = true;
        if let Some(zone) = self.options.zone.filter(|_| request.is_local) {
            request.at = request.at.map(|at| zone.to_utc(at));
            request.end = request.end.map(|end| zone.to_utc(end));
            request.is_local = false;
        }
        if has_empty_host && request.host.is_none() && self.has_hosts {
            request.host = Some(Cow::default());
        }
        self.has_hosts |= request.host.is_some() && absolute(&request.target).is_none();
        // Some servers count header fields: responses without a body show that, as long as no
        // others deny it.
        let weight = match &*request.method {
            _ if request.status == Some(304) => BODYLESS_SHARE,
            b"HEAD" => 1,
            _ => 0,
        };
        if let Some(bytes) = request.body_bytes {
            self.without_body[usize::from(bytes == 0)] += weight;
        }
        let [with_bytes, without] = self.without_body;
        if with_bytes > BODYLESS_SHARE * without {
            request.header_bytes = HEADER_FIELDS_BYTES;
        }
        each(request);
        self.options.format = format.or(self.options.format.take());
        true
    }
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
        let totals = read_log(log, &LogOptions::default(), |it| {
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
        assert_eq!(
            (totals.requests, totals.skipped, totals.first_skipped.map(|it| it.0)),
            (1, 9, Some(1))
        );
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
        assert_eq!(totals.first_skipped.map(|it| it.0), Some(2));
        check(&[json, &common].concat(), "JSON", &[("/c", "")]);
    }

    #[test]
    fn an_unknown_format_is_refused_with_its_first_line() {
        let start = "expected an access log in a known format (combined, common, AWS load balancer, HAProxy, Envoy, Istio, W3C extended or JSON), but found ";
        for (log, found) in [
            ("\nx\ny\n", "`x` (line 2)"),
            (
                "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time\n1 /a\n",
                "`#Fields: date time` (line 2)",
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
        for log in [of_nginx, &of_nginx.replace("message", "MESSAGE")] {
            check(log, "JSON", &[(r#"/\""#, "GPTBot")]);
        }
        let of_ecs = r#"{"event":{"original":"h - - [t] \"GET /a\" 200 1"},"http":{"request":{"method":"GET"}}}"#;
        check(of_ecs, "common", &[("/a", "")]);
        // Kubernetes and syslog; a program that writes an object of a client has other words before
        // it.
        let object = r#"{"uri": "/a", "user_agent": "GPTBot"}"#;
        for head in ["2026-09-01T12:00:00Z stdout F", "<190>Sep  1 22:14:15 web nginx:"] {
            let log = format!("{head} {object}\n{object}\n{head} got {object}\n{head} {object}");
            check(&log, "JSON", &[("/a", "GPTBot"), ("/a", "GPTBot")]);
        }
        // Once, and not if the object is a request.
        let (_, twice) = requests(br#"{"log": "{\"log\": \"h - - [t] \\\"GET /a\\\" 200 1\"}"}"#);
        assert!(twice.is_err());
        check(r#"{"uri": "/a", "message": "h - - [t] \"GET /b\" 200 1"}"#, "JSON", &[("/a", "")]);
        // A message of a program in a log of other lines can be a text of a client.
        let forged = r#"{"uri": "/a"}
{"message": "{\"uri\": \"/b\"}"}
"#;
        check(forged, "JSON", &[("/a", "")]);
    }

    #[test]
    fn a_log_of_cloudfront_can_have_several_headers() {
        let log = "#Version: 1.0\n#Fields: x-edge-location cs-uri-stem cs(User-Agent)\nFRA2\t/a\tGPTBot/1%20x\n\
                   #Version: 1.0\n#Fields: x-edge-location cs(User-Agent) cs-uri-stem\nFRA2\tx\t/b\n";
        check(log, "CloudFront", &[("/a", "GPTBot/1 x"), ("/b", "x")]);
        assert_eq!(requests(log.as_bytes()).1.map(|totals| totals.skipped), Ok(0));
    }

    #[test]
    fn a_request_after_lost_lines_is_marked() {
        let line = |path| format!("{START} \"GET {path} HTTP/1.1\" 200 1\n");
        let (a, b) = (line("/a"), line("/b"));
        let long = "x".repeat(crate::limits::LINE_BYTES + 1) + "\n";
        let json = "{\"uri\": \"/robots.txt\"}\n";
        let gzip = |text: &str| crate::gzip::compressed(text.as_bytes());
        let cut = |mut data: Vec<u8>| {
            data.truncate(data.len() - 4);
            data
        };
        let combined = |request: &str, referer, agent| {
            let usual = format!("{START} \"GET /a HTTP/1.1\" 200 1 \"-\" \"x\"\n");
            let other = format!("{START} \"{request}\" 200 1 \"{referer}\" \"{agent}\"\n");
            [&*usual, &other, &usual, &usual].concat().into_bytes()
        };
        let cut_line = |text: &str| [&a[..], text, &b].concat().into_bytes();
        let dated_line = |user: &str| {
            format!(
                "198.51.100.7 - {user} [05/Sep/2026:01:00:00 +0000] \"GET /a HTTP/1.1\" 200 1\n"
            )
        };
        let usual = dated_line("-");
        let dated = |text: &str| [&*usual, text, &usual, &usual].concat().into_bytes();
        let users = |user: &str| [&*usual, &dated_line(user), &usual].concat().into_bytes();
        let proxied = |text: &str| {
            let line = "10.0.1.2:3 [01/Mar/2026:22:23:00.655] in s/s 1/0/3/6/5 200 2 - - ---- 1/1/1/1/0 0/0 \"GET / HTTP/1.1\"\n";
            [line, text, line].concat().into_bytes()
        };
        let columns = |text: &str| {
            let line = "2026-09-05 00:00:00 /a 200\n";
            let names = "#Fields: date time cs-uri-stem sc-status\n";
            [names, line, text, "\n", line].concat().into_bytes()
        };
        let objects = |text: &str| {
            ["{\"uri\": \"/a\"}\n", text, "\n{\"uri\": \"/b\"}\n"].concat().into_bytes()
        };
        for (log, marks, ends_with_loss) in [
            ([&a[..], &b].concat().into_bytes(), &[false, false][..], false),
            ([&a[..], "{\"uri\": \"/c\"}\n", &b].concat().into_bytes(), &[false, false], false),
            ([&a[..], json, &b, &a].concat().into_bytes(), &[false, true, false], false),
            (["x /robots.txt\n", &a].concat().into_bytes(), &[true], false),
            ([&a[..], &long, &b].concat().into_bytes(), &[false, true], false),
            ([&a[..], &long].concat().into_bytes(), &[false], true),
            ([&a[..], json].concat().into_bytes(), &[false], true),
            ([gzip(&a), gzip(&b)].concat(), &[false, false], false),
            // No fetch: a garbage request, another path beside a Referer like a product, a message.
            (combined("\\x16\\x03", "-", "/robots.txt"), &[false, false, false], false),
            (combined("get /robots.txt HTTP/1.1", "-", "-"), &[false, false, false], false),
            (combined("GET / HTTP/1.1", "foo/1/robots.txt", "x/1"), &[false, false, false], false),
            (
                [&a, "2026/09/01 12:05:00 [error] 29#29: *1 x, request: \"GET /a HTTP/1.1\", referrer: \"https://h/robots.txt\"\n", &b]
                    .concat()
                    .into_bytes(),
                &[false, false],
                false,
            ),
            (
                [&a, "[Tue Sep 01 12:05:00.1 2026] [core:info] [pid 1:tid 2] AH00128: not found: /robots.txt\n", &b]
                    .concat()
                    .into_bytes(),
                &[false, false],
                false,
            ),
            // A fetch, of which nobody knows the crawler, until a Referer shows the places.
            (combined("GET /robots.txt HTTP/1.1", "foo/1", "x/1"), &[false, true, false], false),
            (
                [combined("GET / HTTP/1.1", "https://h/", "x/1"), combined("GET /robots.txt HTTP/1.1", "foo/1", "x/1")]
                    .concat(),
                &[false; 8],
                false,
            ),
            // Lines that were cut, or of which others go on.
            (cut_line("192.0.2.1 - - [x] \"GET /robo\n"), &[false, true], false),
            (cut_line("192.0.2.1 - - [x] \"GET /robo192.0.2.1 - - [x] \"GET /a HTTP/1.1\" 200 1\n"), &[false, true], false),
            ([&a[..], "192.0.2.1 - - [x] \"GET /ro"].concat().into_bytes(), &[false], true),
            ([&a[..], "192.0.2.1 -"].concat().into_bytes(), &[false], true),
            ([&a[..], b.trim_end()].concat().into_bytes(), &[false, false], false),
            (["ts.txt HTTP/1.1\" 200 1\n", &a, &b].concat().into_bytes(), &[true, false], false),
            (["200 1 \"-\" \"x\"\n", &a, &b].concat().into_bytes(), &[true, false], false),
            (["h - - [x] \"\\x16\\x03\" 400 1\n", &a].concat().into_bytes(), &[true], false),
            (["starting\n", &a].concat().into_bytes(), &[true], false),
            (cut_line("a query: \"SELECT\n"), &[false, false], false),
            (cut_line("192.0.2.1 - -\n"), &[false, true], false),
            (cut_line("\n"), &[false, false], false),
            (cut_line("a message of another program\n"), &[false, false], false),
            (dated("192.0.2.1 - - [05/Sep/2026:\n"), &[false, true, false], false),
            (dated("192.0\n"), &[false, true, false], false),
            (dated("starting\n"), &[false, false, false], false),
            // Two lines in one: of the second one nobody knows the address or the time.
            (dated("192.0.2.1 - - [05/Sep/2026:"), &[false, true, false], false),
            (dated("192.0.2.1 -"), &[false, true, false], false),
            (dated("192.0.2."), &[false, true, false], false),
            (dated("2001:db8::1 - - [05/Sep/2026:01:00"), &[false, true, false], false),
            (dated("[2001:db8::1]:5000 -\n"), &[false, true, false], false),
            (dated("10.0.0.1, "), &[false, false, false], false),
            (proxied("10.0.0.9:4 [01/Mar/2026:22:23:01.655] in/1: SSL handshake failure\n"), &[false, false], false),
            (proxied("10.0.0.9:4 [01/Mar/2026:22\n"), &[false, true], false),
            (users("jo"), &[false, false, false], false),
            (users("jo doe"), &[false, false, false], false),
            (columns("2026-09-05 01:00:00 /b 200"), &[false, false, false], false),
            (columns("2026-09-05 01:00:"), &[false, true], false),
            (columns("2026-09-05 01:00:2026-09-05 01:00:00 /b 200"), &[false, true], false),
            (cut_line("\0\0\n"), &[false, true], false),
            ([&a[..], "\0\0", &b, &a].concat().into_bytes(), &[false, true, false], false),
            (cut_line("h - - [x] \"GET \0\0 HTTP/1.1\" 200 1\n"), &[false, true], false),
            ([&a[..], "\0\0"].concat().into_bytes(), &[false], true),
            (objects("{\"uri\": \"/rob"), &[false, true], false),
            (objects("{\"uri\": \"/robots"), &[false, true], false),
            (objects("{\"uri\": \"/robots.tx\", \"status\": 20{\"uri\": \"/a\"}"), &[false, true], false),
            (objects("{\"message\": \"/robots\"}"), &[false, false], false),
            ([&gzip(&a)[..], b.as_bytes()].concat(), &[false], true),
            ([gzip(&a), cut(gzip(&b))].concat(), &[false, false], true),
        ] {
            let mut found = Vec::new();
            let each = |it: Request<'_>| found.push(it.is_after_loss);
            let totals = read_log(&log[..], &LogOptions::default(), each).expect("a log");
            assert_eq!((&found[..], totals.ends_with_loss), (marks, ends_with_loss), "{totals:?}");
            assert_eq!(totals.is_truncated, ends_with_loss && log.starts_with(b"\x1f"));
        }
    }
}
