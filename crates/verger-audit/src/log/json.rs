//! A line of an access log in JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::escape::{cloudfront_path, decoded_agent};
use super::request::{Request, target_of_line};
use crate::limits::JSON_DEPTH;

/// Names of complete targets: of nginx and Apache by convention, of Traefik, Envoy, Cloudflare, of
/// the load balancers of Google and Microsoft.
const TARGETS: [&str; 9] = [
    "request_uri",
    "requesturi",
    "clientrequesturi",
    "requestpath",
    "requesturl",
    "request_url",
    "clientrequesturl",
    "originalpath",
    "x-envoy-original-path",
];

/// Names of the path in logs of `CloudFront`, which encodes it.
const ENCODED_PATHS: [&str; 2] = ["cs-uri-stem", "cs_uri_stem"];

/// Names of the target or only its path, also of Caddy and Fastly.
const PATHS: [&str; 5] = ["uri", "url", "path", "request_path", "target"];

/// Those of the path that name nothing else if the line itself has them.
const CERTAIN_PATHS: [&str; 6] =
    ["uri", "url", "request_path", "target", "cs-uri-stem", "cs_uri_stem"];

/// Names of the query, for formats that have it apart.
const QUERIES: [&str; 6] =
    ["cs-uri-query", "cs_uri_query", "query", "query_string", "querystring", "args"];

/// Names of the User-Agent header.
const USER_AGENTS: [&str; 10] = [
    "http_user_agent",
    "user_agent",
    "useragent",
    "user-agent",
    "agent",
    "clientrequestuseragent",
    "request_user-agent",
    "cs(user-agent)",
    "cs-user-agent",
    "cs_user_agent",
];

const STATUSES: [&str; 8] = [
    "status",
    "status_code",
    "statuscode",
    "edgeresponsestatus",
    "response_code",
    "downstreamstatus",
    "sc-status",
    "sc_status",
];

/// Names of the method, which shows that a path is that of a request.
const METHODS: [&str; 4] = ["method", "request_method", "requestmethod", "cs-method"];

/// Names of a line of a log, of Docker and of collectors of logs.
const LINES: [&str; 2] = ["log", "message"];

/// A line that is an object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum JsonLine {
    Request(Request<'static>),
    /// A line in another format.
    Wrapped(Vec<u8>),
}

/// Reads a line; `None` if it is not an object with a target or another line.
pub(crate) fn read(line: &[u8]) -> Option<JsonLine> {
    if !line.starts_with(b"{") {
        return None;
    }
    let object: Option<Map<String, Value>> = serde_json::from_slice(line).ok();
    let is_latin1 = object.is_none();
    let object = object.or_else(|| serde_json::from_str(&as_latin1(line)).ok())?;
    let find = |names: &[&str]| Some(octets(&find(&object, names, 0)?, is_latin1));
    let line = find(&["request", "request_line"])
        .and_then(|text| Some(target_of_line(&text)?.to_vec()))
        .or_else(|| find(&TARGETS));
    let with_query = || {
        let encoded = find(&ENCODED_PATHS);
        let decoded = |text: Vec<u8>| match encoded {
            Some(_) => cloudfront_path(&text).into_owned(),
            None => text,
        };
        let mut target = decoded(encoded.clone().or_else(|| find(&PATHS))?);
        let query = find(&QUERIES).filter(|query| !query.is_empty() && query != b"-");
        if let Some(query) = query.filter(|_| !target.contains(&b'?')) {
            if !query.starts_with(b"?") {
                target.push(b'?');
            }
            target.extend(decoded(query));
        }
        Some(target)
    };
    // A collector adds paths of files and labels to the line that it wraps, and a message of a
    // program can name a file.
    let inner = || LINES.iter().find_map(|name| object.get(*name)?.as_str());
    let signs = [&STATUSES[..], &USER_AGENTS, &METHODS];
    let is_certain = || {
        object.keys().any(|key| CERTAIN_PATHS.iter().any(|name| key.eq_ignore_ascii_case(name)))
            || inner().is_none() && signs.into_iter().any(|names| find(names).is_some())
    };
    let Some(target) = line.or_else(|| is_certain().then(with_query).flatten()) else {
        return inner().map(|text| JsonLine::Wrapped(octets(text, is_latin1)));
    };
    let user_agent = find(&USER_AGENTS).filter(|text| text != b"-");
    Some(JsonLine::Request(Request {
        target: Cow::Owned(target),
        user_agent: user_agent.map(|text| Cow::Owned(decoded_agent(&text).into_owned())),
    }))
}

/// A line that is not JSON because of octets that are not UTF-8, or of their escapes `\xHH` by
/// nginx and Apache, as JSON in which each octet is a character.
fn as_latin1(line: &[u8]) -> String {
    let text: String = line.iter().map(|&octet| char::from(octet)).collect();
    // After an escaped backslash, `x` is itself.
    let parts: Vec<_> = text.split(r"\\").map(|part| part.replace(r"\x", r"\u00")).collect();
    parts.join(r"\\")
}

