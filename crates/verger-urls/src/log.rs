//! Access logs.

use std::borrow::Cow;
use std::io::Read;

use crate::error::InputError;
use crate::json_log;
use crate::lines::each_line;

/// A request in an access log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request<'l> {
    /// The URL, or path and query, as the client sent it.
    pub target: Cow<'l, [u8]>,
    /// The value of the User-Agent header, if the format has it.
    pub user_agent: Option<Cow<'l, [u8]>>,
    /// The status code of the response, if known.
    pub status: Option<u16>,
}

/// The lines of an access log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogTotals {
    /// Lines with a request.
    pub requests: u64,
    /// Lines in none of the known formats, and requests without a target, such as `OPTIONS *`.
    pub skipped: u64,
    /// The first of the skipped lines, counted from 1.
    pub first_skipped: Option<u64>,
}

/// Passes each request of an access log to a function.
///
/// The format is recognised on each line: the common and combined formats of Apache and nginx, with
/// or without a virtual host in front, or an object of JSON. An object has the target under a usual
/// name (`request_uri`, `uri`, `path`, `url`, `ClientRequestURI` …), or a request line under
/// `request`. Lines in other formats are counted.
///
/// # Errors
///
/// A line is too long, the reader fails, or no line has a request although the log is not empty.
///
/// # Examples
///
/// ```
/// let log = concat!(
///     r#"shop.example:443 192.0.2.1 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/2.0" 200 5 "-" "GPTBot/1.2""#,
///     "\n",
///     r#"{"request_uri": "/b", "http_user_agent": "CCBot/2.0", "status": "404"}"#,
/// );
/// let mut found = Vec::new();
/// let totals = verger_urls::read_log(log.as_bytes(), |request| {
///     found.push((request.target.into_owned(), request.status));
/// })?;
/// assert_eq!(found, [(b"/a".to_vec(), Some(200)), (b"/b".to_vec(), Some(404))]);
/// assert_eq!(totals.requests, 2);
/// # Ok::<(), verger_urls::InputError>(())
/// ```
pub fn read_log(
    reader: impl Read,
    mut each: impl FnMut(Request<'_>),
) -> Result<LogTotals, InputError> {
    let mut totals = LogTotals::default();
    each_line(reader, |number, line| {
        let request = if line.starts_with(b"{") { json_log::request(line) } else { combined(line) };
        if let Some(request) = request.filter(|request| is_target(&request.target)) {
            totals.requests += 1;
            each(request);
        } else {
            totals.skipped += 1;
            totals.first_skipped.get_or_insert(number);
        }
    })?;
    match (totals.requests, totals.first_skipped) {
        (0, Some(line)) => Err(InputError::at(
            line,
            "expected an access log in the common, combined or JSON format, but found no request",
        )),
        _ => Ok(totals),
    }
}

/// Whether a text is a path or a URL: not `*` of `OPTIONS`, and not the host of `CONNECT`.
fn is_target(text: &[u8]) -> bool {
    text.starts_with(b"/") || text.windows(3).any(|three| three == b"://")
}

/// The request in a line of the common or combined format: the first quoted text that is a request
/// line, the status after it, and the second quoted text after it.
fn combined(line: &[u8]) -> Option<Request<'_>> {
    let mut rest = line;
    loop {
        let (text, after) = quoted(rest)?;
        rest = after;
        let Some(target) = target_of_line(text) else { continue };
        let status = rest.trim_ascii_start().split(u8::is_ascii_whitespace).next();
        let status = status.and_then(|text| str::from_utf8(text).ok()?.parse().ok());
        let user_agent = quoted(rest).and_then(|(_, after)| quoted(after));
        let user_agent = user_agent.map(|(text, _)| text).filter(|text| *text != b"-");
        return Some(Request {
            target: unescaped(target),
            user_agent: user_agent.map(unescaped),
            status,
        });
    }
}

/// The text between the next quotation marks, and the rest of the line.
fn quoted(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = line.iter().position(|&byte| byte == b'"')? + 1;
    let mut end = start;
    while *line.get(end)? != b'"' {
        end += if line[end] == b'\\' { 2 } else { 1 };
    }
    Some((&line[start..end], &line[end + 1..]))
}

