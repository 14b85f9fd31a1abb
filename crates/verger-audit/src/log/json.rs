//! A line of an access log in JSON.

use std::borrow::Cow;

use memchr::memchr2;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::damage::words;
use super::fields::{Field, Named, PATHS, Parts, Text, named};
use super::request::parts_of_line;
use crate::limits::JSON_DEPTH;

/// Reads the parts of a request in a line that is an object. Returns whether it has a request, and
/// the line in another format that it wraps. `buffer` is room for a line that is not JSON.
pub(crate) fn read<'l>(
    line: &'l [u8],
    buffer: &'l mut String,
    parts: &mut Parts<'l>,
) -> (bool, Option<Text<'l>>) {
    if !line.starts_with(b"{") {
        return (false, None);
    }
    let mut found = Found::of(line, parts, false);
    if found.is_none() {
        *parts = Parts::default();
        *buffer = as_latin1(line);
        found = Found::of(buffer.as_bytes(), parts, true);
    }
    let (is_request, inner) = found.map_or((false, None), |found| found.finish(parts));
    if !is_request {
        *parts = Parts::default();
    }
    (is_request, inner)
}

/// Names of a line of a log, of Docker, collectors of logs and journald, and in an object `event`
/// of ECS.
const LINES: [&str; 4] = ["log", "message", "MESSAGE", "original"];

/// Names of the object with the header fields of a request.
const HEADERS: &str = "headers request_headers requestheaders";

/// The values of an object are read only if their names are known.
#[derive(Deserialize)]
struct Object<'l>(
    #[serde(borrow, deserialize_with = "verger_identity::members")] Vec<(Str<'l>, &'l RawValue)>,
);

/// A text, which is borrowed unless it has escapes.
#[derive(Deserialize)]
struct Str<'l>(#[serde(borrow)] Cow<'l, str>);

/// The findings in a line, beside its parts.
#[derive(Default)]
struct Found<'l> {
    /// Whether each character is an octet.
    is_latin1: bool,
    /// Whether the line itself has a path whose name means nothing else.
    has_certain_path: bool,
    /// By [`LINES`].
    lines: [Option<Text<'l>>; LINES.len()],
}

impl<'l> Found<'l> {
    /// Reads an object; `None` if it is not one.
    fn of(text: &'l [u8], parts: &mut Parts<'l>, is_latin1: bool) -> Option<Self> {
        let mut found = Self { is_latin1, ..Self::default() };
        found.read(serde_json::from_slice(text).ok()?, parts, 1, Scope::All)?;
        Some(found)
    }

    /// Reads an object whose values have this depth.
    fn read(
        &mut self,
        Object(mut object): Object<'l>,
        parts: &mut Parts<'l>,
        depth: u8,
        scope: Scope,
    ) -> Option<()> {
        object.sort_by(|(Str(one), _), (Str(other), _)| {
            let lower = |byte: u8| byte.to_ascii_lowercase();
            let by_letters = one.bytes().map(lower).cmp(other.bytes().map(lower));
            by_letters.then_with(|| one.cmp(other))
        });
        let mut last: Option<Cow<'_, str>> = None;
        for (Str(key), value) in object {
            // Envoy counts only the body.
            let is_of_envoy = key == "bytes_sent" && last.as_deref() == Some("bytes_received");
            let name = scope.named(if is_of_envoy { "body_bytes_sent" } else { &key });
            // Nobody knows which of two values counts.
            let is_read = name.is_some() || value.get().starts_with('{') || LINES.contains(&&*key);
            // A client chooses names of header fields in any case.
            let is_twice = last.as_ref().is_some_and(|last| {
                *last == key || scope == Scope::RequestHeaders && last.eq_ignore_ascii_case(&key)
            });
            if is_read && is_twice {
                return None;
            }
            if depth == 1 {
                let start = key.as_bytes().get(..6).unwrap_or_default();
                parts.is_of_cloudfront |= start.eq_ignore_ascii_case(b"x-edge");
                parts.is_of_traefik |= key == "StartUTC";
                let is_path = matches!(name, Some(Named::Part(field, _)) if PATHS.contains(&field));
                self.has_certain_path |= is_path && !key.eq_ignore_ascii_case("path");
            }
            let in_event = scope == Scope::Context;
            if let Some(at) = LINES.iter().position(|name| *name == key)
                && (depth == 1 || in_event)
                && in_event == (key == "original")
                && value.get().starts_with('"')
            {
                self.lines[at] = Some(self.octets(value)?);
            }
            self.add(name, value, parts, depth, scope.inner(&key))?;
            last = Some(key);
        }
        Some(())
    }

