//! The settings of the service: one row for each, from which its field, flag, environment variable
//! and key in table `[serve]` of a `verger.toml` are made.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ServeKind::{Name, Number, Text, Texts};
use ipnet::IpNet;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::{Spanned, Value};
use tracing_subscriber::filter::Targets;
use verger::access::Profile;
use verger::{Dialect, Untrusted};
use verger_fetch::fetch::Identity;
use verger_fetch::guard::parse_net;

use super::{Given, SettingText};
use crate::error::{StartError, quoted};

/// A setting.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServeKey {
    /// Its name: `max_urls`. The flag is `--max-urls`, the environment variable
    /// `VERGER_SERVE_MAX_URLS`.
    pub(super) name: &'static str,
    pub(super) kind: ServeKind,
    /// A sentence for help and the JSON schema, with default and unit.
    pub(super) about: &'static str,
}

/// The type of a setting.
#[derive(Clone, Copy, Debug)]
pub(super) enum ServeKind {
    /// A text; the word describes it in help.
    Text(&'static str),
    /// An array of texts.
    Texts(&'static str),
    /// A whole number from the first to the second one.
    Number(u64, u64),
    /// One of these names.
    Name(&'static [&'static str]),
}

/// Declares the settings: name, field with its type and reader, type of the setting, sentence.
macro_rules! settings {
    ($($name:ident => $field:ident: $type:ty = $read:expr, $kind:expr, $about:literal;)*) => {
        /// All settings, with their defaults. Ranges and meanings are those of the flags, also for a
        /// program that sets the fields itself: nothing checks these, and a limit of zero permits
        /// nothing.
        #[derive(Clone, Debug)]
        #[expect(clippy::exhaustive_structs, reason = "programs change some of the defaults")]
        pub struct Settings {
            $(#[doc = $about] pub $field: $type,)*
        }

        impl Settings {
            /// The settings of texts; absent ones have their defaults.
            pub(super) fn of(texts: &[SettingText]) -> Result<Self, StartError> {
                let given = |name| Given(texts.iter().find(|text| text.name == name));
                Ok(Self { $($field: given(stringify!($name)).read($read)?,)* })
            }
        }

        pub(super) const SERVE: &[ServeKey] =
            &[$(ServeKey { name: stringify!($name), kind: $kind, about: $about }),*];
    };
}

settings! {
    listen => listen: Vec<SocketAddr> = addresses, Texts("ADDRESS:PORT"),
        "Addresses and ports to listen on. Default: 127.0.0.1 and ::1, port 8730. Addresses \
         other than loopback need `token_file`.";
    host => host: Vec<String> = |it| it.all(host), Texts("NAME"),
        "Names that clients use for the service, besides localhost and the listening addresses. \
         Requests with another Host header are refused.";
    token_file => token_file: Option<PathBuf> = Given::path, Text("FILE"),
        "File with the tokens of clients, one on each line, at least 32 bytes long. Default: \
         none, so every local process may ask.";
    admin_token_file => admin_token_file: Option<PathBuf> = Given::path, Text("FILE"),
        "File with the tokens that may also import records. Without it, nobody may if \
         `token_file` is set.";
    store => store: String = |it| it.one("memory".into(), |text| Ok(text.into())), Text("STORE"),
        "Storage of records: memory, the path of a SQLite file, or the URL of a Redis server, or \
         several URLs with commas for a Redis Cluster. Default: memory.";
    store_key_file => store_key_file: Option<PathBuf> = Given::path, Text("FILE"),
        "File with a key of 64 hexadecimal digits, for a Redis server that others can write to: \
         values with another key are ignored. Default: none.";
    user_agent => user_agent: String = user_agent, Text("HEADER"),
        "User-Agent header of requests for robots.txt. Default: verger-serve with its version.";
    from => from: Option<String> = from, Text("ADDRESS"),
        "From header of requests: an e-mail address. Default: none.";
    dialect => dialect: Dialect = |it| it.named("a dialect", Dialect::named), Text("NAME"),
        "Dialect of questions that name none. Default: rfc9309.";
    access => access: Profile = |it| it.named("an access profile", Profile::named), Text("NAME"),
        "Access profile of the service. Default: rfc9309.";
    allow_net => allow_net: Vec<IpNet> =
        |it| it.all(|text| parse_net(text).map_err(|it| it.to_string())), Texts("NETWORK"),
        "Private networks from which robots.txt may be fetched, such as 10.1.0.0/16. Default: \
         none.";
    ca_file => ca_file: Vec<PathBuf> = |it| it.all(|text| Ok(text.into())), Texts("FILE"),
        "Files of certificates to trust in addition to Mozilla's list.";
    fetch_seconds => fetch_time: Duration =
        |it| it.number(30).map(Duration::from_secs), Number(1, 120),
        "Seconds for a fetch of robots.txt with all redirects. Default: 30.";
    wait_ms => wait: Duration =
        |it| it.number(10_000).map(Duration::from_millis), Number(0, 30_000),
        "Milliseconds that a question waits for a robots.txt that is not in the store, if it \
         does not say so itself. Default: 10000.";
    max_connections => max_connections: usize = |it| it.number(1_024), Number(1, 65_536),
        "Concurrent connections. Default: 1024.";
    max_requests => max_requests: usize = |it| it.number(512), Number(1, 65_536),
        "Concurrent requests. Default: 512.";
    rate => rate: u32 = |it| it.number(0), Number(0, 1_000_000),
        "Requests per second from one address, in bursts of up to twice as many. Default: 0, no \
         limit.";
    max_body => max_body: usize = |it| it.number(1_048_576), Number(1_024, 16_777_216),
        "Bytes of the body of a request. Default: 1048576.";
    max_urls => max_urls: usize = |it| it.number(1_000), Number(1, 10_000),
        "URLs in one question. Default: 1000.";
    max_origins => max_origins: usize = |it| it.number(100), Number(1, 10_000),
        "Origins of the URLs of one question. Default: 100.";
    header_seconds => header_time: Duration =
        |it| it.number(5).map(Duration::from_secs), Number(1, 60),
        "Seconds in which the head of a request must arrive, after `idle_seconds` at most. Default: 5.";
    body_seconds => body_time: Duration =
        |it| it.number(10).map(Duration::from_secs), Number(1, 300),
        "Seconds in which the body of a request must arrive. Default: 10.";
    idle_seconds => idle_time: Duration =
        |it| it.number(30).map(Duration::from_secs), Number(1, 3_600),
        "Seconds after which a connection without a request, or a reader that takes no data, is \
         closed. Default: 30.";
    stop_seconds => stop_time: Duration =
        |it| it.number(10).map(Duration::from_secs), Number(0, 300),
        "Seconds to finish accepted requests at the end. Default: 10.";
    cache_mb => cache_bytes: usize =
        |it| it.number(64).map(|megabytes: usize| megabytes * 1_048_576), Number(1, 65_536),
        "Megabytes of prepared answers in memory. Default: 64.";
    threads => threads: usize = |it| it.number(0), Number(0, 1_024),
        "Worker threads. Default: 0, one for each core.";
    log => json_log: bool = |it| it.one(false, |text| Ok(text == "json")), Name(&["text", "json"]),
        "Format of the log on standard error: text, or json for one object on each line. \
         Default: text.";
    log_level => log_level: String = log_level, Text("LEVEL"),
        "Levels of the log: error, warn, info, debug or trace, also for single parts as in \
         warn,verger_fetch=debug. Default: info.";
}

fn addresses(it: Given<'_>) -> Result<Vec<SocketAddr>, StartError> {
    match it.0 {
        None => Ok(vec![(Ipv4Addr::LOCALHOST, 8730).into(), (Ipv6Addr::LOCALHOST, 8730).into()]),
        Some(given) if given.texts.is_empty() => Err(given.error("missing an address and port")),
        Some(_) => it.all(|text| {
            text.parse().map_err(|_| {
                let found = quoted(text);
                format!("expected an address and port such as 127.0.0.1:8730, but found {found}")
            })
        }),
    }
}

fn host(text: &str) -> Result<String, String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-[]:_".contains(&byte);
    let is_host = !text.is_empty() && text.bytes().all(is_name);
    let error = || format!("expected a host name, but found {}", quoted(text));
    is_host.then(|| text.to_ascii_lowercase()).ok_or_else(error)
}

fn user_agent(it: Given<'_>) -> Result<String, StartError> {
    it.one(concat!("verger-serve/", env!("CARGO_PKG_VERSION")).to_owned(), |text| {
        Identity::new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
    })
}

fn from(it: Given<'_>) -> Result<Option<String>, StartError> {
    it.one(None, |text| {
        let identity = Identity::new("verger-serve").and_then(|it| it.with_from(text));
        identity.map(|_| Some(text.to_owned())).map_err(|error| error.to_string())
    })
}

fn log_level(it: Given<'_>) -> Result<String, StartError> {
    it.one("info".to_owned(), |text| {
        let found = quoted(text);
        let error =
            |_| format!("expected levels such as warn,verger_fetch=debug, but found {found}");
        text.parse::<Targets>().map(|_| text.to_owned()).map_err(error)
    })
}

/// Table `[serve]` of a file: texts by the names of settings. An error has the offset of its place.
pub(super) fn read(text: &str) -> Result<BTreeMap<&'static str, Vec<String>>, (usize, String)> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, expecting = "a table")]
    struct File {
        #[serde(default)]
        serve: BTreeMap<Spanned<String>, Spanned<Value>>,
        #[serde(default, rename = "lint")]
        _lint: IgnoredAny,
    }
    let file: File = toml::from_str(text).map_err(|error| {
        let message = Untrusted::new(error.message()).to_string();
        (error.span().unwrap_or_default().start, message)
    })?;
    let texts = |(name, value): (Spanned<String>, Spanned<Value>)| {
        let Some(key) = SERVE.iter().find(|key| key.name == name.get_ref()) else {
            let message = format!("expected a key, but found {}", quoted(name.get_ref()));
            return Err((name.span().start, message));
        };
        let error = || {
            let found = match value.get_ref() {
                Value::String(text) => quoted(text),
                Value::Integer(number) => format!("`{number}`"),
                other => format!("a value of type {}", other.type_str()),
            };
            (value.span().start, format!("expected {}, but found {found}", key.kind))
        };
        Ok((key.name, key.kind.texts(value.get_ref()).ok_or_else(error)?))
    };
    file.serve.into_iter().map(texts).collect()
}

