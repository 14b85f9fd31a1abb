//! A line of an access log in JSON.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::fields::{Field, Named, Parts, named};
use super::request::parts_of_line;
use crate::limits::JSON_DEPTH;

/// A line that is an object.
#[derive(Debug)]
pub(crate) enum JsonLine<'l> {
    Request(Box<Parts<'l>>),
    /// A line in another format.
    Wrapped(Vec<u8>),
}

/// Reads a line; `None` if it is not an object with a target or another line.
pub(crate) fn read(line: &[u8]) -> Option<JsonLine<'_>> {
    if !line.starts_with(b"{") {
        return None;
    }
    let found = str::from_utf8(line).ok().and_then(|text| Some(Object::read(text, false)?.line()));
    found.unwrap_or_else(|| match Object::read(&as_latin1(line), true)?.line()? {
        JsonLine::Request(parts) => Some(JsonLine::Request(Box::new(parts.into_owned()))),
        JsonLine::Wrapped(line) => Some(JsonLine::Wrapped(line)),
    })
}

/// Names of the path that name nothing else if the line itself has them.
const CERTAIN_PATHS: [&str; 6] =
    ["uri", "url", "request_path", "target", "cs-uri-stem", "cs_uri_stem"];

/// Names of a line of a log, of Docker and of collectors of logs.
const LINES: [&str; 2] = ["log", "message"];

/// Names of the object with the header fields of a request.
const HEADERS: [&str; 3] = ["headers", "request_headers", "requestheaders"];

/// The findings in a line.
#[derive(Default)]
struct Object<'l> {
    parts: Parts<'l>,
    /// Whether each character is an octet.
    is_latin1: bool,
    has_certain_path: bool,
    /// By [`LINES`].
    lines: [Option<Vec<u8>>; 2],
}

impl<'l> Object<'l> {
    fn read(text: &'l str, is_latin1: bool) -> Option<Self> {
        let mut object = Self { is_latin1, ..Self::default() };
        let mut json = serde_json::Deserializer::from_str(text);
        let root =
            Value { object: &mut object, place: Place::Line(None), depth: 0, scope: Scope::All };
        root.deserialize(&mut json).ok()?;
        json.end().ok()?;
        Some(object)
    }

    fn line(self) -> Option<JsonLine<'l>> {
        let has = |field| self.parts.has(field);
        let has_target =
            has(Field::Target) || self.parts.value(Field::Line).and_then(parts_of_line).is_some();
        // A collector adds paths of files and labels to the line that it wraps, and a message of a
        // program can name a file.
        let signs = [Field::Status, Field::Agent, Field::EncodedAgent, Field::Method];
        let is_wrapped = self.lines.iter().any(Option::is_some);
        let is_certain = self.has_certain_path || !is_wrapped && signs.into_iter().any(has);
        if has_target || is_certain && (has(Field::EncodedPath) || has(Field::Path)) {
            return Some(JsonLine::Request(Box::new(self.parts)));
        }
        self.lines.into_iter().find_map(|line| line).map(JsonLine::Wrapped)
    }
}

/// The names that are read in an object. A client chooses the names of header fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    /// An object `request`, in which Caddy and Kong write the whole target as `uri`.
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
            .filter(|own| own.starts_with(|c: char| c.is_ascii_uppercase()));
        let is = |name: &str| own.unwrap_or(key).eq_ignore_ascii_case(name);
        let found = named(own.unwrap_or(key).as_bytes());
        match (self, found?) {
            (Self::Request, Named::Part(Field::Path, rank)) => {
                Some(Named::Part(Field::Target, rank))
            }
            (Self::All | Self::Request, named) if own.is_none() => Some(named),
            (Self::All | Self::Request | Self::RequestHeaders, Named::Header(name)) => {
                is(name).then_some(Named::Header(name))
            }
            (Self::All | Self::Request | Self::RequestHeaders, named) => {
                (is("user-agent") || is("host")).then_some(named)
            }
            (Self::Response, named @ Named::Part(Field::Status, _)) => Some(named),
            _ => None,
        }
    }

    /// The scope of an object in one with this scope.
    fn inner(self, key: &str) -> Self {
        let is_response = key.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("res"));
        match self {
            Self::All | Self::Request
                if HEADERS.iter().any(|name| key.eq_ignore_ascii_case(name)) =>
            {
                Self::RequestHeaders
            }
            Self::All if key == "request" => Self::Request,
            Self::All if is_response => Self::Response,
            Self::All => Self::All,
            _ => Self::Nothing,
        }
    }
}