    /// Adds a value; `None` if it is not JSON.
    fn add(
        &mut self,
        name: Option<Named>,
        value: &'l RawValue,
        parts: &mut Parts<'l>,
        depth: u8,
        scope: Scope,
    ) -> Option<()> {
        let text = value.get();
        match (text.as_bytes()[0], name) {
            (b'{', _) if usize::from(depth) <= JSON_DEPTH && scope != Scope::Nothing => {
                self.read(serde_json::from_str(text).ok()?, parts, depth + 1, scope)?;
            }
            (b'{' | b'[', Some(Named::Part(Field::Query, _))) => {
                parts.has_query_object |= text.contains('"');
            }
            // The first text of a list, as Caddy writes header fields, or all values of a repeated
            // one.
            (b'[', Some(known)) => {
                let list: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let is_repeated = matches!(known, Named::Header(_));
                for value in &list[..if is_repeated { list.len() } else { list.len().min(1) }] {
                    self.add(name, value, parts, depth, Scope::Nothing)?;
                }
            }
            (b'"', Some(name)) => parts.put(name, depth, self.octets(value)?),
            (b'-' | b'0'..=b'9', Some(name)) => parts.put(name, depth, text.as_bytes().into()),
            _ => {}
        }
        Some(())
    }

    /// The octets of a text.
    fn octets(&self, value: &'l RawValue) -> Option<Text<'l>> {
        let Str(text) = serde_json::from_str(value.get()).ok()?;
        let octets = || text.chars().map(|c| u8::try_from(c).ok()).collect::<Option<Vec<_>>>();
        Some(match (self.is_latin1.then(octets).flatten(), text) {
            (Some(octets), _) => octets.into(),
            (None, Cow::Borrowed(text)) => text.as_bytes().into(),
            (None, Cow::Owned(text)) => text.into_bytes().into(),
        })
    }

    /// Whether there is a request, or the line inside.
    fn finish(self, parts: &Parts<'_>) -> (bool, Option<Text<'l>>) {
        let has = |field| parts.has(field);
        let has_target =
            has(Field::Target) || parts.value(Field::Line).and_then(parts_of_line).is_some();
        // A collector adds paths of files and labels to the line that it wraps, and a message of a
        // program can name a file.
        let signs = [Field::Status, Field::Agent, Field::EncodedAgent, Field::Method];
        let is_wrapped = self.lines.iter().any(Option::is_some);
        let is_certain = self.has_certain_path || !is_wrapped && signs.into_iter().any(has);
        // Garbage in the place of a request line is no fetch of robots.txt.
        let is_garbage = has(Field::Line) && parts.value(Field::Method).is_none();
        if has_target || is_certain && (is_garbage || PATHS.into_iter().any(has)) {
            return (true, None);
        }
        (false, self.lines.into_iter().flatten().next())
    }
}

/// Objects of a request in lines of servers and collectors of logs. A client chooses the names in
/// others, such as a query, cookies or a form, and they are not those of its request in `host` or
/// `service`.
const OBJECTS: &str =
    "access apache attributes fields http jsonpayload meta metadata nginx properties record";

/// Those about a request, and `event` of ECS: their sizes are not those of the response, and their
/// durations are nanoseconds.
const CONTEXTS: &str = "client event req source";

/// The names that are read in an object. A client chooses the names of header fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    /// One of [`CONTEXTS`].
    Context,
    /// An object `request`, in which Caddy and Kong write the whole target as `uri`, or
    /// `httpRequest`, in which Google does as `requestUrl`.
    Request,
    RequestHeaders,
    Response,
    Nothing,
}

impl Scope {
    /// The meaning of a name.
    fn named(self, key: &str) -> Option<Named> {
        // A header field that Traefik keeps.
        let own = key
            .strip_prefix("request_")
            .filter(|own| self == Self::All && own.starts_with(|c: char| c.is_ascii_uppercase()));
        let is = |name: &str| own.unwrap_or(key).eq_ignore_ascii_case(name);
        let found = named(own.unwrap_or(key).as_bytes())?;
        let is_number =
            matches!(found, Named::Part(Field::Bytes | Field::Sent | Field::Duration, _));
        match (self, found) {
            (Self::Response, Named::Part(Field::Bytes | Field::Sent, rank)) => {
                Some(Named::Part(Field::Sent, rank))
            }
            (Self::Response, named) => {
                Some(named).filter(|it| matches!(it, Named::Part(Field::Status, _)))
            }
            (Self::Nothing, _) => None,
            (Self::Request | Self::Context, _) if is_number => None,
            (Self::Request, Named::Part(Field::Path, rank)) if is("uri") || is("requestUrl") => {
                Some(Named::Part(Field::Target, rank))
            }
            (Self::Request | Self::RequestHeaders, Named::Part(Field::AnyHost, _))
                if is("host") =>
            {
                Some(Named::Part(Field::Host, 0))
            }
            (_, named) if self != Self::RequestHeaders && own.is_none() => Some(named),
            (_, Named::Header(name)) => is(name).then_some(Named::Header(name)),
            (_, named) => is("user-agent").then_some(named),
        }
    }