/// The target of a request line: `GET /x HTTP/1.1`, or `GET /x` of HTTP/0.9.
pub(crate) fn target_of_line(text: &[u8]) -> Option<&[u8]> {
    let (method, rest) = text.split_at(text.iter().position(|&byte| byte == b' ')?);
    if method.is_empty() || !method.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-') {
        return None;
    }
    let rest = rest.trim_ascii();
    // A target can contain spaces, if the client sent them.
    let end = rest.windows(6).rposition(|six| six == b" HTTP/").unwrap_or(rest.len());
    Some(rest[..end].trim_ascii()).filter(|target| !target.is_empty())
}

/// The text without the escapes of Apache (`\"`, `\\`, `\t`, `\x1b`) and nginx (`\x22`).
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\\') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        let (byte, length) = match (first, after) {
            (b'\\', [b'x' | b'X', high, low, ..]) => match (digit(high), digit(low)) {
                (Some(high), Some(low)) => (u8::try_from(16 * high + low).unwrap_or(b'?'), 4),
                _ => (b'\\', 1),
            },
            (b'\\', [mark @ (b'"' | b'\\'), ..]) => (*mark, 2),
            (b'\\', [b't', ..]) => (b'\t', 2),
            (b'\\', [b'n', ..]) => (b'\n', 2),
            (b'\\', [b'r', ..]) => (b'\r', 2),
            _ => (*first, 1),
        };
        out.push(byte);
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, target: &str, user_agent: Option<&str>, status: Option<u16>) {
        let found = combined(line.as_bytes()).expect("a request");
        assert_eq!(found.target, target.as_bytes(), "{line}");
        assert_eq!(found.user_agent.as_deref(), user_agent.map(str::as_bytes), "{line}");
        assert_eq!(found.status, status, "{line}");
    }

    #[test]
    fn the_formats_of_web_servers_are_read() {
        let start = "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700]";
        check(&format!(r#"{start} "GET /a HTTP/1.0" 200 2326"#), "/a", None, Some(200));
        check(&format!(r#"{start} "GET /a" 400 -"#), "/a", None, Some(400));
        check(
            &format!(r#"{start} "GET /a?b=1 HTTP/1.1" 200 23 "https://h/" "Bot/1.0 (+https://b)""#),
            "/a?b=1",
            Some("Bot/1.0 (+https://b)"),
            Some(200),
        );
        check(&format!(r#"h:80 {start} "HEAD / HTTP/2.0" 304 0 "-" "-""#), "/", None, Some(304));
        let user = r#"192.0.2.1 - "a b" [10/Oct/2000:13:55:36 -0700]"#;
        check(&format!(r#"{user} "GET /a b HTTP/1.1" 200 1 "" "x""#), "/a b", Some("x"), Some(200));
    }

    #[test]
    fn escapes_of_servers_are_read() {
        let line = r#"h - - [x] "GET /\"a\x22\\b\t\x\xzz\xC3 HTTP/1.1" 200 1 "\"" "\x1b[2J""#;
        let found = combined(line.as_bytes()).expect("a request");
        assert_eq!(found.target.as_ref(), b"/\"a\"\\b\t\\x\\xzz\xc3");
        assert_eq!(found.user_agent.as_deref(), Some(&b"\x1b[2J"[..]));
    }

    #[test]
    fn other_lines_are_counted() {
        let log = "# comment\nh - - [x] \"OPTIONS * HTTP/1.1\" 200 1\nh - - [x] \"CONNECT h:443 HTTP/1.1\" 400 1\n\
                   h - - [x] \"\\x16\\x03\" 400 1\nh - - [x] \"-\" 408 0\nh - - [x] \"GET http://h/a HTTP/1.1\" 200 1\n\
                   \"\\\n{\n{\"a\": 1}\nh - - [x] \"GET  HTTP/1.1\" 200\n";
        let mut found = Vec::new();
        let totals =
            read_log(log.as_bytes(), |it| found.push(it.target.into_owned())).expect("a log");
        assert_eq!(found, [b"http://h/a".to_vec()]);
        assert_eq!((totals.requests, totals.skipped, totals.first_skipped), (1, 9, Some(1)));
        let error = read_log(&b"\nx\n"[..], |_| ()).expect_err("no log");
        assert_eq!(error.line(), Some(2));
        assert_eq!(read_log(&b"\n"[..], |_| ()), Ok(LogTotals::default()));
    }
}
