//! The arguments of commands that fetch.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use ipnet::IpNet;
use verger::access::Profile;
use verger_fetch::fetch::{Identity, IdentityError};
use verger_fetch::guard::parse_net;
use verger_fetch::limits::{PER_ADDRESS, TOTAL};

use crate::network::ProxyArg;

/// Fetching and storage of robots.txt.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fetching")]
pub(crate) struct LiveArgs {
    /// Path of the store, or `memory` [default: verger/store.sqlite in the user's cache directory]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<PathBuf>,

    /// User-Agent header of requests [default: the agent and Verger's version]
    #[arg(long, value_name = "HEADER", value_parser = any_bytes(header))]
    pub(crate) user_agent: Option<String>,

    /// From header of requests, a mail address [default: none]
    #[arg(long, value_name = "ADDRESS", value_parser = any_bytes(from))]
    pub(crate) from: Option<String>,

    /// Access profile: the policy for failed or redirected fetches of robots.txt
    #[arg(long, value_name = "NAME", value_parser = known(), ignore_case = true, default_value = Profile::default().name)]
    pub(crate) access: Profile,

    /// Allow connections to a network that is not public, such as 10.0.0.0/8 or 127.0.0.1; can be
    /// repeated
    #[arg(long, value_name = "CIDR", value_parser = parse_net)]
    pub(crate) allow_net: Vec<IpNet>,

    /// Trust the certificates of a PEM file, in addition to Mozilla's list; can be repeated
    ///
    /// For sites with certificates of a private authority. The file that the environment variable
    /// `SSL_CERT_FILE` names is trusted, too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca_file: Vec<PathBuf>,

    /// HTTP proxy for all requests, such as `http://proxy.example:3128`, or `env` for `HTTPS_PROXY`
    /// [default: none]
    ///
    /// Requests to https sites use a tunnel (CONNECT). A user and password are part of the URL:
    /// `http://user:password@host:port`. With `env`, the environment variable `HTTPS_PROXY` or
    /// `https_proxy` names the proxy; without this flag, neither is read. The proxy resolves the
    /// names of sites, so it should not be able to reach private networks: Verger checks only
    /// names, ports and literal addresses.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = OsStringValueParser::new().map(|text| ProxyArg::from(text.as_os_str())))]
    pub(crate) proxy: Option<ProxyArg>,

    /// Maximum seconds of a fetch, including redirects [default: 30]
    ///
    /// By default, the phases of a fetch have shorter limits of 3 to 10 seconds: DNS, connection,
    /// TLS, the response head, and each pause in the body. With this flag, each phase can take as
    /// long as the fetch.
    #[arg(long, value_name = "SECONDS", value_parser = timeout)]
    pub(crate) timeout: Option<Duration>,

    /// Maximum connections to one IP address at a time; silent ones do not count [default: 4]
    #[arg(long, value_name = "N", value_parser = connections)]
    pub(crate) max_connections_per_address: Option<usize>,

    /// Maximum age of a stored robots.txt in seconds [default: as long as it is fresh]
    ///
    /// An older file is fetched again. During an outage of the site, nothing is fetched before the
    /// next try. `verger fetch` always fetches.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "offline")]
    pub(crate) max_age: Option<Duration>,

    /// Use only the store, and send nothing
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Arguments that have no effect if robots.txt is a file. `access` is not listed, because it has a
/// default.
pub(super) const LIVE: [&str; 10] = [
    "store",
    "user_agent",
    "from",
    "allow_net",
    "ca_file",
    "proxy",
    "timeout",
    "max_connections_per_address",
    "max_age",
    "offline",
];

/// The access profiles in their order, each with a line of help.
const PROFILES: [(Profile, &str); Profile::ALL.len()] = [
    (Profile::RFC9309, "RFC 9309 of 2022, with Verger's defaults for its gaps"),
    (Profile::GOOGLE, "Google's documentation of today"),
    (Profile::GOOGLE_OLD, "An earlier version of Google's documentation"),
    (Profile::KOSTER1996, "The drafts of November and December 1996"),
    (Profile::BOOK, "Section 9.4 of the book HTTP: The Definitive Guide, 2002"),
    (Profile::ORIG1994, "The standard of 1994"),
    (Profile::REP2019, "The draft of July 2019 that became RFC 9309"),
    (Profile::YANDEX, "Yandex's documentation"),
    (Profile::AMAZONBOT, "Amazonbot's documentation"),
    (Profile::STRICT, "Restrictive: 401, 403 and failed redirects disallow everything"),
    (
        Profile::ARCHIVE,
        "Permissive: unreachable sites are unrestricted unless a stored copy says otherwise",
    ),
];

impl LiveArgs {
    /// The first of [`LIVE`] that is present, with its dashes.
    pub(crate) fn first_given(&self) -> Option<String> {
        let given = [
            self.store.is_some(),
            self.user_agent.is_some(),
            self.from.is_some(),
            !self.allow_net.is_empty(),
            !self.ca_file.is_empty(),
            self.proxy.is_some(),
            self.timeout.is_some(),
            self.max_connections_per_address.is_some(),
            self.max_age.is_some(),
            self.offline,
        ];
        let (id, _) = LIVE.iter().zip(given).find(|(_, is_given)| *is_given)?;
        Some(format!("--{}", id.replace('_', "-")))
    }
}

fn known() -> impl TypedValueParser<Value = Profile> {
    let names = PROFILES.map(|(row, help)| PossibleValue::new(row.name).help(help));
    PossibleValuesParser::new(names)
        .try_map(|name| Profile::named(&name).ok_or("expected the name of an access profile"))
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
