//! The arguments of commands that fetch.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueHint};
use ipnet::IpNet;
use verger::access::Profile;
use verger_fetch::fetch::{Identity, IdentityError};
use verger_fetch::guard::parse_net;
use verger_fetch::limits::{PER_ADDRESS, TOTAL};

use super::named;

/// Fetching and storage of robots.txt.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Fetching")]
pub(crate) struct LiveArgs {
    /// File that caches robots.txt between runs (the store); `memory` caches for this run only
    /// [default: verger/store.sqlite in the user's cache directory]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<PathBuf>,

    /// User-Agent header of requests [default: verger/VERSION]
    ///
    /// VERSION is the version of Verger. The name of the crawler does not change the header.
    #[arg(long, value_name = "HEADER", value_parser = any_bytes(header))]
    pub(crate) user_agent: Option<String>,

    /// Value of the From header of requests, an email address [default: no From header]
    #[arg(long, value_name = "ADDRESS", value_parser = any_bytes(from))]
    pub(crate) from: Option<String>,

    /// Access profile: how to treat failed or redirected fetches of robots.txt
    ///
    /// In the list, an outage is a time in which robots.txt is unreachable, for example because of
    /// 5xx, 429 or network failures. A copy is a robots.txt that was stored before the outage.
    #[arg(long, value_name = "NAME", value_parser = named(PROFILES, |row| row.name), ignore_case = true, default_value = Profile::default().name)]
    pub(crate) access: Profile,

    /// Allow connections to a private, loopback or other non-public network or address, such as
    /// 10.0.0.0/8 or 127.0.0.1; can be repeated
    #[arg(long, value_name = "CIDR", value_parser = parse_net)]
    pub(crate) allow_net: Vec<IpNet>,

    /// Trust the certificates of a PEM file, in addition to Mozilla's list; can be repeated
    ///
    /// Sites with certificates of a private authority need this. The file in the environment
    /// variable `SSL_CERT_FILE` is also trusted.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca_file: Vec<PathBuf>,

    /// HTTP proxy for all requests, such as `http://proxy.example:3128`, or `env` for the
    /// environment variable `HTTPS_PROXY` [default: no proxy]
    ///
    /// Requests to https sites use a tunnel (CONNECT). Put a user and password in the URL:
    /// `http://user:password@host:port`. `env` reads `HTTPS_PROXY` or `https_proxy`; without
    /// `--proxy`, both variables are ignored. The proxy resolves host names, so Verger cannot
    /// refuse a name that resolves to a private address: use a proxy that cannot reach private
    /// networks.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = OsStringValueParser::new().map(|text| ProxyArg::from(text.as_os_str())))]
    pub(crate) proxy: Option<ProxyArg>,

    /// Timeout of a whole fetch in seconds, including redirects, from 0.01 to 120 [default: 30]
    ///
    /// By default, each phase of a fetch also has a timeout of 3 to 10 seconds: DNS, connection,
    /// TLS, response headers, and idle time while reading the body. With this flag, only the
    /// timeout of the whole fetch applies.
    #[arg(long, value_name = "SECONDS", value_parser = timeout)]
    pub(crate) timeout: Option<Duration>,

    /// Maximum number of concurrent connections to one IP address [default: 4]
    ///
    /// A connection whose server is silent for more than about a second is not counted.
    #[arg(long, value_name = "N", value_parser = connections)]
    pub(crate) max_connections_per_address: Option<usize>,

    /// Maximum age of a stored robots.txt in seconds [default: its cache lifetime]
    ///
    /// An older robots.txt is fetched again. The cache lifetime comes from the Cache-Control or
    /// Expires header of the response, within limits of the access profile. In `rfc9309` it is 5
    /// minutes to 1 day, and 1 day without these headers. If the last fetch failed, this flag has
    /// no effect: Verger retries on its own schedule.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "offline")]
    pub(crate) max_age: Option<Duration>,

    /// Use only the stored robots.txt files, and send no requests
    #[arg(long)]
    pub(crate) offline: bool,
}

/// The value of `--proxy`. It can contain a password, so it is never shown. It is parsed
/// later, because an error of the argument parser would quote it.
#[derive(Clone)]
pub(crate) struct ProxyArg(pub(crate) String);

impl From<&OsStr> for ProxyArg {
    fn from(text: &OsStr) -> Self {
        // The URL of a proxy cannot contain the replacement character.
        Self(text.to_string_lossy().into_owned())
    }
}

impl Debug for ProxyArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProxyArg")
    }
}

/// Arguments that have no effect if robots.txt is a file, and whether they are present. `access` is
/// not listed, because it has a default.
pub(super) const LIVE: [(&str, IsGiven); 10] = [
    ("store", |args| args.store.is_some()),
    ("user_agent", |args| args.user_agent.is_some()),
    ("from", |args| args.from.is_some()),
    ("allow_net", |args| !args.allow_net.is_empty()),
    ("ca_file", |args| !args.ca_file.is_empty()),
    ("proxy", |args| args.proxy.is_some()),
    ("timeout", |args| args.timeout.is_some()),
    ("max_connections_per_address", |args| args.max_connections_per_address.is_some()),
    ("max_age", |args| args.max_age.is_some()),
    ("offline", |args| args.offline),
];

