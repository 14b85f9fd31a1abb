//! The outcome of a fetch.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use super::Failure;
use crate::guard::Refusal;
use crate::limits::LimitReached;
use crate::net::NetworkError;

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
    /// More redirects than allowed, or a loop (REP-ACCESS-23).
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
