//! The identity of the client of a request: the claims, and a proof of each kind for each of them.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::ops::Not;

use ipnet::IpNet;
use serde::{Serialize, Serializer};
use verger::access::Timestamp;
use verger::quoted;
use verger_registry::Crawler;

use crate::limits::CLAIMS;

/// An enum with a sentence for each value.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($value:ident: $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $(#[doc = $text] $value,)* }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$value => $text,)* })
            }
        }
    };
}

/// The answer about a request. Serialized, it is the JSON of `verger identify`, with foreign text:
/// write it with `verger_json::Values`. `Display` writes sentences for people.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Identity<'a> {
    /// The answer as a whole: failed if one claim is, verified if all are. A request without a
    /// claim is verified if its signature is, whoever its agent is.
    pub verdict: Verdict,
    /// The address of the client, if it is known.
    pub address: Option<IpAddr>,
    /// The time of the request.
    #[serde(serialize_with = "text")]
    pub at: Timestamp,
    /// The crawlers that the request claims to be, in the order of its User-Agent header.
    pub claims: Vec<Claim<'a>>,
    /// Whether the header names more than [`CLAIMS`] crawlers. Those are not checked, so the
    /// request is not verified.
    #[serde(skip_serializing_if = "Not::not")]
    pub has_more_claims: bool,
    /// The signature of the request, whoever its agent is; of several, the best one.
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
    /// The crawler in the registry; in JSON its token and its operator.
    #[serde(flatten, serialize_with = "named")]
    pub crawler: &'static Crawler,
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
    /// The facts.
    #[serde(flatten)]
    pub evidence: Option<Box<Evidence<'a>>>,
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
        MissingField: "a signed part of the request is not known",
        WrongAuthority: "the request is for a host that is not one of the site",
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
        MayBeCut: "the address ends with 0, so the log may have cut it",
        NoList: "no copy of the list from near the time of the request",
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
#[non_exhaustive]
pub enum Evidence<'a> {
    /// A list has the address.
    Listed {
        /// The most specific prefix with the address.
        #[serde(serialize_with = "text")]
        prefix: IpNet,
        /// Its services, as the list names them.
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        services: &'a [Box<str>],
        /// The list.
        list: ComparedList<'a>,
    },
    /// No list has the address.
    NotListed {
        /// All lists of the crawler.
        lists: Vec<ComparedList<'a>>,
    },
    /// The address has a name.
    Name {
        /// The name.
        name: String,
        /// Its addresses, if it is in a domain of the operator.
        addresses: Vec<IpAddr>,
        /// The time of the look-up, which can be long after the request.
        #[serde(serialize_with = "text")]
        looked_up: Timestamp,
    },
    /// The signature is that of the agent.
    Signature {
        /// The agent.
        agent: Agent,
        /// The thumbprint of its key.
        key: String,
        /// The components that are signed.
        covered: Vec<String>,
        /// The start of its validity.
        #[serde(serialize_with = "text")]
        created: Timestamp,
        /// The end of its validity.
        #[serde(serialize_with = "text")]
        expires: Timestamp,
        /// Whether a repeated request is detected.
        has_nonce: bool,
    },
    /// More about the reason.
    Detail {
        /// A sentence, or the URL of a list without a copy.
        detail: String,
    },
}