/// The octets of a text, in which each character may be one.
fn octets(text: &str, is_latin1: bool) -> Vec<u8> {
    let octets = text.chars().map(|c| u8::try_from(c).ok()).collect::<Option<Vec<u8>>>();
    octets.filter(|_| is_latin1).unwrap_or_else(|| text.as_bytes().to_vec())
}

/// The text of the first name that an object has; upper and lower case are equal. Objects in it are
/// searched after it.
fn find(object: &Map<String, Value>, names: &[&str], depth: usize) -> Option<String> {
    let here = names.iter().find_map(|name| {
        object.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name)).find_map(|(_, it)| text(it))
    });
    if here.is_some() || depth >= JSON_DEPTH {
        return here;
    }
    object.values().filter_map(Value::as_object).find_map(|inner| find(inner, names, depth + 1))
}

/// A text, a number as text, or the first text of a list, as Caddy writes header fields.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => list.first().and_then(Value::as_str).map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, target: &str, user_agent: Option<&str>) {
        let Some(JsonLine::Request(found)) = read(line.as_bytes()) else { panic!("{line}") };
        assert_eq!(found.target, target.as_bytes(), "{line}");
        assert_eq!(found.user_agent.as_deref(), user_agent.map(str::as_bytes), "{line}");
    }

    #[test]
    fn a_path_beside_a_wrapped_line_or_in_a_message_is_no_request() {
        let wrapped = |text: &str| Some(JsonLine::Wrapped(text.as_bytes().to_vec()));
        for (line, expected) in [
            (r#"{"path":"/var/log/access.log","status":200,"message":"GET /"}"#, wrapped("GET /")),
            (r#"{"log":{"file":{"path":"/a.log"}},"message":"GET /"}"#, wrapped("GET /")),
            (r#"{"kubernetes":{"labels":{"url":"/x"}},"log":"GET /"}"#, wrapped("GET /")),
            (r#"{"msg":"started","path":"/srv/app/config.yml"}"#, None),
        ] {
            assert_eq!(read(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn the_names_of_common_servers_are_known() {
        check(
            r#"{"request": "GET /a?b HTTP/1.1", "http_user_agent": "x", "status": 200}"#,
            "/a?b",
            Some("x"),
        );
        check(
            r#"{"request": {"method": "GET", "uri": "/a", "headers": {"User-Agent": ["x"]}}, "status": 404}"#,
            "/a",
            Some("x"),
        );
        check(
            r#"{"ClientRequestURI": "/a?b", "ClientRequestUserAgent": "x", "EdgeResponseStatus": 200}"#,
            "/a?b",
            Some("x"),
        );
        check(
            r#"{"httpRequest": {"requestUrl": "https://h/a", "userAgent": "x", "status": 200}}"#,
            "https://h/a",
            Some("x"),
        );
        check(
            r#"{"cs-uri-stem": "/a", "cs-uri-query": "b=1", "cs(User-Agent)": "-"}"#,
            "/a?b=1",
            None,
        );
        check(r#"{"path": "/a", "query": "-", "status": 200}"#, "/a", None);
    }

    #[test]
    fn other_objects_have_no_request() {
        for line in ["{", "{}", "[]", r#"{"a": {"b": {"c": {"uri": "/a"}}}}"#, r#"{"uri": true}"#] {
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn octets_that_are_no_json_are_read() {
        for (line, target, user_agent) in [
            // nginx without `escape=json`, Apache, and nginx with `escape=json`.
            (
                &br#"{"uri": "/?q=\x22a\x5C", "user_agent": "\xE3\x80\x80 b"}"#[..],
                &b"/?q=\"a\\"[..],
                &b"\xe3\x80\x80 b"[..],
            ),
            (br#"{"uri": "/\"\\x41\\\x41", "user_agent": "\xff"}"#, br#"/"\x41\A"#, b"\xff"),
            (b"{\"uri\": \"/\xff\", \"user_agent\": \"\xc3\xa9\"}", b"/\xff", b"\xc3\xa9"),
            // JSON is not changed.
            (br#"{"uri": "/\\x41", "user_agent": "\u00e9"}"#, br"/\x41", b"\xc3\xa9"),
        ] {
            let Some(JsonLine::Request(found)) = read(line) else { panic!("{line:?}") };
            assert_eq!(found.target, target);
            assert_eq!(found.user_agent.as_deref(), Some(user_agent));
        }
        assert_eq!(read(br#"{"uri": "/\xzz"}"#), None);
    }

    #[test]
    fn records_of_cloudfront_are_decoded() {
        let record = |stem, query, agent| {
            let line = format!(
                r#"{{"cs-uri-stem": "{stem}", "cs-uri-query": "{query}", "cs(User-Agent)": "{agent}"}}"#
            );
            check(&line, "/a%20b?c=%22", Some("Bot/1 (x; 5%)"));
        };
        record("/a%2520b", "c=%2522", "Bot/1%20(x;%205%25)");
        record("/a%2520b", "c=%2522", "Bot/1%2520(x;%25205%2525)");
        // Other records are not encoded.
        check(
            r#"{"uri": "/a%2520b", "agent": "My%20App/1 (x)"}"#,
            "/a%2520b",
            Some("My%20App/1 (x)"),
        );
    }
}
