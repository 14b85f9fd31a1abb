//! The identity of the client of a request: the claims, and a proof of each kind for each of them.

use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Serialize, Serializer};
use verger::access::Timestamp;
use verger_registry::Crawler;

use crate::error::quoted;

/// An enum with a sentence for each value.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($value:ident: $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum $name { $(#[doc = $text] $value,)* }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$value => $text,)* })
            }
        }
    };
}

/// The answer about a request. Serialized, it is the JSON of `verger identify`. Names of hosts,
/// fields, services and agents are foreign text: write JSON with `verger_json::Values`, and sentences
/// with `Display`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Identity<'a> {
    /// The answer as a whole: failed if one claim is, otherwise verified if one is. A request without a
    /// claim is verified if its signature is, whoever its agent is.
    pub verdict: Verdict,
    /// The address of the client, if it is known.
    pub address: Option<IpAddr>,
    /// The time of the request.
    #[serde(serialize_with = "text")]
    pub at: Timestamp,
    /// The crawlers that the request claims to be, in the order of its User-Agent header.
    pub claims: Vec<Claim<'a>>,
    /// The signature of the request, whoever its agent is.
    pub signature: Proof<'a>,
}

words! {
    /// Whether a claim is proved.
    Verdict {
        Verified: "verified",
        Failed: "failed",
        Undecided: "undecided",
    }
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
    /// The answer for this crawler: one verified proof is enough.
    pub verdict: Verdict,
    /// The proof by the operator's lists of addresses.
    pub addresses: Proof<'a>,
    /// The proof by reverse DNS.
    pub reverse_dns: Proof<'a>,
    /// The proof by a signature of the operator's agent.
    pub signature: Proof<'a>,
}

/// The result of one kind of proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Proof<'a> {
    /// The result.
    pub status: Status,
    /// The reason, if the proof failed or was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The facts: `Serialize` and `Display` write them.
    #[serde(flatten)]
    pub(crate) evidence: Option<Box<Evidence<'a>>>,
}

words! {
    /// The result of a proof.
    Status {
        Verified: "verified",
        Failed: "failed",
        NotPublished: "not published",
        NotChecked: "not checked",
    }
}

words! {
    /// The reason that a proof failed, or was not checked.
    Reason {
        NotListed: "not listed",
        OtherService: "listed for another service",
        NoName: "the address has no name",
        OtherName: "the name is not in a domain of the operator",
        NotConfirmed: "the name does not resolve to the address",
        Malformed: "malformed signature fields",
        MissingParameter: "the signature has no valid parameter",
        NotCovered: "not signed",
        MissingField: "a signed field is absent",
        Future: "created after the request",
        Expired: "expired before the request",
        LongLived: "valid for more than the permitted time",
        NotHttps: "the key set is not at an https URL",
        UnknownKey: "the key set of the agent does not have the key",
        WrongSignature: "the key did not sign this request",
        Replayed: "the nonce was used before",
        OtherAgent: "signed by another agent",
        Proxy: "the address is that of a proxy or of a private network",
        NoAddress: "no address",
        NoList: "no copy of the list",
        Offline: "nothing was looked up",
        LookUp: "the look-up failed",
        NotSigned: "the request is not signed",
        NoHeaders: "no header fields",
        Unsupported: "not supported",
        TooManyNonces: "too many nonces of the agent are remembered",
        NameOnly: "only the name of the crawler is known",
    }
}

/// The facts of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Evidence<'a> {
    /// The most specific prefix with the address, with its services as the list names them.
    Listed {
        #[serde(serialize_with = "text")]
        prefix: IpNet,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        services: &'a [Box<str>],
        list: ComparedList<'a>,
    },
    /// The lists that do not have the address.
    NotListed { lists: Vec<ComparedList<'a>> },
    /// A name of the address, and its addresses if it is in a domain of the operator.
    Name {
        name: String,
        addresses: Vec<IpAddr>,
        /// It can be long after the request.
        looked_up: String,
    },
    /// A verified signature.
    Signature {
        agent: Agent,
        /// The thumbprint of the key.
        key: String,
        covered: Vec<String>,
        created: String,
        expires: String,
        /// Whether a repeated request is detected.
        has_nonce: bool,
    },
    /// More about the reason.
    Detail { detail: String },
}

/// The agent that a signature names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Agent {
    /// The URL of the key set: it is the identity of the agent.
    pub(crate) key_set: String,
    /// The form of the field.
    pub(crate) form: &'static str,
}

/// A list that was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComparedList<'a> {
    /// The URL of the list.
    pub url: &'a str,
    /// The time of the copy.
    #[serde(serialize_with = "text")]
    pub copied: Timestamp,
    /// Whether no copy was valid at the time of the request, so that a later one was used.
    pub is_later: bool,
    /// Whether the copy is older than the request by more than
    /// [`MAX_LIST_AGE`](crate::limits::MAX_LIST_AGE).
    pub is_outdated: bool,
}

