//! Settings of the service: `verger.toml`, then the environment, then flags.
//!
//! # Flow
//!
//! Each field of [`Settings`] is a flag, an environment variable and a key of the file.
//! `arguments.rs` reads all three: Clap parses every value, and the file has the defaults of flags.

mod arguments;

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{ArgAction, Args, Command, FromArgMatches as _};
use ipnet::IpNet;
use tracing_subscriber::filter::Targets;
use verger::access::Profile;
use verger::{Dialect, quoted};
use verger_fetch::fetch::Identity;
use verger_fetch::guard::parse_net;

pub use self::arguments::{Action, command, parse};

/// All settings, with their defaults. Ranges and meanings are those of the flags, also for a
/// program that sets the fields itself: nothing checks these, and a limit of zero permits nothing.
#[derive(Args, Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "programs change some of the defaults")]
pub struct Settings {
    /// Addresses and ports to listen on. Default: `127.0.0.1` and `::1`, port 8730. Addresses other
    /// than loopback need `token_file`.
    #[arg(
        long, value_name = "ADDRESS:PORT", value_delimiter = ',',
        value_parser = address, default_values = ["127.0.0.1:8730", "[::1]:8730"]
    )]
    pub listen: Vec<SocketAddr>,
    /// Names that clients use for the service, besides localhost and the listening addresses.
    /// Requests with another Host header are refused.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = host)]
    pub host: Vec<String>,
    /// File with the tokens of clients, one on each line, at least 32 bytes long. Default: none, so
    /// every local process may ask.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// File with the tokens that may also import records. Without it, nobody may if `token_file` is
    /// set.
    #[arg(long, value_name = "FILE")]
    pub admin_token_file: Option<PathBuf>,
    /// Storage of records: memory, the path of a SQLite file, or the URL of a Redis server, or
    /// several URLs with commas for a Redis Cluster. Default: memory.
    #[arg(long, value_name = "STORE", default_value = "memory")]
    pub store: String,
    /// File with a key of 64 hexadecimal digits, for a Redis server that others can write to:
    /// values with another key are ignored. Default: none.
    #[arg(long, value_name = "FILE")]
    pub store_key_file: Option<PathBuf>,
    /// User-Agent header of requests for robots.txt. Default: verger-serve with its version.
    #[arg(long, value_name = "HEADER", value_parser = user_agent, default_value = USER_AGENT)]
    pub user_agent: String,
    /// From header of requests: an e-mail address. Default: none.
    #[arg(long, value_name = "ADDRESS", value_parser = from)]
    pub from: Option<String>,
    /// Default dialect of questions. Default: rfc9309.
    #[arg(
        long, value_name = "NAME",
        value_parser = dialect, default_value = Dialect::default().name
    )]
    pub dialect: Dialect,
    /// Access profile of the service. Default: rfc9309.
    #[arg(
        long, value_name = "NAME",
        value_parser = access, default_value = Profile::default().name
    )]
    pub access: Profile,
    /// Private networks from which robots.txt may be fetched, such as 10.1.0.0/16. Default: none.
    #[arg(long, value_name = "NETWORK", value_delimiter = ',', value_parser = net)]
    pub allow_net: Vec<IpNet>,
    /// Directory of lists of addresses for `POST /v1/identify`, read at the start. Default: the
    /// lists of this release.
    #[arg(long, value_name = "DIR")]
    pub identity_lists: Option<PathBuf>,
    /// Networks of the proxies in front of the sites whose requests are identified. Default: none.
    #[arg(long, value_name = "NETWORK", value_delimiter = ',', value_parser = net)]
    pub identity_proxy: Vec<IpNet>,
    /// Field in which these proxies write the address of their client. Default: X-Forwarded-For.
    #[arg(long, value_name = "NAME", default_value = "X-Forwarded-For")]
    pub identity_field: String,
    /// Hosts of these sites: signatures of requests for other hosts fail. Default: any.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = host)]
    pub identity_authority: Vec<String>,
    /// Files of certificates to trust in addition to Mozilla's list.
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub ca_file: Vec<PathBuf>,
    /// Seconds for a fetch of robots.txt with all redirects. Default: 30.
    #[arg(
        id = "fetch_seconds", long = "fetch-seconds", value_name = "NUMBER",
        value_parser = number(1..=120).map(Duration::from_secs), default_value = "30"
    )]
    pub fetch_time: Duration,
    /// Milliseconds that a question waits for a robots.txt that is not in the store, unless the
    /// question sets its own time. Default: 10000.
    #[arg(
        id = "wait_ms", long = "wait-ms", value_name = "NUMBER",
        value_parser = number(0..=30_000).map(Duration::from_millis), default_value = "10000"
    )]
    pub wait: Duration,
    /// Maximum concurrent connections. Default: 1024.
    #[arg(
        long, value_name = "NUMBER",
        value_parser = number::<usize>(1..=65_536), default_value = "1024"
    )]
    pub max_connections: usize,
    /// Maximum concurrent requests. Default: 512.
    #[arg(
        long, value_name = "NUMBER",
        value_parser = number::<usize>(1..=65_536), default_value = "512"
    )]
    pub max_requests: usize,
    /// Requests per second from one address, in bursts of up to twice as many. Default: 0, no
    /// limit.
    #[arg(
        long, value_name = "NUMBER",
        value_parser = number::<u32>(0..=1_000_000), default_value = "0"
    )]
    pub rate: u32,
    /// Maximum bytes of the body of a request. Default: 1048576.
    #[arg(
        long, value_name = "NUMBER", value_parser = number::<usize>(1_024..=16_777_216),
        default_value = "1048576"
    )]
    pub max_body: usize,
    /// Maximum URLs in one question. Default: 1000.
    #[arg(
        long, value_name = "NUMBER",
        value_parser = number::<usize>(1..=10_000), default_value = "1000"
    )]
    pub max_urls: usize,
    /// Maximum origins of the URLs of one question. Default: 100.
    #[arg(
        long, value_name = "NUMBER",
        value_parser = number::<usize>(1..=10_000), default_value = "100"
    )]
    pub max_origins: usize,
    /// Seconds in which the head of a request must arrive, after `idle_seconds` at most. Default:
    /// 5.
    #[arg(
        id = "header_seconds", long = "header-seconds", value_name = "NUMBER",
        value_parser = number(1..=60).map(Duration::from_secs), default_value = "5"
    )]
    pub header_time: Duration,
    /// Seconds in which the body of a request must arrive. Default: 10.
    #[arg(
        id = "body_seconds", long = "body-seconds", value_name = "NUMBER",
        value_parser = number(1..=300).map(Duration::from_secs), default_value = "10"
    )]
    pub body_time: Duration,
    /// Seconds after which a connection without a request, or a reader that takes no data, is
    /// closed. Default: 30.
    #[arg(
        id = "idle_seconds", long = "idle-seconds", value_name = "NUMBER",
        value_parser = number(1..=3_600).map(Duration::from_secs), default_value = "30"
    )]
    pub idle_time: Duration,
    /// Seconds for accepted requests to finish after a stop signal. Default: 10.
    #[arg(
        id = "stop_seconds", long = "stop-seconds", value_name = "NUMBER",
        value_parser = number(0..=300).map(Duration::from_secs), default_value = "10"
    )]
    pub stop_time: Duration,
    /// Maximum size of the prepared answers in memory, in MiB. Default: 64.
    #[arg(
        id = "cache_mb", long = "cache-mb", value_name = "NUMBER",
        value_parser = number(1..=65_536).map(|it: usize| it * 1_048_576), default_value = "64"
    )]
    pub cache_bytes: usize,
    /// Worker threads. Default: 0, one for each core.
    #[arg(
        long, value_name = "NUMBER",
        value_parser = number::<usize>(0..=1_024), default_value = "0"
    )]
    pub threads: usize,
    /// Format of the log on standard error: text, or json for one object on each line. Default:
    /// text.
    #[arg(
        id = "log", long = "log", value_name = "FORMAT",
        action = ArgAction::Set, value_parser = log(), default_value = "text"
    )]
    pub json_log: bool,
    /// Levels of the log: error, warn, info, debug or trace, also for single modules, as in
    /// `warn,verger_fetch=debug`. Default: info.
    #[arg(long, value_name = "LEVEL", value_parser = log_level, default_value = "info")]
    pub log_level: String,
}

