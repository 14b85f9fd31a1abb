//! A request, as a server or its log saw it.

use std::collections::BTreeMap;
use std::fmt;
use std::iter;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use toml::value::{Datetime, Offset};
use verger::access::Timestamp;
use verger::quoted;
use verger_registry::Date;

use crate::client_address::read_address;
use crate::limits::LATEST_SECONDS;

/// A request. Its JSON is that of `verger identify --batch`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "an object such as {\"ip\":\"192.0.2.1\"}")]
#[expect(clippy::exhaustive_structs, reason = "servers build it")]
pub struct Request {
    /// The address of the connection.
    #[serde(deserialize_with = "json_address")]
    pub ip: Option<IpAddr>,
    /// The User-Agent header; by default that of `headers`.
    pub user_agent: Option<String>,
    /// The time; by default now. In JSON a text, or seconds since 1970.
    #[serde(deserialize_with = "json_time")]
    pub at: Option<Timestamp>,
    /// How long before `at` the request began, for logs with the time of its end. In JSON seconds.
    #[serde(deserialize_with = "json_duration")]
    pub duration: Duration,
    /// The method; by default empty, which means that it is not known: signatures that cover it are
    /// not checked.
    pub method: String,
    /// `https`, the default, or `http`; if it is empty, as an empty method.
    pub scheme: String,
    /// Host and port; by default the Host header. Behind a proxy, use the ones that the client
    /// sent.
    pub authority: Option<String>,
    /// Path and query as sent; if it is empty, as an empty method.
    pub target: String,
    /// The header fields, for signatures and trusted proxies. Several values of a field are joined
    /// by `, ` in order; JSON can have them as an array. An empty value or `-`, as logs write it,
    /// is absent.
    #[serde(deserialize_with = "headers")]
    pub headers: BTreeMap<String, String>,
    /// Whether it is a line of a log, whose addresses [may be cut](crate::may_be_cut): such an
    /// address proves nothing.
    #[serde(skip)]
    pub is_logged: bool,
}

impl Default for Request {
    fn default() -> Self {
        let (method, scheme, target) = (String::new(), "https".to_owned(), String::new());
        let (ip, user_agent, at, authority) = (None, None, None, None);
        let (duration, headers, is_logged) = (Duration::ZERO, BTreeMap::new(), false);
        Self { ip, user_agent, at, duration, method, scheme, authority, target, headers, is_logged }
    }
}

impl Request {
    /// Reads a line of a log in the JSON of a batch, or in that of Caddy. Octets can be written as
    /// `\xhh`, as Apache does, or as they are. Addresses in the JSON of a batch count as whole,
    /// those of Caddy do not ([`is_logged`](Self::is_logged)).
    ///
    /// # Errors
    ///
    /// The line is not a JSON object in one of these forms.
    pub fn of_log_line(line: &[u8]) -> Result<Self, serde_json::Error> {
        let text = without_octets(line);
        if text.trim_ascii_start().starts_with('[') {
            // Serde would read an array as the fields in order.
            return Err(serde_json::Error::custom("expected an object, but found an array"));
        }
        if !text.contains(r#""request":{"#) {
            return serde_json::from_str(&text);
        }
        let OfCaddy { at, duration, request } = serde_json::from_str(&text)?;
        let OfCaddyRequest { ip, tls, method, authority, target, headers } = request;
        let scheme = if tls.is_some() { "https" } else { "http" }.to_owned();
        let user_agent = None;
        let is_logged = true;
        Ok(Self {
            ip,
            user_agent,
            at,
            duration,
            method,
            scheme,
            authority,
            target,
            headers,
            is_logged,
        })
    }

    /// Whether a line is a JSON object with a key that the JSON of a batch lacks, as that of
    /// another log.
    pub fn has_other_keys(line: &[u8]) -> bool {
        #[derive(Deserialize)]
        struct Keys(#[serde(deserialize_with = "members")] Vec<(String, IgnoredAny)>);

        let found = serde_json::from_str(&without_octets(line));
        found.is_ok_and(|Keys(found)| found.iter().any(|(key, _)| !KEYS.contains(&&**key)))
    }

    /// Reads a time: RFC 3339, or a day, which means its midnight. Without an offset it is in UTC.
    ///
    /// # Errors
    ///
    /// The text is not a time from 1970 to the year 9999.
    pub fn time(text: &str) -> Result<Timestamp, String> {
        let read = || {
            let Datetime { date, time, offset } = text.parse().ok()?;
            let midnight = Date::read(&date?.to_string())?.start().seconds();
            let second = time.map_or(0, |it| {
                let [hour, minute] = [it.hour, it.minute].map(u64::from);
                (hour * 60 + minute) * 60 + u64::from(it.second.unwrap_or(0))
            });
            let minutes = if let Some(Offset::Custom { minutes }) = offset { minutes } else { 0 };
            (midnight + second).checked_add_signed(-60 * i64::from(minutes))
        };
        let seconds = read().filter(|seconds| *seconds <= LATEST_SECONDS);
        seconds.map(Timestamp::from_seconds).ok_or_else(|| {
            format!("expected a time such as 2026-11-23T14:30:00Z, but found {}", quoted(text))
        })
    }

    /// The User-Agent header; empty if there is none.
    pub fn user_agent(&self) -> &str {
        let own = self.user_agent.as_deref().filter(|it| !is_absent(it));
        own.or_else(|| self.field("user-agent")).unwrap_or_default()
    }

    /// Host and port; empty if they are not known.
    pub fn authority(&self) -> &str {
        let own = self.authority.as_deref().filter(|it| !is_absent(it));
        own.or_else(|| self.field("host")).unwrap_or_default()
    }

    /// The value of a field; `None` if it is absent.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(found.1.trim_matches([' ', '\t']))
    }
}

