//! Settings of the service: `verger.toml`, then the environment, then flags.
//!
//! # Flow
//!
//! The names, types and help of all settings are the table in `keys.rs`, by which the file is read,
//! too. `arguments.rs` makes flags and environment variables from it. The result is a list of texts
//! for each name, with its source; [`Settings`] has the values.

mod arguments;
mod keys;
mod shown;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use tracing_subscriber::filter::Targets;
use verger::Dialect;
use verger::access::Profile;
use verger_fetch::fetch::Identity;

pub use self::arguments::{Action, command, parse};
use crate::error::{StartError, quoted};

/// All settings, with their defaults. Ranges, units and meanings are those of the flags, also for a
/// program that sets the fields itself: nothing checks these, and a limit of zero permits nothing.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "programs change some of the defaults")]
pub struct Settings {
    /// Addresses to listen on.
    pub listen: Vec<SocketAddr>,
    /// Names in the `Host` header besides loopback names and the addresses of `listen`.
    pub host: Vec<String>,
    /// File with the tokens of clients.
    pub token_file: Option<PathBuf>,
    /// File with the tokens that may import records.
    pub admin_token_file: Option<PathBuf>,
    /// Storage of records: `memory`, a path, or a URL.
    pub store: String,
    /// File with the key that authenticates values of a Redis server.
    pub store_key_file: Option<PathBuf>,
    /// User-Agent header of requests.
    pub user_agent: String,
    /// From header of requests.
    pub from: Option<String>,
    /// Default dialect.
    pub dialect: Dialect,
    /// Default access profile.
    pub access: Profile,
    /// Permitted private networks.
    pub allow_net: Vec<IpNet>,
    /// Additional certificates.
    pub ca_file: Vec<PathBuf>,
    /// Time for a fetch.
    pub fetch_time: Duration,
    /// Default wait for a cold origin.
    pub wait: Duration,
    /// Concurrent connections.
    pub max_connections: usize,
    /// Concurrent requests.
    pub max_requests: usize,
    /// Requests per second from one address; 0 for no limit.
    pub rate: u32,
    /// Bytes of a body.
    pub max_body: usize,
    /// URLs of a question.
    pub max_urls: usize,
    /// Origins of the URLs of a question.
    pub max_origins: usize,
    /// Time for the head of a request.
    pub header_time: Duration,
    /// Time for the body of a request.
    pub body_time: Duration,
    /// Time without a request or a byte.
    pub idle_time: Duration,
    /// Time to finish at the end.
    pub stop_time: Duration,
    /// Bytes of prepared answers.
    pub cache_bytes: usize,
    /// Worker threads; 0 for one on each core.
    pub threads: usize,
    /// Whether the log is JSON.
    pub json_log: bool,
    /// Levels of the log.
    pub log_level: String,
}

/// A setting as given.
#[derive(Clone, Debug)]
pub(crate) struct SettingText {
    pub(crate) name: &'static str,
    pub(crate) texts: Vec<String>,
    pub(crate) source: Source,
}

/// The source of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    File(String),
    Environment,
    Flag,
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&[]).unwrap_or_else(|_| unreachable!("the defaults are valid"))
    }
}

