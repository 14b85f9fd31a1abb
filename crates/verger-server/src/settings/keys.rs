//! The settings of the service, as data: flags, environment variables, and table `[serve]` of a
//! `verger.toml` are made from them.

use std::collections::BTreeMap;
use std::fmt;

use ServeKind::{Name, Number, Text, Texts};
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::{Spanned, Value};
use verger::Untrusted;

use crate::error::quoted;

/// A setting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServeKey {
    /// Its name: `max_urls`. The flag is `--max-urls`, the environment variable
    /// `VERGER_SERVE_MAX_URLS`.
    pub(crate) name: &'static str,
    pub(crate) kind: ServeKind,
    /// A sentence for help and the JSON schema, with default and unit.
    pub(crate) about: &'static str,
}

/// The type of a setting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ServeKind {
    /// A text; the word describes it in help.
    Text(&'static str),
    /// An array of texts.
    Texts(&'static str),
    /// A whole number from the first to the second one.
    Number(u64, u64),
    /// One of these names.
    Name(&'static [&'static str]),
}

macro_rules! settings {
    ($($name:ident: $kind:expr, $about:literal;)*) => {
        /// All settings.
        pub(crate) const SERVE: &[ServeKey] =
            &[$(ServeKey { name: stringify!($name), kind: $kind, about: $about }),*];
    };
}

settings! {
    listen: Texts("ADDRESS:PORT"),
        "Addresses and ports to listen on. Default: 127.0.0.1:8730 and [::1]:8730. Addresses \
         other than loopback need `token_file`.";
    host: Texts("NAME"),
        "Names that clients use for the service, besides localhost and the listening addresses. \
         Requests with another Host header are refused.";
    token_file: Text("FILE"),
        "File with the tokens of clients, one on each line, at least 32 bytes long. Default: \
         none, so every local process may ask.";
    admin_token_file: Text("FILE"),
        "File with the tokens that may also import records. Without it, nobody may if \
         `token_file` is set.";
    store: Text("STORE"),
        "Storage of records: memory, the path of a SQLite file, or the URL of a Redis server, or \
         several URLs with commas for a Redis Cluster. Default: memory.";
    store_key_file: Text("FILE"),
        "File with a key of 64 hexadecimal digits, for a Redis server that others can write to: \
         values with another key are ignored. Default: none.";
    user_agent: Text("HEADER"),
        "User-Agent header of requests for robots.txt. Default: verger-serve with its version.";
    from: Text("ADDRESS"), "From header of requests: an e-mail address. Default: none.";
    dialect: Text("NAME"), "Dialect of questions that name none. Default: rfc9309.";
    access: Text("NAME"), "Access profile of the service. Default: rfc9309.";
    allow_net: Texts("NETWORK"),
        "Private networks from which robots.txt may be fetched, such as 10.1.0.0/16. Default: \
         none.";
    ca_file: Texts("FILE"), "Files of certificates to trust in addition to Mozilla's list.";
    fetch_seconds: Number(1, 120),
        "Seconds for a fetch of robots.txt with all redirects. Default: 30.";
    wait_ms: Number(0, 30_000),
        "Milliseconds that a question waits for a robots.txt that is not in the store, if it \
         does not say so itself. Default: 10000.";
    max_connections: Number(1, 65_536), "Concurrent connections. Default: 1024.";
    max_requests: Number(1, 65_536), "Concurrent requests. Default: 512.";
    rate: Number(0, 1_000_000),
        "Requests per second from one address, in bursts of up to twice as many. Default: 0, no \
         limit.";
    max_body: Number(1_024, 16_777_216), "Bytes of the body of a request. Default: 1048576.";
    max_urls: Number(1, 10_000), "URLs in one question. Default: 1000.";
    max_origins: Number(1, 10_000), "Origins of the URLs of one question. Default: 100.";
    header_seconds: Number(1, 60),
        "Seconds in which the head of a request must arrive. Default: 5.";
    body_seconds: Number(1, 300),
        "Seconds in which the body of a request must arrive. Default: 10.";
    idle_seconds: Number(1, 3_600),
        "Seconds after which a connection without a request, or a reader that takes no data, is \
         closed. Default: 30.";
    stop_seconds: Number(0, 300), "Seconds to finish accepted requests at the end. Default: 10.";
    cache_mb: Number(1, 65_536), "Megabytes of prepared answers in memory. Default: 64.";
    threads: Number(0, 1_024), "Worker threads. Default: 0, one for each core.";
    log: Name(&["text", "json"]),
        "Format of the log on standard error: text, or json for one object on each line. \
         Default: text.";
    log_level: Text("LEVEL"),
        "Levels of the log: error, warn, info, debug or trace, also for single parts as in \
         warn,verger_fetch=debug. Default: info.";
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
        let mut schema = verger_lint::config::schema().to_value();
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