    /// The scope of an object in one with this scope.
    fn inner(self, key: &str) -> Self {
        let is_response = key.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("res"));
        let is_in = |names: &str| names.split(' ').any(|name| key.eq_ignore_ascii_case(name));
        match self {
            Self::RequestHeaders | Self::Response | Self::Nothing => Self::Nothing,
            _ if is_in(HEADERS) => Self::RequestHeaders,
            Self::Request => Self::Nothing,
            _ if key == "request" || key == "httpRequest" => Self::Request,
            _ if is_response => Self::Response,
            _ if is_in(CONTEXTS) => Self::Context,
            _ if is_in(OBJECTS) => self,
            _ => Self::Nothing,
        }
    }
}

/// A line that is not JSON because of octets that are not UTF-8, or of their escapes `\xHH` by
/// nginx and Apache, as JSON in which each octet is a character.
fn as_latin1(line: &[u8]) -> String {
    let text: String = line.iter().map(|&octet| char::from(octet)).collect();
    // After an escaped backslash, `x` is itself.
    let parts: Vec<_> = text
        .split(r"\\")
        .map(|part| part.replace(r"\x", r"\u00").replace(r"\v", r"\u000b"))
        .collect();
    parts.join(r"\\")
}

/// The number of words of syslog, Kubernetes or a collector before an object in JSON, and the
/// object.
pub(super) fn after_head(line: &[u8]) -> (usize, &[u8]) {
    let start = line.ends_with(b"}").then(|| memchr2(b'{', b'"', line)).flatten();
    let (head, object) = line.split_at(start.filter(|at| line[*at] == b'{').unwrap_or(0));
    (words(head), object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::request::Request;

    fn request<'l>(line: &'l [u8], buffer: &'l mut String) -> Option<Request<'l>> {
        let mut parts = Parts::default();
        read(line, buffer, &mut parts).0.then(|| parts.request())?
    }

    fn wrapped(line: &str) -> Option<String> {
        let mut buffer = String::new();
        let inner = read(line.as_bytes(), &mut buffer, &mut Parts::default()).1?;
        String::from_utf8(inner.into_owned()).ok()
    }

    #[track_caller]
    fn check(line: &str, target: &str, user_agent: Option<&str>) {
        let mut buffer = String::new();
        let found = request(line.as_bytes(), &mut buffer).expect("a request");
        assert_eq!(found.target, target.as_bytes(), "{line}");
        assert_eq!(found.user_agent.as_deref(), user_agent.map(str::as_bytes), "{line}");
    }

    #[test]
    fn a_path_beside_a_wrapped_line_or_in_a_message_is_no_request() {
        for (line, expected) in [
            (r#"{"path":"/var/log/access.log","status":200,"message":"GET /"}"#, Some("GET /")),
            (r#"{"log":{"file":{"path":"/a.log"}},"message":"GET /"}"#, Some("GET /")),
            (r#"{"kubernetes":{"labels":{"url":"/x"}},"log":"GET /"}"#, Some("GET /")),
            (r#"{"msg":"started","path":"/srv/app/config.yml"}"#, None),
        ] {
            assert_eq!(wrapped(line).as_deref(), expected, "{line}");
            assert_eq!(request(line.as_bytes(), &mut String::new()), None, "{line}");
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
        check(r#"{"level": "info", "uri": "/a", "level": "warn"}"#, "/a", None);
    }

    #[test]
    fn other_objects_have_no_request() {
        for line in [
            "{",
            "{}",
            "[]",
            r#"{"a": {"b": {"c": {"uri": "/a"}}}}"#,
            r#"{"uri": true}"#,
            // Which value counts?
            r#"{"uri": "/a", "uri": "/b"}"#,
            r#"{"uri": "/a", "request": {"ip": "192.0.2.1"}, "request": {"ip": "192.0.2.2"}}"#,
            r#"{"uri": "/a", "headers": {"X-Forwarded-For": "192.0.2.1", "x-forwarded-for": "192.0.2.2"}}"#,
        ] {
            assert!(request(line.as_bytes(), &mut String::new()).is_none(), "{line}");
            assert!(wrapped(line).is_none(), "{line}");
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
            let mut buffer = String::new();
            let found = request(line, &mut buffer).expect("a request");
            assert_eq!(found.target, target);
            assert_eq!(found.user_agent.as_deref(), Some(user_agent));
        }
        assert!(request(br#"{"uri": "/\xzz"}"#, &mut String::new()).is_none());
    }

    #[test]
    fn records_of_cloudfront_are_decoded() {
        let record = |stem, query, agent| {
            let line = format!(
                r#"{{"x-edge-location": "FRA2", "cs-uri-stem": "{stem}", "cs-uri-query": "{query}", "cs(User-Agent)": "{agent}"}}"#
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