impl Settings {
    /// The settings of texts; absent ones have their defaults.
    pub(crate) fn of(texts: &[SettingText]) -> Result<Self, StartError> {
        let found = |name: &str| texts.iter().find(|text| text.name == name);
        let read = Reader { found: &found };
        let megabytes: usize = read.number("cache_mb", 64)?;
        let user_agent = concat!("verger-serve/", env!("CARGO_PKG_VERSION")).to_owned();
        let user_agent = read.one("user_agent", user_agent, |text| {
            Identity::new(text).map_err(|error| error.to_string())?;
            Ok(text.to_owned())
        })?;
        let from = read.one("from", None, |text| {
            let identity = Identity::new(&user_agent).and_then(|it| it.with_from(text));
            identity.map_err(|error| error.to_string())?;
            Ok(Some(text.to_owned()))
        })?;
        if let Some(given) = found("listen").filter(|given| given.texts.is_empty()) {
            return Err(given.error("expected an address and port, but found none"));
        }
        Ok(Self {
            listen: read.all("listen", &["127.0.0.1:8730", "[::1]:8730"], |text| {
                text.parse().map_err(|_| {
                    format!(
                        "expected an address and port such as 127.0.0.1:8730, but found {}",
                        quoted(text)
                    )
                })
            })?,
            host: read.all("host", &[], |text| {
                let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-[]:_".contains(&byte);
                let is_host = !text.is_empty() && text.bytes().all(is_name);
                let error = || format!("expected a host name, but found {}", quoted(text));
                is_host.then(|| text.to_ascii_lowercase()).ok_or_else(error)
            })?,
            token_file: read.text("token_file").map(PathBuf::from),
            admin_token_file: read.text("admin_token_file").map(PathBuf::from),
            store: read.text("store").unwrap_or("memory").to_owned(),
            store_key_file: read.text("store_key_file").map(PathBuf::from),
            user_agent,
            from,
            dialect: read.one("dialect", Dialect::default(), |text| {
                Dialect::named(text)
                    .ok_or_else(|| format!("expected a dialect, but found {}", quoted(text)))
            })?,
            access: read.one("access", Profile::default(), |text| {
                Profile::named(text).ok_or_else(|| {
                    format!("expected an access profile, but found {}", quoted(text))
                })
            })?,
            allow_net: read.all("allow_net", &[], |text| {
                verger_fetch::guard::parse_net(text).map_err(|error| error.to_string())
            })?,
            ca_file: read.all("ca_file", &[], |text| Ok(PathBuf::from(text)))?,
            fetch_time: Duration::from_secs(read.number("fetch_seconds", 30)?),
            wait: Duration::from_millis(read.number("wait_ms", 10_000)?),
            max_connections: read.number("max_connections", 1_024)?,
            max_requests: read.number("max_requests", 512)?,
            rate: read.number("rate", 0)?,
            max_body: read.number("max_body", 1_048_576)?,
            max_urls: read.number("max_urls", 1_000)?,
            max_origins: read.number("max_origins", 100)?,
            header_time: Duration::from_secs(read.number("header_seconds", 5)?),
            body_time: Duration::from_secs(read.number("body_seconds", 10)?),
            idle_time: Duration::from_secs(read.number("idle_seconds", 30)?),
            stop_time: Duration::from_secs(read.number("stop_seconds", 10)?),
            cache_bytes: megabytes * 1_048_576,
            threads: read.number("threads", 0)?,
            json_log: read.text("log") == Some("json"),
            log_level: read.one("log_level", "info".to_owned(), |text| {
                let error = || {
                    let found = quoted(text);
                    format!("expected levels such as warn,verger_fetch=debug, but found {found}")
                };
                text.parse::<Targets>().map(|_| text.to_owned()).map_err(|_| error())
            })?,
        })
    }
}

/// Reads values from texts.
struct Reader<'t> {
    found: &'t dyn Fn(&str) -> Option<&'t SettingText>,
}

