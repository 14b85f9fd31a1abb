//! Names and their addresses, for an injected resolver without DNS packets.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

/// The answer to one look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Addresses and their time to live.
    Addresses(Vec<IpAddr>, Duration),
    /// No address.
    Fails(NoAddress),
    /// No answer, ever.
    Never,
}

impl Lookup {
    /// Returns an answer with addresses and a time to live of one minute.
    pub fn addresses(all: impl IntoIterator<Item = IpAddr>) -> Self {
        Self::Addresses(all.into_iter().collect(), Duration::from_secs(60))
    }
}

/// Reason for the absence of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAddress {
    /// NXDOMAIN.
    NoSuchName,
    /// The name exists without addresses.
    NoData,
    /// SERVFAIL.
    ServerFailure,
    /// REFUSED.
    Refused,
    /// The answer was truncated, and TCP gave none.
    Truncated,
    /// CNAME records form a loop.
    Loop,
    /// Too many CNAME records.
    ChainTooLong,
    /// DNSSEC validation failed.
    Bogus,
}

impl std::fmt::Display for NoAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoSuchName => "no such name",
            Self::NoData => "the name has no address",
            Self::ServerFailure => "the name server failed",
            Self::Refused => "the name server refused",
            Self::Truncated => "the answer was cut",
            Self::Loop => "aliases lead in a circle",
            Self::ChainTooLong => "too many aliases",
            Self::Bogus => "the answer is forged",
        })
    }
}

impl std::error::Error for NoAddress {}

/// A zone: a sequence of answers for each name. The last one is repeated.
///
/// ```
/// use verger_testkit::server::{Lookup, Zone};
///
/// let public = Lookup::addresses(["93.184.216.34".parse()?]);
/// let private = Lookup::addresses(["10.0.0.1".parse()?]);
/// let mut zone = Zone::default();
/// zone.add("shop.example", [public.clone(), private.clone()]);
/// assert_eq!(zone.next("SHOP.example."), public);
/// assert_eq!(zone.next("shop.example"), private);
/// assert_eq!(zone.next("shop.example"), private);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Zone {
    names: BTreeMap<String, NameAnswers>,
}

#[derive(Clone, Debug)]
struct NameAnswers {
    all: Vec<Lookup>,
    given: usize,
}

impl Zone {
    /// Sets the answers of a name.
    pub fn add(&mut self, name: &str, answers: impl IntoIterator<Item = Lookup>) {
        let answers = NameAnswers { all: answers.into_iter().collect(), given: 0 };
        self.names.insert(key(name), answers);
    }

    /// Returns the next answer for a name. Other names do not exist.
    pub fn next(&mut self, name: &str) -> Lookup {
        let Some(answers) = self.names.get_mut(&key(name)) else {
            return Lookup::Fails(NoAddress::NoSuchName);
        };
        let next = answers.all.get(answers.given).or(answers.all.last());
        answers.given += 1;
        next.cloned().unwrap_or(Lookup::Fails(NoAddress::NoData))
    }
}

/// Names are compared case-insensitively, without a final dot.
fn key(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}