impl ServeKind {
    /// A value of a file as texts; `None` if it has another type or is not permitted.
    fn texts(self, value: &Value) -> Option<Vec<String>> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match self {
            Texts(_) => value.as_array()?.iter().map(text).collect(),
            Text(_) => Some(vec![text(value)?]),
            Name(names) => Some(vec![text(value).filter(|text| names.contains(&&**text))?]),
            Number(least, most) => {
                let number = u64::try_from(value.as_integer()?).ok()?;
                (least..=most).contains(&number).then(|| vec![number.to_string()])
            }
        }
    }
}

impl fmt::Display for ServeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text(_) => f.write_str("a text"),
            Texts(_) => f.write_str("an array of texts"),
            Number(least, most) => write!(f, "a number from {least} to {most}"),
            Name(names) => f.write_str(&names.join(" or ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn settings_of_a_file_are_read_by_their_types() {
        let text =
            "[serve]\nlisten = ['127.0.0.1:1']\nmax_urls = 20\nlog = 'json'\nstore = 'memory'\n";
        let serve = read(text).unwrap();
        assert_eq!(serve["listen"], ["127.0.0.1:1"]);
        assert_eq!((&*serve["max_urls"][0], &*serve["log"][0]), ("20", "json"));
        assert!(read("").unwrap().is_empty());
        assert!(read("[lint]\nselct = 1\n").unwrap().is_empty(), "the linter reads it");
        for (text, expected) in [
            ("[serve]\nlisen = []\n", "8: expected a key, but found `lisen`"),
            ("[serve]\nlisten = 'x'\n", "17: expected an array of texts, but found `x`"),
            (
                "[serve]\nlisten = [1]\n",
                "17: expected an array of texts, but found a value of type array",
            ),
            ("[serve]\nstore = 1\n", "16: expected a text, but found `1`"),
            ("[serve]\nlog = 'xml'\n", "14: expected text or json, but found `xml`"),
            ("[serve]\nmax_urls = -1\n", "19: expected a number from 1 to 10000, but found `-1`"),
            ("[serve]\nrate = 'x'\n", "15: expected a number from 0 to 1000000, but found `x`"),
            ("[srve]\n", "1: unknown field `srve`, expected `serve` or `lint`"),
        ] {
            let (place, message) = read(text).unwrap_err();
            assert_eq!(format!("{place}: {message}"), expected, "{text}");
        }
        assert!(read("serve = 1\n").is_err());
        assert!(read("[serve]\nmax_urls = 99999999999999999999\n").is_err());
    }

    /// The JSON schema of `verger.toml` in `docs/` is current. `EXPORT=overwrite` writes it.
    #[test]
    fn committed_schema() {
        let kind = |kind: ServeKind| match kind {
            Text(_) => json!({ "type": "string" }),
            Texts(_) => json!({ "type": "array", "items": { "type": "string" } }),
            Number(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Name(names) => json!({ "type": "string", "enum": names }),
        };
        let property = |key: &ServeKey| {
            let mut property = kind(key.kind);
            property["description"] = key.about.into();
            (key.name.to_owned(), property)
        };
        let mut schema = verger_lint::schema().to_value();
        schema["properties"]["serve"] = json!({
            "description": "Settings of `verger-serve`.",
            "type": "object",
            "additionalProperties": false,
            "properties": SERVE.iter().map(property).collect::<serde_json::Map<_, Json>>(),
        });
        let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/verger.schema.json");
        if std::env::var_os("EXPORT").is_some_and(|value| value == "overwrite") {
            return std::fs::write(file, schema).unwrap();
        }
        let found = std::fs::read_to_string(file).unwrap_or_default();
        assert!(found == schema, "{file} is out of date: run `cargo xtask generate`");
    }
}