/// The agent that a signature names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Agent {
    /// The URL of the key set: it is the identity of the agent.
    pub key_set: String,
    /// The form of the field: `string` or `dictionary` with an origin, `typed_dictionary` (with
    /// `type`), or `key_set_url`, bare or in a dictionary.
    pub form: &'static str,
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
    /// A failure of a field that cannot be read.
    pub(crate) const MALFORMED: Self = Self::failed(Reason::Malformed);

    pub(crate) fn verified(evidence: Evidence<'a>) -> Self {
        Self { status: Status::Verified, ..Self::NONE }.with(evidence)
    }

    pub(crate) const fn failed(reason: Reason) -> Self {
        Self { status: Status::Failed, reason: Some(reason), evidence: None }
    }

    pub(crate) fn not_checked(reason: Reason) -> Self {
        Self { status: Status::NotChecked, ..Self::failed(reason) }
    }

    pub(crate) fn unsupported(detail: impl Into<String>) -> Self {
        Self::not_checked(Reason::Unsupported).detail(detail)
    }

    pub(crate) fn with(self, evidence: Evidence<'a>) -> Self {
        Self { evidence: Some(Box::new(evidence)), ..self }
    }

    pub(crate) fn detail(self, detail: impl Into<String>) -> Self {
        self.with(Evidence::Detail { detail: detail.into() })
    }

    /// The proof that counts of several: a verified one, else one that could be.
    pub(crate) fn best(proofs: impl Iterator<Item = Self>) -> Option<Self> {
        let order = [Status::Verified, Status::NotChecked];
        proofs.min_by_key(|proof| order.iter().position(|it| *it == proof.status).unwrap_or(2))
    }
}

impl Verdict {
    /// Verified if one proof is, else failed if one is.
    pub(crate) fn of(proofs: &[&Proof<'_>]) -> Self {
        let has = |status| proofs.iter().any(|proof| proof.status == status);
        let order = [(Status::Verified, Self::Verified), (Status::Failed, Self::Failed)];
        let found = order.into_iter().find(|(status, _)| has(*status));
        found.map_or(Self::Undecided, |(_, verdict)| verdict)
    }

    /// Failed if one claim is, verified if all are.
    pub(crate) fn of_claims(claims: &[Claim<'_>]) -> Self {
        let has = |verdict: &Self| claims.iter().any(|claim| claim.verdict == *verdict);
        [Self::Failed, Self::Undecided].into_iter().find(has).unwrap_or(Self::Verified)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn named<S: Serializer>(crawler: &&'static Crawler, to: S) -> Result<S::Ok, S::Error> {
    BTreeMap::from([("crawler", Some(crawler.token())), ("operator", crawler.operator())])
        .serialize(to)
}

fn text<T: fmt::Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// A line for each crawler, followed by a line for each kind of proof.
impl fmt::Display for Identity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verdict, claims, signature, .. } = self;
        if claims.is_empty() {
            let whom = match signature.evidence.as_deref() {
                Some(Evidence::Signature { agent, .. }) => {
                    &format!("the agent {}, not a known crawler", quoted(&agent.key_set))
                }
                _ => "no known crawler is named",
            };
            return writeln!(f, "{verdict}: {whom}\n  signature: {signature}");
        }
        if self.has_more_claims {
            writeln!(f, "{verdict}: more than {CLAIMS} crawlers are named")?;
        }
        for Claim { crawler, verdict, addresses, reverse_dns, signature } in claims {
            let operator = crawler.operator().map(|it| format!(" ({it})")).unwrap_or_default();
            writeln!(f, "{verdict}: {}{operator}\n  addresses: {addresses}", crawler.token())?;
            writeln!(f, "  reverse DNS: {reverse_dns}\n  signature: {signature}")?;
        }
        let is_shown = claims.iter().any(|it| it.signature.status != Status::NotPublished);
        if !is_shown && matches!(signature.status, Status::Verified | Status::Failed) {
            writeln!(f, "signature of the request: {signature}")?;
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
                f.write_str(&lists.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
            Evidence::Name { name, .. } => f.write_str(&quoted(name)),
            Evidence::Signature { agent, .. } => write!(f, "by {}", quoted(&agent.key_set)),
            Evidence::Detail { detail } => f.write_str(detail),
        }
    }
}

impl fmt::Display for ComparedList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, copied, is_later, is_outdated } = self;
        let time = match (is_later, is_outdated) {
            (true, _) => "later ",
            (false, true) => "outdated ",
            (false, false) => "",
        };
        write!(f, "{url} ({time}copy of {copied})")
    }
}