type IsGiven = fn(&LiveArgs) -> bool;

/// The access profiles in their order, each with a line of help.
const PROFILES: [(Profile, &str); Profile::ALL.len()] = [
    (
        Profile::RFC9309,
        "RFC 9309 (2022), with Verger's choices where the RFC says nothing. Outage: use the copy; \
         if there is none, disallow for 30 days, then allow",
    ),
    (
        Profile::GOOGLE,
        "Google's documentation as of 2026. First 12 hours of an outage: disallow. Until 30 days: \
         use the copy; if there is none, allow. After 30 days: allow if other URLs of the site \
         answer, else disallow",
    ),
    (
        Profile::GOOGLE_OLD,
        "An earlier version of Google's documentation. First 30 days of an outage: disallow. After \
         30 days: use the copy; if there is none, allow",
    ),
    (
        Profile::KOSTER1996,
        "Martijn Koster's Internet-Drafts of November and December 1996. 401, 403 and outages \
         disallow everything",
    ),
    (
        Profile::BOOK,
        "Section 9.4 of the book HTTP: The Definitive Guide (2002). 401, 403 and outages disallow \
         everything",
    ),
    (
        Profile::ORIG1994,
        "The original 1994 standard, which says almost nothing about failed fetches; works like \
         rfc9309",
    ),
    (
        Profile::REP2019,
        "The draft of July 2019 that became RFC 9309. 429 allows everything; otherwise as rfc9309",
    ),
    (Profile::YANDEX, "Yandex's documentation. 429 and outages allow everything"),
    (
        Profile::AMAZONBOT,
        "Amazonbot's documentation. 4xx is an outage, too. Outage: use the copy until it is 30 \
         days old, then allow; if there is none, allow",
    ),
    (
        Profile::STRICT,
        "Verger's restrictive profile. 401, 403, too many or broken redirects, and redirects from https to http \
         disallow everything; otherwise as rfc9309",
    ),
    (
        Profile::ARCHIVE,
        "Verger's permissive profile. Outage: use the copy; if there is none, allow. Otherwise as \
         rfc9309",
    ),
];

impl LiveArgs {
    /// The first of [`LIVE`] that is present, with its dashes.
    pub(crate) fn first_given(&self) -> Option<String> {
        let (id, _) = LIVE.iter().find(|(_, is_given)| is_given(self))?;
        Some(format!("--{}", id.replace('_', "-")))
    }
}

/// A parser of any bytes, because Clap's error about invalid UTF-8 does not name the flag.
fn any_bytes(
    read: fn(&OsStr) -> Result<String, IdentityError>,
) -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().try_map(move |text: OsString| read(&text))
}

// The replacement character for invalid UTF-8 is invalid in a header, too.
fn header(text: &OsStr) -> Result<String, IdentityError> {
    let text = text.to_string_lossy().into_owned();
    Identity::new(&text).map(|_| text)
}

fn from(text: &OsStr) -> Result<String, IdentityError> {
    let text = text.to_string_lossy().into_owned();
    Identity::new("verger")?.with_from(&text).map(|_| text)
}

fn timeout(text: &str) -> Result<Duration, String> {
    let time = seconds(text)?;
    if (TOTAL.least..=TOTAL.most).contains(&time) {
        return Ok(time);
    }
    let [least, most] = [TOTAL.least, TOTAL.most].map(|end| end.as_secs_f64());
    Err(format!("expected {least} to {most} seconds"))
}

fn connections(text: &str) -> Result<usize, String> {
    let (least, most) = (PER_ADDRESS.least, PER_ADDRESS.most);
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().map_err(|_| "expected a number of seconds")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "expected a number of seconds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_access_profile_is_listed_in_order() {
        assert!(PROFILES.iter().map(|(row, _)| row).eq(Profile::ALL.iter()));
    }

    #[test]
    fn an_address_is_a_network() {
        for (text, expected) in [
            ("10.0.0.0/8", Some("10.0.0.0/8")),
            ("127.0.0.1", Some("127.0.0.1/32")),
            ("::1", Some("::1/128")),
            ("10.0.0.0/33", None),
            ("127.0.0", None),
            ("localhost", None),
            ("", None),
        ] {
            let net = parse_net(text).ok().map(|net| net.to_string());
            assert_eq!(net.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_timeout_has_the_bounds_of_the_client() {
        assert_eq!(timeout("0.01"), Ok(TOTAL.least));
        assert_eq!(timeout("120"), Ok(TOTAL.most));
        for bad in ["0", "120.001", "-1", "NaN", "inf", "soon"] {
            assert!(timeout(bad).is_err(), "{bad}");
        }
    }
}