impl Default for Settings {
    fn default() -> Self {
        let matches = definition().try_get_matches_from(["verger-serve"]);
        matches
            .and_then(|matches| Self::from_arg_matches(&matches))
            .unwrap_or_else(|_| unreachable!("the defaults are valid"))
    }
}

/// The flags of all settings, without environment variables.
fn definition() -> Command {
    Settings::augment_args(Command::new("verger-serve"))
}

const USER_AGENT: &str = concat!("verger-serve/", env!("CARGO_PKG_VERSION"));

/// A whole number.
fn number<T: TryFrom<u64>>(range: RangeInclusive<u64>) -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(range)
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let found = quoted(text);
        format!("expected an address and port such as 127.0.0.1:8730, but found {found}")
    })
}

fn host(text: &str) -> Result<String, String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-[]:_".contains(&byte);
    let is_host = !text.is_empty() && text.bytes().all(is_name);
    let error = || format!("expected a host name, but found {}", quoted(text));
    is_host.then(|| text.to_ascii_lowercase()).ok_or_else(error)
}

fn user_agent(text: &str) -> Result<String, String> {
    Identity::new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn from(text: &str) -> Result<String, String> {
    let identity = Identity::new("verger-serve").and_then(|it| it.with_from(text));
    identity.map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn dialect(name: &str) -> Result<Dialect, String> {
    Dialect::named(name).ok_or_else(|| format!("expected a dialect, but found {}", quoted(name)))
}

fn access(name: &str) -> Result<Profile, String> {
    let error = || format!("expected an access profile, but found {}", quoted(name));
    Profile::named(name).ok_or_else(error)
}

fn net(text: &str) -> Result<IpNet, String> {
    parse_net(text).map_err(|error| error.to_string())
}

/// Whether the log is JSON.
fn log() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["text", "json"]).map(|format| format == "json")
}