/// The keys of the JSON of a batch.
const KEYS: [&str; 9] =
    ["ip", "user_agent", "at", "duration", "method", "scheme", "authority", "target", "headers"];

/// JSON with octets as `\xhh`, or as they are.
fn without_octets(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    // A backslash after a backslash begins no octet.
    let parts = text.split(r"\\").map(|it| it.replace(r"\x", r"\u00").replace(r"\v", r"\u000b"));
    parts.collect::<Vec<_>>().join(r"\\")
}

impl FromStr for Request {
    type Err = String;

    /// Reads a request line, which can be absent, and header fields up to an empty line, as in
    /// HTTP/1.1.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut request = Self::default();
        for (at, line) in text.lines().enumerate().take_while(|(_, line)| !line.is_empty()) {
            let words: Vec<_> = line.split(' ').collect();
            if let (0, [method, target, version]) = (at, &words[..])
                && version.starts_with("HTTP/")
            {
                (request.method, request.target) = ((*method).to_owned(), (*target).to_owned());
                continue;
            }
            let is_name = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_graphic());
            let field = line.split_once(':').filter(|(name, _)| is_name(name));
            let (name, value) = field.ok_or_else(|| {
                let (line, found) = (at + 1, quoted(line));
                format!("line {line}: expected a header field such as `Host: shop.example`, but found {found}")
            })?;
            let known = request.headers.entry(name.to_ascii_lowercase()).or_default();
            known.push_str(if known.is_empty() { "" } else { ", " });
            known.push_str(value.trim_matches([' ', '\t']));
        }
        Ok(request)
    }
}

/// A line of the log of Caddy. Other keys are ignored.
#[derive(Deserialize)]
struct OfCaddy {
    #[serde(rename = "ts", deserialize_with = "json_time")]
    at: Option<Timestamp>,
    #[serde(default, deserialize_with = "json_duration")]
    duration: Duration,
    request: OfCaddyRequest,
}

#[derive(Deserialize)]
struct OfCaddyRequest {
    #[serde(rename = "remote_ip", default, deserialize_with = "json_address")]
    ip: Option<IpAddr>,
    tls: Option<IgnoredAny>,
    method: String,
    #[serde(rename = "host")]
    authority: Option<String>,
    #[serde(rename = "uri")]
    target: String,
    #[serde(deserialize_with = "headers")]
    headers: BTreeMap<String, String>,
}

fn json_address<'de, D: Deserializer<'de>>(from: D) -> Result<Option<IpAddr>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let expected = || format!("expected an address, but found {}", quoted(&text));
    read_address(&text).map(Some).ok_or_else(|| D::Error::custom(expected()))
}

fn json_time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    match Option::<Value>::deserialize(from)? {
        None => Ok(None),
        Some(Value::String(text)) => Request::time(&text).map(Some).map_err(D::Error::custom),
        Some(value) => {
            let seconds = value.as_f64().and_then(|it| Duration::try_from_secs_f64(it).ok());
            let seconds = seconds.map(|it| it.as_secs()).filter(|it| *it <= LATEST_SECONDS);
            let expected = "expected a text, or seconds since 1970 up to the year 9999";
            seconds.map(Timestamp::from_seconds).map(Some).ok_or(D::Error::custom(expected))
        }
    }
}

/// Whole seconds, rounded up: the time before them has none either.
fn json_duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(from)?;
    Duration::try_from_secs_f64(seconds.ceil()).map_err(D::Error::custom)
}

fn headers<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let expected = || D::Error::custom("expected a text or an array of texts");
    let mut headers = BTreeMap::new();
    for (name, value) in members::<D, String, Value>(from)? {
        let value = match value {
            Value::String(value) => value,
            values => Vec::<String>::deserialize(values).map_err(|_| expected())?.join(", "),
        };
        if headers.insert(name.to_ascii_lowercase(), value).is_some() {
            return Err(D::Error::custom(format!("expected the field {} once", quoted(&name))));
        }
    }
    headers.retain(|_, value| !is_absent(value));
    Ok(headers)
}

/// Reads the members of an object, also several with one key: for `deserialize_with` of
/// [Serde](https://serde.rs).
///
/// # Errors
///
/// The value is not an object, or has a member of another kind.
pub fn members<'de, D, K, V>(from: D) -> Result<Vec<(K, V)>, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de>,
    V: Deserialize<'de>,
{
    struct Members<K, V>(PhantomData<(K, V)>);

    impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Members<K, V> {
        type Value = Vec<(K, V)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
            iter::from_fn(|| from.next_entry().transpose()).collect()
        }
    }
    from.deserialize_map(Members(PhantomData))
}

/// Whether a value is written as logs write one that is absent.
fn is_absent(value: &str) -> bool {
    matches!(value, "" | "-")
}
