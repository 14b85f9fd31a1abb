//! The arguments of what fetches.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::ValueHint;
use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use ipnet::IpNet;
use verger::access::Profile;
use verger_fetch::fetch::{Identity, IdentityError};
use verger_fetch::guard::parse_net;
use verger_fetch::limits::{PER_ADDRESS, TOTAL};

use crate::proxy::ProxyArg;

/// How robots.txt is fetched and kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fetching")]
pub(crate) struct LiveArgs {
    /// The store; `memory` keeps nothing [default: verger/store.sqlite in the user's cache directory]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<PathBuf>,

    /// The User-Agent header [default: the agent and Verger's version]
    #[arg(long, value_name = "HEADER", value_parser = any_bytes(header))]
    pub(crate) user_agent: Option<String>,

    /// The From header: a mail address
    #[arg(long, value_name = "ADDRESS", value_parser = any_bytes(from))]
    pub(crate) from: Option<String>,

    /// What the results of fetches mean
    #[arg(long, value_name = "NAME", value_parser = known(), ignore_case = true, default_value = Profile::default().name)]
    pub(crate) access: Profile,

    /// Let connections into a network that is not public, such as 10.0.0.0/8 or 127.0.0.1; can be given several times
    #[arg(long, value_name = "CIDR", value_parser = parse_net)]
    pub(crate) allow_net: Vec<IpNet>,

    /// Trust the certificates of a PEM file, besides Mozilla's list; can be given several times
    ///
    /// For sites with certificates of a private authority. So does the file that the environment variable
    /// `SSL_CERT_FILE` names.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca_file: Vec<PathBuf>,

    /// Send all requests through an HTTP proxy, such as `http://proxy.example:3128`; `env` takes it from `HTTPS_PROXY`
    ///
    /// https sites are requested through a tunnel (CONNECT). A user and password are part of the URL:
    /// `http://user:password@host:port`. With `env`, the environment variable `HTTPS_PROXY` or `https_proxy`
    /// names the proxy; without this flag neither is read. The proxy resolves the names of sites, so it should
    /// not be able to reach private networks: Verger checks names, ports and literal addresses only.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = OsStringValueParser::new().map(|text| ProxyArg::from(text.as_os_str())))]
    pub(crate) proxy: Option<ProxyArg>,

    /// Seconds that a fetch may take, redirects and all [default: 30]
    ///
    /// Its phases (DNS, connecting, TLS, the response head, pauses of the body) have shorter limits of 3 to
    /// 10 seconds. With this flag each may take as long as the whole fetch.
    #[arg(long, value_name = "SECONDS", value_parser = timeout)]
    pub(crate) timeout: Option<Duration>,

    /// Connections to one IP address at the same time; silent ones do not count [default: 4]
    #[arg(long, value_name = "N", value_parser = connections)]
    pub(crate) max_connections_per_address: Option<usize>,

    /// Fetch anew what is kept for longer, in seconds [default: as long as it is fresh]
    ///
    /// While a site is down nothing is fetched before the next try, whatever is said here; `verger fetch`
    /// asks at once, always.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "offline")]
    pub(crate) max_age: Option<Duration>,

    /// Ask the store alone, and send nothing
    #[arg(long)]
    pub(crate) offline: bool,
}

/// What has no meaning where robots.txt is a file on disk. `access` is not among them: it has a default.
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

impl LiveArgs {
    /// The first of them that was given, as it is written.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.store.is_some(), "--store"),
            (self.user_agent.is_some(), "--user-agent"),
            (self.from.is_some(), "--from"),
            (!self.allow_net.is_empty(), "--allow-net"),
            (!self.ca_file.is_empty(), "--ca-file"),
            (self.proxy.is_some(), "--proxy"),
            (self.timeout.is_some(), "--timeout"),
            (self.max_connections_per_address.is_some(), "--max-connections-per-address"),
            (self.max_age.is_some(), "--max-age"),
            (self.offline, "--offline"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

fn known() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.iter().map(Profile::name))
        .try_map(|name| Profile::named(&name).ok_or("expected the name of an access profile"))
}

/// A parser of any bytes: clap's error for what is not UTF-8 does not name the flag.
fn any_bytes(
    read: fn(&OsStr) -> Result<String, IdentityError>,
) -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().try_map(move |text: OsString| read(&text))
}

// What stands in for bytes that are not UTF-8 is no ASCII either.
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
    fn an_address_is_a_network_of_its_own() {
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
    fn a_fetch_has_the_time_that_the_client_takes() {
        assert_eq!(timeout("0.01"), Ok(TOTAL.least));
        assert_eq!(timeout("120"), Ok(TOTAL.most));
        for bad in ["0", "120.001", "-1", "NaN", "inf", "soon"] {
            assert!(timeout(bad).is_err(), "{bad}");
        }
    }
}