fn log_level(text: &str) -> Result<String, String> {
    let found = quoted(text);
    let error = |_| format!("expected levels such as warn,verger_fetch=debug, but found {found}");
    text.parse::<Targets>().map(|_| text.to_owned()).map_err(error)
}

#[cfg(test)]
mod tests {
    use clap::Arg;
    use serde_json::{Value, json};

    use super::*;

    fn given(name: &str, text: &str) -> Result<Settings, clap::Error> {
        let flag = format!("--{}={text}", name.replace('_', "-"));
        Settings::from_arg_matches(&definition().try_get_matches_from(["verger-serve", &flag])?)
    }

    /// The least and largest value of a number.
    fn range(arg: &Arg) -> Option<(u64, u64)> {
        let error = given(arg.get_id().as_str(), &u64::MAX.to_string()).err()?.to_string();
        let (least, most) = error.split_once("is not in ")?.1.split_once("..=")?;
        Some((least.parse().unwrap(), most.lines().next()?.parse().unwrap()))
    }

    fn about(arg: &Arg) -> String {
        format!("{}.", arg.get_help().unwrap())
    }

    #[test]
    fn defaults_are_valid_and_local() {
        let settings = Settings::default();
        assert_eq!(settings.listen.len(), 2);
        assert!(settings.listen.iter().all(|address| address.ip().is_loopback()));
        assert_eq!((settings.max_urls, settings.store.as_str()), (1_000, "memory"));
    }

    #[test]
    fn every_setting_has_an_effect() {
        for arg in definition().get_arguments() {
            let name = arg.get_id().as_str();
            let text = match (name, range(arg)) {
                (_, Some((_, most))) => most.to_string(),
                ("listen", _) => "127.0.0.1:1".to_owned(),
                ("host", _) => "robots.example".to_owned(),
                ("allow_net" | "identity_proxy", _) => "10.0.0.0/8".to_owned(),
                ("dialect", _) => "google".to_owned(),
                ("access", _) => "strict".to_owned(),
                ("log", _) => "json".to_owned(),
                _ => "x".to_owned(),
            };
            let shown = |settings: Settings| format!("{settings:?}");
            assert_ne!(shown(given(name, &text).unwrap()), shown(Settings::default()), "{name}");
        }
    }

    #[test]
    fn the_book_has_every_setting() {
        let page = include_str!("../../../../docs/service.md");
        for arg in definition().get_arguments() {
            let (row, about) = (format!("| `{}` |", arg.get_id()), about(arg));
            let is_row = |line: &str| line.starts_with(&row) && line.contains(&about);
            assert!(page.lines().any(is_row), "{row}: {about}");
        }
    }

    /// The JSON schema of `verger.toml` in `docs/` is current. `EXPORT=overwrite` writes it.
    #[test]
    fn committed_schema() {
        let property = |arg: &Arg| {
            let names: Vec<_> =
                arg.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect();
            let mut property = match range(arg) {
                Some((least, most)) => {
                    json!({ "type": "integer", "minimum": least, "maximum": most })
                }
                None if !names.is_empty() => json!({ "type": "string", "enum": names }),
                None if matches!(arg.get_action(), ArgAction::Append) => {
                    json!({ "type": "array", "items": { "type": "string" } })
                }
                None => json!({ "type": "string" }),
            };
            property["description"] = about(arg).into();
            (arg.get_id().to_string(), property)
        };
        let definition = definition();
        let properties = definition.get_arguments().map(property);
        let mut schema = verger_lint::schema().to_value();
        schema["properties"]["serve"] = json!({
            "description": "Settings of `verger-serve`.",
            "type": "object",
            "additionalProperties": false,
            "properties": properties.collect::<serde_json::Map<_, Value>>(),
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