impl<'a> Proof<'a> {
    /// Not published.
    pub(crate) const NONE: Self =
        Self { status: Status::NotPublished, reason: None, evidence: None };

    pub(crate) fn verified(evidence: Evidence<'a>) -> Self {
        Self { status: Status::Verified, reason: None, evidence: Some(Box::new(evidence)) }
    }

    pub(crate) const fn failed(reason: Reason) -> Self {
        Self { status: Status::Failed, reason: Some(reason), evidence: None }
    }

    pub(crate) fn not_checked(reason: Reason) -> Self {
        Self { status: Status::NotChecked, ..Self::failed(reason) }
    }

    pub(crate) fn with(self, evidence: Evidence<'a>) -> Self {
        Self { evidence: Some(Box::new(evidence)), ..self }
    }

    pub(crate) fn detail(self, detail: impl Into<String>) -> Self {
        self.with(Evidence::Detail { detail: detail.into() })
    }
}

impl Identity<'_> {
    /// Whether a list was compared that is [outdated](ComparedList::is_outdated).
    pub fn has_outdated_list(&self) -> bool {
        self.claims.iter().any(|claim| match claim.addresses.evidence.as_deref() {
            Some(Evidence::Listed { list, .. }) => list.is_outdated,
            Some(Evidence::NotListed { lists }) => lists.iter().any(|list| list.is_outdated),
            _ => false,
        })
    }
}

impl Verdict {
    /// Failed if one claim is, else verified if one is.
    pub(crate) fn of_claims(claims: &[Claim<'_>]) -> Self {
        let has = |verdict| claims.iter().any(|claim| claim.verdict == verdict);
        let decided = [Self::Failed, Self::Verified].into_iter().find(|verdict| has(*verdict));
        decided.unwrap_or(Self::Undecided)
    }

    /// Verified if one proof is, else failed if one is.
    pub(crate) fn of<'p, 'a: 'p>(proofs: impl IntoIterator<Item = &'p Proof<'a>>) -> Self {
        proofs.into_iter().fold(Self::Undecided, |verdict, proof| match (verdict, proof.status) {
            (Self::Verified, _) | (_, Status::Verified) => Self::Verified,
            (Self::Failed, _) | (_, Status::Failed) => Self::Failed,
            _ => Self::Undecided,
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn token<S: Serializer>(crawler: &&Crawler, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(crawler.token())
}

fn text<T: fmt::Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// The answer for people: a line for each crawler, followed by a line for each kind of proof.
impl fmt::Display for Identity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.claims.is_empty() {
            let Self { verdict, signature, .. } = self;
            let whom = match signature.evidence.as_deref() {
                Some(Evidence::Signature { agent, .. }) => {
                    format!("the agent {}, not a known crawler", quoted(&agent.key_set))
                }
                _ => "no known crawler is named".to_owned(),
            };
            return writeln!(f, "{verdict}: {whom}\n  signature: {signature}");
        }
        for Claim { crawler, verdict, addresses, reverse_dns, signature, .. } in &self.claims {
            write!(f, "{verdict}: {}", crawler.token())?;
            if let Some(operator) = crawler.operator() {
                write!(f, " ({operator})")?;
            }
            writeln!(f, "\n  addresses: {addresses}\n  reverse DNS: {reverse_dns}")?;
            writeln!(f, "  signature: {signature}")?;
        }
        let is_shown = self.claims.iter().any(|it| it.signature.status != Status::NotPublished);
        if !is_shown && matches!(self.signature.status, Status::Verified | Status::Failed) {
            writeln!(f, "signature of the request: {}", self.signature)?;
        }
        Ok(())
    }
}

impl fmt::Display for Proof<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        if let Some(reason) = self.reason {
            write!(f, ", {reason}")?;
        }
        let Some(evidence) = &self.evidence else { return Ok(()) };
        f.write_str(if self.reason.is_some() { ": " } else { ", " })?;
        match &**evidence {
            Evidence::Listed { prefix, list, .. } => write!(f, "{prefix} of {list}"),
            Evidence::NotListed { lists } => {
                let lists: Vec<_> = lists.iter().map(ToString::to_string).collect();
                f.write_str(&lists.join(", "))
            }
            Evidence::Name { name, .. } => f.write_str(&quoted(name)),
            Evidence::Signature { agent, .. } => write!(f, "by {}", quoted(&agent.key_set)),
            Evidence::Detail { detail } => f.write_str(detail),
        }
    }
}

impl fmt::Display for ComparedList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = match (self.is_later, self.is_outdated) {
            (true, _) => "later copy",
            (false, true) => "outdated copy",
            (false, false) => "copy",
        };
        write!(f, "{} ({time} of {})", self.url, self.copied)
    }
}
