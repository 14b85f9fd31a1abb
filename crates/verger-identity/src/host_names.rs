//! Reverse DNS: the judgement of names that were looked up.

use std::net::IpAddr;

use serde::Serialize;
use verger::access::Timestamp;

use crate::limits::{HOST_ADDRESSES, HOST_NAMES};

/// The answers of DNS about an address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers with their own resolver build it")]
pub struct HostNames {
    /// The names of the address, from its PTR records.
    pub names: Vec<HostName>,
    /// The time of the look-up.
    pub looked_up: Timestamp,
}

/// A name of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers with their own resolver build it")]
pub struct HostName {
    /// The name, with or without a final dot.
    pub name: String,
    /// Its addresses. They matter only for names in a domain of the operator.
    pub addresses: Vec<IpAddr>,
}

/// A name that proves an identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ConfirmedName {
    /// The name of the address.
    pub name: String,
    /// The domain of the operator.
    pub domain: String,
    /// The time of the look-up, which can be long after the request.
    #[serde(serialize_with = "crate::proof::text")]
    pub looked_up: Timestamp,
}

/// The reason that names prove nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum NameFailure {
    /// The address has no name.
    NoName,
    /// No name is in a domain of the operator.
    OtherName {
        /// The first name.
        name: String,
    },
    /// A name in a domain of the operator does not resolve to the address. The owner of an address
    /// can give it any name.
    NotConfirmed {
        /// The name.
        name: String,
        /// Its addresses.
        addresses: Vec<IpAddr>,
    },
}

impl HostNames {
    /// Judges the names of an address: one must be in a domain, and resolve to the address.
    pub(crate) fn judge(
        &self,
        address: IpAddr,
        domains: &[String],
    ) -> Result<ConfirmedName, NameFailure> {
        let address = address.to_canonical();
        let mut failure = None;
        for found in self.names.iter().take(HOST_NAMES) {
            let name = found.name.trim_end_matches('.').to_ascii_lowercase();
            let Some(domain) = domains.iter().find(|domain| is_within(&name, domain)) else {
                continue;
            };
            let mut addresses = found.addresses.iter().take(HOST_ADDRESSES);
            if addresses.any(|found| found.to_canonical() == address) {
                let (domain, looked_up) = (domain.clone(), self.looked_up);
                return Ok(ConfirmedName { name, domain, looked_up });
            }
            let addresses = found.addresses.iter().take(HOST_NAMES).copied().collect();
            failure.get_or_insert(NameFailure::NotConfirmed { name, addresses });
        }
        Err(failure.unwrap_or_else(|| match self.names.first() {
            None => NameFailure::NoName,
            Some(first) => NameFailure::OtherName { name: first.name.clone() },
        }))
    }
}

/// Whether a name is a domain, or below it: `x.googlebot.com` is within `googlebot.com`, and
/// `fakegooglebot.com` is not.
pub(crate) fn is_within(name: &str, domain: &str) -> bool {
    let name = name.trim_end_matches('.');
    let Some(start) = name.len().checked_sub(domain.len()) else { return false };
    let Some((before, end)) = name.split_at_checked(start) else { return false };
    end.eq_ignore_ascii_case(domain) && (before.is_empty() || before.ends_with('.'))
}