impl<'t> Reader<'t> {
    fn text(&self, name: &str) -> Option<&'t str> {
        (self.found)(name)?.texts.first().map(String::as_str)
    }

    fn one<T>(
        &self,
        name: &str,
        default: T,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, StartError> {
        match (self.found)(name) {
            None => Ok(default),
            Some(given) => {
                let text = given.texts.first().map(String::as_str).unwrap_or_default();
                parse(text).map_err(|error| given.error(&error))
            }
        }
    }

    fn all<T>(
        &self,
        name: &str,
        default: &[&str],
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, StartError> {
        match (self.found)(name) {
            None => Ok(default.iter().filter_map(|text| parse(text).ok()).collect()),
            Some(given) => {
                let values = given.texts.iter().map(|text| parse(text));
                values.collect::<Result<_, _>>().map_err(|error| given.error(&error))
            }
        }
    }

    fn number<T: TryFrom<u64>>(&self, name: &str, default: u64) -> Result<T, StartError> {
        let number = self.one(name, default, |text| {
            text.parse().map_err(|_| format!("expected a whole number, but found {}", quoted(text)))
        })?;
        T::try_from(number).map_err(|_| StartError::new(format!("{name}: the number is too large")))
    }
}

impl SettingText {
    fn error(&self, error: &str) -> StartError {
        StartError::new(format!("{}: {error}", self.place()))
    }

    /// The place of the setting: a flag, a variable, or a key of a file.
    fn place(&self) -> String {
        match &self.source {
            Source::Flag => format!("--{}", flag(self.name)),
            Source::Environment => format!("environment variable {}", variable(self.name)),
            Source::File(path) => format!("{path}, key `serve.{}`", self.name),
        }
    }
}

/// The flag of a setting, without `--`.
pub(crate) fn flag(name: &str) -> String {
    name.replace('_', "-")
}

/// The environment variable of a setting.
pub(crate) fn variable(name: &str) -> String {
    format!("VERGER_SERVE_{}", name.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::keys::{SERVE, ServeKind};
    use super::*;

    fn given(name: &'static str, text: &str) -> Result<Settings, StartError> {
        let texts = vec![text.to_owned()];
        Settings::of(&[SettingText { name, texts, source: Source::Flag }])
    }

    #[test]
    fn defaults_are_valid_and_local() {
        let settings = Settings::default();
        assert_eq!(settings.listen.len(), 2);
        assert!(settings.listen.iter().all(|address| address.ip().is_loopback()));
        assert_eq!((settings.max_urls, settings.store.as_str()), (1_000, "memory"));
    }

    #[test]
    fn every_setting_of_the_table_has_an_effect() {
        for key in SERVE {
            let text = match (key.kind, key.name) {
                (_, "listen") => "127.0.0.1:1".to_owned(),
                (_, "host") => "robots.example".to_owned(),
                (_, "allow_net") => "10.0.0.0/8".to_owned(),
                (_, "dialect") => "google".to_owned(),
                (_, "access") => "strict".to_owned(),
                (ServeKind::Number(_, most), _) => most.to_string(),
                (ServeKind::Name(names), _) => names[names.len() - 1].to_owned(),
                _ => "x".to_owned(),
            };
            let shown = |settings: Settings| format!("{settings:?}");
            let changed = shown(given(key.name, &text).unwrap());
            assert_ne!(changed, shown(Settings::default()), "{}", key.name);
        }
    }

    #[test]
    fn the_book_has_every_setting() {
        let page = include_str!("../../../../docs/service.md");
        for key in SERVE {
            let is_row = |line: &str| {
                line.starts_with(&format!("| `{}` |", key.name)) && line.contains(key.about)
            };
            assert!(page.lines().any(is_row), "{}: {}", key.name, key.about);
        }
    }

    #[test]
    fn errors_name_place_and_value() {
        for (name, text, expected) in [
            (
                "listen",
                "8730",
                "--listen: expected an address and port such as 127.0.0.1:8730, but found `8730`",
            ),
            ("dialect", "x", "--dialect: expected a dialect, but found `x`"),
            ("user_agent", "a\nb", "--user-agent: "),
            ("from", "a\nb", "--from: "),
            ("log_level", "verger=x", "--log-level: expected levels such as "),
            ("allow_net", "x", "--allow-net: "),
            ("host", "a b", "--host: expected a host name, but found `a b`"),
        ] {
            let error = given(name, text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let none = SettingText {
            name: "listen",
            texts: Vec::new(),
            source: Source::File("verger.toml".to_owned()),
        };
        let error = Settings::of(&[none]).unwrap_err().to_string();
        assert!(error.starts_with("verger.toml, key `serve.listen`: "), "{error}");
    }
}
