//! The outcome of a fetch, and its failure.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::guard::Refusal;
use crate::limits::LimitReached;
use crate::net::{Blames, NetworkError};

/// The outcome of a fetch. `docs/clauses.md` defines the meaning of each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchOutcome {
    /// A whole 2xx response: the body is the file. That of 204 and 205 is empty (REP-AMB-46).
    Success,
    /// A final status other than success and redirect.
    ///
    /// FTP's 550 to RETR, "no such file", becomes 404: both mean that there is no robots.txt
    /// (REP-ACCESS-11).
    Status(u16),
    /// 304 to a conditional request: the stored file is current (REP-ACCESS-24).
    NotModified,
    /// More redirects than allowed (REP-ACCESS-23).
    RedirectLimit,
    /// A 3xx without a usable target (REP-AMB-17).
    BrokenRedirect(Broken),
    /// A redirect to a URL that is known to be disallowed (REP-ACCESS-22).
    DisallowedHop,
    /// There is no whole response.
    Network(NetworkError),
    /// The guard refused to connect: the URL itself, a redirect, or an address of the name.
    Refused(Refusal),
    /// A limit of this client was reached for longer than [`TOTAL`](crate::limits::TOTAL), because
    /// of other fetches: usually the limit of connections to an address. It says nothing about the
    /// site.
    Busy(LimitReached),
}

impl FetchOutcome {
    /// Whether there is a whole 2xx response with a usable body.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Success)
    }

    /// Whether it may be due to a suspension of this process.
    pub(super) const fn may_be_late(&self) -> bool {
        match self {
            Self::Network(error) => error.may_be_late(),
            // The server waited for the request.
            Self::Status(408) => true,
            _ => false,
        }
    }
}

/// The defect of a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Broken {
    /// No Location, or an empty one.
    NoLocation,
    /// Several Locations that differ.
    SeveralLocations,
    /// The Location is not a URL.
    BadLocation,
    /// The scheme of the Location is neither http nor https.
    TargetScheme,
    /// From https to http, which this request does not permit (REP-ACCESS-28).
    Downgrade,
    /// 304 to an unconditional request.
    NotModifiedUnasked,
    /// 300, 305, 306 or another 3xx that is not a redirect.
    NoRedirect,
}

impl Display for FetchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (Failure::of(self), self) {
            (Some(failure), _) => failure.fmt(f),
            (None, Self::NotModified) => f.write_str("not modified"),
            (None, Self::Busy(limit)) => limit.fmt(f),
            (None, _) => f.write_str("fetched"),
        }
    }
}

impl Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoLocation => "a redirect without a Location",
            Self::SeveralLocations => "a redirect with several Locations",
            Self::BadLocation => "a redirect with a Location that is no URL",
            Self::TargetScheme => "a redirect to a scheme other than http and https",
            Self::Downgrade => "a redirect from https to http",
            Self::NotModifiedUnasked => "304 to an unconditional request",
            Self::NoRedirect => "a 3xx status that is no redirect",
        })
    }
}

/// The failure of a fetch: a kind with its parameters.
///
/// `Display` is the message for people; programs need not parse it. As JSON (`serde`) it is an
/// object with `kind` and, if the kind has parameters, `detail`.
///
/// # Examples
///
/// ```
/// use verger_fetch::net::{NetworkError, Phase};
/// use verger_fetch::record::Failure;
///
/// let failure = Failure::Network(NetworkError::Timeout(Phase::Head));
/// assert_eq!(failure.to_string(), "the response took too long to begin");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "detail", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// A final status other than success and redirect.
    Status(u16),
    /// More redirects than allowed (REP-ACCESS-23).
    RedirectLimit,
    /// A redirect that cannot be followed, or that the profile forbids (REP-AMB-17, REP-ACCESS-28).
    BrokenRedirect(Broken),
    /// A redirect to a URL that is disallowed to this crawler (REP-ACCESS-22).
    DisallowedHop,
    /// Status 202 without a body (REP-AMB-46).
    AcceptedEmpty,
    /// The guard refused to connect.
    Refused(Refusal),
    /// The robots.txt of this origin has no URL that can be requested.
    NoUrl,
    /// The client is offline: nothing was requested.
    Offline {
        /// Whether the store has a record of the origin.
        has_record: bool,
    },
    /// There is no whole response.
    #[serde(untagged)]
    Network(NetworkError),
}

impl Failure {
    /// The failure of an outcome; `None` for a success, a 304, and a fetch that was not started.
    pub fn of(outcome: &FetchOutcome) -> Option<Self> {
        Some(match outcome {
            FetchOutcome::Success | FetchOutcome::NotModified | FetchOutcome::Busy(_) => {
                return None;
            }
            &FetchOutcome::Status(status) => Self::Status(status),
            FetchOutcome::RedirectLimit => Self::RedirectLimit,
            &FetchOutcome::BrokenRedirect(broken) => Self::BrokenRedirect(broken),
            FetchOutcome::DisallowedHop => Self::DisallowedHop,
            &FetchOutcome::Network(error) => Self::Network(error),
            FetchOutcome::Refused(refusal) => Self::Refused(refusal.clone()),
        })
    }

