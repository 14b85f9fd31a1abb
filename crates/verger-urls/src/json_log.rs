//! A line of an access log in JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::limits::JSON_DEPTH;
use crate::log::{Request, target_of_line};

/// Names of the target: of nginx and Apache by convention, of Caddy, Traefik, Envoy, Cloudflare,
/// `CloudFront`, Fastly, of the load balancers of Google and Microsoft. Names of complete targets
/// come first.
const TARGETS: [&str; 16] = [
    "request_uri",
    "requesturi",
    "clientrequesturi",
    "requestpath",
    "requesturl",
    "request_url",
    "clientrequesturl",
    "originalpath",
    "x-envoy-original-path",
    "cs-uri-stem",
    "cs_uri_stem",
    "uri",
    "url",
    "path",
    "request_path",
    "target",
];

/// Names of the query, for formats that have it apart.
const QUERIES: [&str; 6] =
    ["cs-uri-query", "cs_uri_query", "query", "query_string", "querystring", "args"];

/// Names of the User-Agent header.
const USER_AGENTS: [&str; 9] = [
    "http_user_agent",
    "user_agent",
    "useragent",
    "user-agent",
    "agent",
    "clientrequestuseragent",
    "request_user-agent",
    "cs(user-agent)",
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

/// The request of a line; `None` if it is not an object with a target.
pub(crate) fn request(line: &[u8]) -> Option<Request<'static>> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let object = value.as_object()?;
    let line = find(object, &["request", "request_line"], 0)
        .and_then(|text| Some(target_of_line(text.as_bytes())?.to_vec()));
    let target = line.or_else(|| {
        let mut target = find(object, &TARGETS, 0)?.into_bytes();
        let query = find(object, &QUERIES, 0).filter(|query| !query.is_empty() && query != "-");
        if let Some(query) = query.filter(|_| !target.contains(&b'?')) {
            if !query.starts_with('?') {
                target.push(b'?');
            }
            target.extend_from_slice(query.as_bytes());
        }
        Some(target)
    })?;
    let user_agent = find(object, &USER_AGENTS, 0).filter(|text| text != "-");
    let status = find(object, &STATUSES, 0).and_then(|text| text.parse().ok());
    Some(Request {
        target: Cow::Owned(target),
        user_agent: user_agent.map(|text| Cow::Owned(text.into_bytes())),
        status,
    })
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
    fn check(line: &str, target: &str, user_agent: Option<&str>, status: Option<u16>) {
        let found = request(line.as_bytes()).expect("a request");
        assert_eq!(found.target, target.as_bytes(), "{line}");
        assert_eq!(found.user_agent.as_deref(), user_agent.map(str::as_bytes), "{line}");
        assert_eq!(found.status, status, "{line}");
    }

    #[test]
    fn the_names_of_common_servers_are_known() {
        check(
            r#"{"request": "GET /a?b HTTP/1.1", "http_user_agent": "x", "status": 200}"#,
            "/a?b",
            Some("x"),
            Some(200),
        );
        check(
            r#"{"request": {"method": "GET", "uri": "/a", "headers": {"User-Agent": ["x"]}}, "status": 404}"#,
            "/a",
            Some("x"),
            Some(404),
        );
        check(
            r#"{"ClientRequestURI": "/a?b", "ClientRequestUserAgent": "x", "EdgeResponseStatus": 200}"#,
            "/a?b",
            Some("x"),
            Some(200),
        );
        check(
            r#"{"httpRequest": {"requestUrl": "https://h/a", "userAgent": "x", "status": 200}}"#,
            "https://h/a",
            Some("x"),
            Some(200),
        );
        check(
            r#"{"cs-uri-stem": "/a", "cs-uri-query": "b=1", "cs(User-Agent)": "-"}"#,
            "/a?b=1",
            None,
            None,
        );
        check(r#"{"path": "/a", "query": "-"}"#, "/a", None, None);
    }

    #[test]
    fn other_objects_have_no_request() {
        for line in ["{", "{}", "[]", r#"{"a": {"b": {"c": {"uri": "/a"}}}}"#, r#"{"uri": true}"#] {
            assert_eq!(request(line.as_bytes()), None, "{line}");
        }
    }
}
