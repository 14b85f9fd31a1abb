//! The identity of the client of a request: the claims, and a proof of each kind for each of them.

use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Serialize, Serializer};
use verger::access::Timestamp;
use verger_registry::Crawler;

use crate::host_names::{ConfirmedName, NameFailure};
use crate::lists::DatedList;
use crate::proof::{Proof, quotable};
use crate::signature::SignatureProof;

/// The answer about a request. Serialized, it is the JSON of `verger identify`. Names of hosts,
/// fields, services and agents are foreign text: write JSON with `verger_json::Values`, and sentences
/// with `Display`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Identity<'a> {
    /// The answer as a whole: verified if one claim is; failed if none is, and one failed. A request
    /// without a claim is verified if its signature is.
    pub verdict: Verdict,
    /// The address of the client, if it is known.
    pub address: Option<IpAddr>,
    /// The time of the request.
    #[serde(serialize_with = "crate::proof::text")]
    pub at: Timestamp,
    /// The crawlers that the request claims to be, in the order of its User-Agent header.
    pub claims: Vec<Claim<'a>>,
    /// The signature of the request, whoever its agent is.
    pub signature: SignatureProof,
}

/// Whether a claim is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the three answers are the contract")]
pub enum Verdict {
    /// At least one proof is verified.
    Verified,
    /// No proof is verified, and at least one failed.
    Failed,
    /// No proof was checked, or none is published.
    Undecided,
}

/// A crawler that the request claims to be, with the proofs that its operator publishes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Claim<'a> {
    /// The crawler in the registry; in JSON its token.
    #[serde(serialize_with = "token")]
    pub crawler: &'static Crawler,
    /// Its operator.
    pub operator: Option<&'static str>,
    /// The part of the request that names it.
    pub claimed_by: ClaimSource,
    /// The answer for this crawler.
    pub verdict: Verdict,
    /// The proof by the operator's lists of addresses.
    #[serde(rename = "addresses")]
    pub list: Proof<ListedAddress<'a>, AddressFailure<'a>>,
    /// The proof by reverse DNS.
    pub reverse_dns: Proof<ConfirmedName, NameFailure>,
    /// The proof by a signature of the operator's agent.
    pub signature: SignatureProof,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn token<S: Serializer>(crawler: &&Crawler, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(crawler.token())
}

/// The part of a request that names a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimSource {
    /// A whole product token of the User-Agent header.
    UserAgent,
    /// The agent of the signature, if the header does not name the crawler.
    SignatureAgent,
}

/// A list that was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComparedList<'a> {
    /// The URL of the list.
    pub url: &'a str,
    /// The time of the copy.
    #[serde(serialize_with = "crate::proof::text")]
    pub copied: Timestamp,
    /// Whether no copy was valid at the time of the request, so that a later one was used.
    pub is_later: bool,
}

impl<'a> ComparedList<'a> {
    pub(crate) const fn new(url: &'a str, found: &DatedList<'_>) -> Self {
        Self { url, copied: found.copied, is_later: found.is_later }
    }
}

/// An address of a published list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ListedAddress<'a> {
    /// The most specific prefix with the address.
    #[serde(serialize_with = "crate::proof::text")]
    pub prefix: IpNet,
    /// The services of the prefix, as the list names them.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub services: &'a [Box<str>],
    /// The list.
    pub list: ComparedList<'a>,
}

/// The reason that the lists prove nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AddressFailure<'a> {
    /// No list has the address.
    NotListed {
        /// The lists.
        lists: Vec<ComparedList<'a>>,
    },
    /// The list has the address for other services than the crawler.
    OtherService(ListedAddress<'a>),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Verified => "verified",
            Self::Failed => "failed",
            Self::Undecided => "undecided",
        })
    }
}

/// The answer for people: a line for each crawler, followed by a line for each kind of proof.
impl fmt::Display for Identity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for claim in &self.claims {
            writeln!(f, "{claim}")?;
        }
        if self.claims.is_empty() {
            write!(f, "{}: no known crawler is named\n  signature: ", self.verdict)?;
            signature(f, &self.signature)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Claim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.verdict, self.crawler.token())?;
        if let Some(operator) = self.operator {
            write!(f, " ({operator})")?;
        }
        f.write_str("\n  addresses: ")?;
        match &self.list {
            Proof::Verified(found) => write!(f, "verified, {found}")?,
            Proof::Failed(AddressFailure::NotListed { lists }) => {
                f.write_str("failed, not in ")?;
                for (at, list) in lists.iter().enumerate() {
                    write!(f, "{}{list}", if at == 0 { "" } else { ", " })?;
                }
            }
            Proof::Failed(AddressFailure::OtherService(found)) => {
                write!(f, "failed, for another service: {found}")?;
            }
            Proof::NotPublished => f.write_str("not published")?,
            Proof::NotChecked(reason) => write!(f, "not checked, {reason}")?,
        }
        f.write_str("\n  reverse DNS: ")?;
        match &self.reverse_dns {
            Proof::Verified(found) => write!(f, "verified, {}", quotable(&found.name).quoted())?,
            Proof::Failed(failure) => write!(f, "failed, {failure}")?,
            Proof::NotPublished => f.write_str("not published")?,
            Proof::NotChecked(reason) => write!(f, "not checked, {reason}")?,
        }
        f.write_str("\n  signature: ")?;
        signature(f, &self.signature)
    }
}

fn signature(f: &mut fmt::Formatter<'_>, proof: &SignatureProof) -> fmt::Result {
    match proof {
        Proof::Verified(found) => {
            write!(f, "verified, by {}", quotable(&found.agent.key_set).quoted())
        }
        Proof::Failed(failure) => write!(f, "failed, {failure}"),
        Proof::NotPublished => f.write_str("not published"),
        Proof::NotChecked(reason) => write!(f, "not checked, {reason}"),
    }
}

impl fmt::Display for ListedAddress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.prefix, self.list)
    }
}

impl fmt::Display for ComparedList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = if self.is_later { "later copy" } else { "copy" };
        write!(f, "{} ({time} of {})", self.url, self.copied)
    }
}

impl fmt::Display for NameFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => f.write_str("the address has no name"),
            Self::OtherName { name } => {
                write!(f, "{} is not in a domain of the operator", quotable(name).quoted())
            }
            Self::NotConfirmed { name, .. } => {
                write!(f, "{} does not resolve to the address", quotable(name).quoted())
            }
        }
    }
}