    /// Whether another try makes no sense until the configuration of the client changes: its guard
    /// refused to connect, or the origin has no URL that can be requested.
    pub const fn lasts(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::NoUrl)
    }

    /// Whether the client itself or its proxy failed, or its guard refused, so that the site
    /// received no request (REP-CACHE-28). False for failures that may be the site's, such as an
    /// unknown host or a proxy that could not reach the site.
    pub fn is_fault(&self) -> bool {
        match self {
            Self::Refused(_) | Self::NoUrl | Self::Offline { .. } => true,
            Self::Network(error) => error.blames(true) == Blames::Crawler,
            _ => false,
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            Self::RedirectLimit => f.write_str("too many redirects"),
            Self::BrokenRedirect(broken) => broken.fmt(f),
            Self::DisallowedHop => f.write_str("redirected to a URL that is disallowed"),
            Self::AcceptedEmpty => f.write_str("status 202 without a body"),
            Self::Network(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::NoUrl => f.write_str("the URL of robots.txt cannot be requested"),
            Self::Offline { has_record: true } => {
                f.write_str("offline, and the stored record of this origin is too old")
            }
            Self::Offline { has_record: false } => {
                f.write_str("offline, and no record of this origin is stored")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Guard;
    use crate::net::{ConnectError, DnsError, FtpStep, Incomplete, Phase, ProxyError};

    #[test]
    fn a_failure_is_unchanged_after_conversion_to_json_and_back() {
        let refusal = Guard::new().check_url(&"http://127.0.0.1/".parse().unwrap()).unwrap_err();
        for (failure, json) in [
            (Failure::Status(503), r#"{"kind":"status","detail":503}"#),
            (Failure::RedirectLimit, r#"{"kind":"redirect_limit"}"#),
            (
                Failure::BrokenRedirect(Broken::NoLocation),
                r#"{"kind":"broken_redirect","detail":"no_location"}"#,
            ),
            (
                Failure::Refused(refusal),
                r#"{"kind":"refused","detail":{"what":"127.0.0.1","why":{"address":"loopback"}}}"#,
            ),
            (
                Failure::Offline { has_record: true },
                r#"{"kind":"offline","detail":{"has_record":true}}"#,
            ),
            (
                Failure::Network(NetworkError::Timeout(Phase::Head)),
                r#"{"kind":"timeout","detail":"head"}"#,
            ),
            (
                Failure::Network(NetworkError::Connect(ConnectError::Refused)),
                r#"{"kind":"connect","detail":"refused"}"#,
            ),
            (Failure::Network(NetworkError::HeadTooLarge), r#"{"kind":"head_too_large"}"#),
            (
                Failure::Network(NetworkError::Incomplete(Incomplete::Partial)),
                r#"{"kind":"incomplete","detail":"partial"}"#,
            ),
            (
                Failure::Network(NetworkError::Ftp { step: FtpStep::Login, code: Some(530) }),
                r#"{"kind":"ftp","detail":{"step":"login","code":530}}"#,
            ),
            (
                Failure::Network(NetworkError::Proxy(ProxyError::Status(407))),
                r#"{"kind":"proxy","detail":{"status":407}}"#,
            ),
            (
                Failure::Network(NetworkError::Proxy(ProxyError::Connect(ConnectError::Refused))),
                r#"{"kind":"proxy","detail":{"connect":"refused"}}"#,
            ),
            (
                Failure::Network(NetworkError::Proxy(ProxyError::Closed)),
                r#"{"kind":"proxy","detail":"closed"}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&failure).unwrap(), json);
            assert_eq!(serde_json::from_str::<Failure>(json).unwrap(), failure);
        }
    }

    #[test]
    fn faults_of_the_client_differ_from_failures_of_the_site() {
        let refusal = Guard::new().check_url(&"http://127.0.0.1/".parse().unwrap()).unwrap_err();
        let proxy = |error| Failure::Network(NetworkError::Proxy(error));
        for (failure, expected) in [
            (Failure::Refused(refusal), true),
            (Failure::Offline { has_record: true }, true),
            (Failure::NoUrl, true),
            (proxy(ProxyError::Connect(ConnectError::Refused)), true),
            (proxy(ProxyError::Status(407)), true),
            (Failure::Network(NetworkError::Connect(ConnectError::NoResources)), true),
            // Perhaps the site's.
            (proxy(ProxyError::Status(502)), false),
            (Failure::Network(NetworkError::Dns(DnsError::NoSuchName)), false),
            (Failure::Network(NetworkError::Timeout(Phase::Connect)), false),
            (Failure::Network(NetworkError::Connect(ConnectError::Refused)), false),
            (Failure::Status(503), false),
            (Failure::DisallowedHop, false),
            (Failure::RedirectLimit, false),
        ] {
            assert_eq!(failure.is_fault(), expected, "{failure}");
        }
    }
}