/// The place for the text of a value.
#[derive(Clone, Copy)]
enum Place {
    Part(Named),
    /// To a line by its place in [`LINES`], or nowhere.
    Line(Option<usize>),
}

/// A value in a line.
struct Value<'o, 'l> {
    object: &'o mut Object<'l>,
    place: Place,
    /// The number of objects around it.
    depth: u8,
    /// That of the value, if it is an object.
    scope: Scope,
}

impl<'l> Value<'_, 'l> {
    fn put(self, text: Cow<'l, str>) {
        let octets = || text.chars().map(|c| u8::try_from(c).ok()).collect::<Option<Vec<u8>>>();
        let octets = self.object.is_latin1.then(octets).flatten();
        let value = match (octets, text) {
            (Some(octets), _) => Cow::Owned(octets),
            (None, Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
            (None, Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        };
        match self.place {
            Place::Part(named) => self.object.parts.put(named, self.depth, value),
            Place::Line(Some(at)) => self.object.lines[at] = Some(value.into_owned()),
            Place::Line(None) => {}
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<(), E> {
        self.put(Cow::Borrowed(text));
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.put(Cow::Owned(text.to_owned()));
        Ok(())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    /// The first text of a list, as Caddy writes header fields, or all values of a repeated field.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut place = self.place;
        let (depth, scope) = (self.depth, Scope::Nothing);
        while list
            .next_element_seed(Value { object: &mut *self.object, place, depth, scope })?
            .is_some()
        {
            if !matches!(place, Place::Part(Named::Header(_))) {
                place = Place::Line(None);
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if usize::from(self.depth) > JSON_DEPTH || self.scope == Scope::Nothing {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        }
        while let Some(Key(key)) = map.next_key()? {
            let object = &mut *self.object;
            let is = |name: &&str| key.eq_ignore_ascii_case(name);
            object.has_certain_path |= self.depth == 0 && CERTAIN_PATHS.iter().any(is);
            let line = LINES.iter().position(|name| *name == key).filter(|_| self.depth == 0);
            let place = self.scope.named(&key).map_or(Place::Line(line), Place::Part);
            let (depth, scope) = (self.depth + 1, self.scope.inner(&key));
            map.next_value_seed(Value { object, place, depth, scope })?;
        }
        Ok(())
    }
}

impl Value<'_, '_> {
    fn number(self, number: impl fmt::Display) {
        if let Place::Part(_) = self.place {
            self.put(Cow::Owned(number.to_string()));
        }
    }
}

/// A name, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Key<'k>(#[serde(borrow)] Cow<'k, str>);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::request::Request;

    fn request(line: &[u8]) -> Option<Request<'_>> {
        match read(line)? {
            JsonLine::Request(parts) => parts.request(),
            JsonLine::Wrapped(_) => None,
        }
    }

    fn wrapped(line: &str) -> Option<String> {
        match read(line.as_bytes())? {
            JsonLine::Request(_) => None,
            JsonLine::Wrapped(inner) => String::from_utf8(inner).ok(),
        }
    }

    #[track_caller]
    fn check(line: &str, target: &str, user_agent: Option<&str>) {
        let found = request(line.as_bytes()).expect("a request");
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
            assert_eq!(request(line.as_bytes()), None, "{line}");
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
            assert!(read(line.as_bytes()).is_none(), "{line}");
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
            let found = request(line).expect("a request");
            assert_eq!(found.target, target);
            assert_eq!(found.user_agent.as_deref(), Some(user_agent));
        }
        assert!(read(br#"{"uri": "/\xzz"}"#).is_none());
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
