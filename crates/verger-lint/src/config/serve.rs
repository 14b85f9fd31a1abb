//! The settings of the service `verger-serve`, as data: table `[serve]` of `verger.toml`.
//!
//! The service makes its flags and environment variables from the same table.

/// A setting of the service.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ServeKey {
    /// Its name: `max_urls`. The flag is `--max-urls`, the environment variable
    /// `VERGER_SERVE_MAX_URLS`.
    pub name: &'static str,
    /// Its type.
    pub kind: ServeKind,
    /// A sentence for help and the JSON schema, with default and unit.
    pub about: &'static str,
}

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the service reads each")]
pub enum ServeKind {
    /// A text; the word describes it in help.
    Text(&'static str),
    /// An array of texts.
    Texts(&'static str),
    /// A whole number in this range.
    Number {
        /// The smallest value.
        least: u64,
        /// The largest value.
        most: u64,
    },
    /// One of these names.
    Name(&'static [&'static str]),
}

const fn key(name: &'static str, kind: ServeKind, about: &'static str) -> ServeKey {
    ServeKey { name, kind, about }
}

const fn number(name: &'static str, least: u64, most: u64, about: &'static str) -> ServeKey {
    key(name, ServeKind::Number { least, most }, about)
}

/// All settings of the service.
pub const SERVE: &[ServeKey] = &[
    key(
        "listen",
        ServeKind::Texts("ADDRESS:PORT"),
        "Addresses and ports to listen on. Default: 127.0.0.1:8730 and [::1]:8730. Addresses \
         other than loopback need `token_file`.",
    ),
    key(
        "host",
        ServeKind::Texts("NAME"),
        "Names that clients use for the service, besides localhost and the listening addresses. \
         Requests with another Host header are refused.",
    ),
    key(
        "token_file",
        ServeKind::Text("FILE"),
        "File with the tokens of clients, one on each line, at least 32 bytes long. Default: none, \
         so every local process may ask.",
    ),
    key(
        "admin_token_file",
        ServeKind::Text("FILE"),
        "File with the tokens that may also import records. Without it, nobody may if `token_file` \
         is set.",
    ),
    key(
        "store",
        ServeKind::Text("STORE"),
        "Storage of records: memory, the path of a SQLite file, or the URL of a Redis server, or \
         several URLs with commas for a Redis Cluster. Default: memory.",
    ),
    key(
        "store_key_file",
        ServeKind::Text("FILE"),
        "File with a key of 64 hexadecimal digits, for a Redis server that others can write to: \
         values with another key are ignored. Default: none.",
    ),
    key(
        "user_agent",
        ServeKind::Text("HEADER"),
        "User-Agent header of requests for robots.txt. Default: verger-serve with its version.",
    ),
    key(
        "from",
        ServeKind::Text("ADDRESS"),
        "From header of requests: an e-mail address. Default: none.",
    ),
    key(
        "dialect",
        ServeKind::Text("NAME"),
        "Dialect of questions that name none. Default: rfc9309.",
    ),
    key("access", ServeKind::Text("NAME"), "Access profile of the service. Default: rfc9309."),
    key(
        "allow_net",
        ServeKind::Texts("NETWORK"),
        "Private networks from which robots.txt may be fetched, such as 10.1.0.0/16. Default: none.",
    ),
    key(
        "ca_file",
        ServeKind::Texts("FILE"),
        "Files of certificates to trust in addition to Mozilla's list.",
    ),
    number(
        "fetch_seconds",
        1,
        120,
        "Seconds for a fetch of robots.txt with all redirects. Default: 30.",
    ),
    number(
        "wait_ms",
        0,
        30_000,
        "Milliseconds that a question waits for a robots.txt that is not in the store, if it does \
         not say so itself. Default: 10000.",
    ),
    number("max_connections", 1, 65_536, "Concurrent connections. Default: 1024."),
    number("max_requests", 1, 65_536, "Concurrent requests. Default: 512."),
    number(
        "rate",
        0,
        1_000_000,
        "Requests per second from one address, in bursts of up to twice as many. Default: 0, no \
         limit.",
    ),
    number("max_body", 1_024, 16_777_216, "Bytes of the body of a request. Default: 1048576."),
    number("max_urls", 1, 10_000, "URLs in one question. Default: 1000."),
    number("max_origins", 1, 10_000, "Origins of the URLs of one question. Default: 100."),
    number(
        "header_seconds",
        1,
        60,
        "Seconds in which the head of a request must arrive. Default: 5.",
    ),
    number(
        "body_seconds",
        1,
        300,
        "Seconds in which the body of a request must arrive. Default: 10.",
    ),
    number(
        "idle_seconds",
        1,
        3_600,
        "Seconds after which a connection without a request, or a reader that takes no data, is \
         closed. Default: 30.",
    ),
    number("stop_seconds", 0, 300, "Seconds to finish accepted requests at the end. Default: 10."),
    number("cache_mb", 1, 65_536, "Megabytes of prepared answers in memory. Default: 64."),
    number("threads", 0, 1_024, "Worker threads. Default: 0, one for each core."),
    key(
        "log",
        ServeKind::Name(&["text", "json"]),
        "Format of the log on standard error: text, or json for one object on each line. Default: \
         text.",
    ),
    key(
        "log_level",
        ServeKind::Text("LEVEL"),
        "Levels of the log: error, warn, info, debug or trace, also for single parts as in \
         warn,verger_fetch=debug. Default: info.",
    ),
];
