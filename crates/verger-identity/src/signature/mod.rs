//! Web Bot Auth: signatures of requests by RFC 9421, with Ed25519.
//!
//! Source: draft-ietf-webbotauth-httpsig-protocol (2026), and the forms that agents still send.

mod agent;
mod base;
mod keys;
mod nonces;
mod sign;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ring::signature::{ED25519, UnparsedPublicKey};
use serde::Serialize;
use sfv::{Dictionary, InnerList, ListEntry, Parser, StringRef};
use verger::access::Timestamp;

use self::agent::AgentError;
pub use self::agent::{Agent, AgentForm};
use self::base::{BaseError, seconds, signature_base, string};
pub use self::keys::{KeySet, KeySetError};
use self::nonces::{NonceUse, Nonces};
pub use self::sign::{KeyError, SigningKey};
use crate::RequestHead;
use crate::limits::{CLOCK_SKEW, SIGNATURE_BYTES, SIGNATURE_LIFETIME, SIGNATURES};
use crate::proof::{Proof, Unchecked, UncheckedReason, quotable};

/// The tag of signatures of Web Bot Auth.
const TAG: &str = "web-bot-auth";

/// A signature that was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VerifiedSignature {
    /// The agent whose key set has the key.
    pub agent: Agent,
    /// The thumbprint of the key.
    pub key: String,
    /// The components that the signature covers.
    pub covered: Vec<String>,
    /// The start of its validity.
    #[serde(serialize_with = "crate::proof::text")]
    pub created: Timestamp,
    /// The end of its validity.
    #[serde(serialize_with = "crate::proof::text")]
    pub expires: Timestamp,
    /// Whether a repeated request is detected.
    pub has_nonce: bool,
}

/// The reason that a signature proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SignatureFailure {
    /// The fields are not structured fields, or exceed a [limit](crate::limits).
    Malformed,
    /// A signature has no such parameter, or a value of another type.
    MissingParameter {
        /// The parameter.
        parameter: &'static str,
    },
    /// The signature does not cover a component that it must cover.
    NotCovered {
        /// The component.
        component: &'static str,
    },
    /// The signature covers a field that the request does not have.
    MissingField {
        /// The field.
        field: String,
    },
    /// The signature was created after the request.
    Future,
    /// The signature expired before the request.
    Expired,
    /// The signature is valid for too long.
    LongLived,
    /// The address of the key set is not a URL of https.
    NotHttps,
    /// The key set does not have the key.
    UnknownKey,
    /// The key did not sign this request: a covered component, such as the authority, differs.
    WrongSignature,
    /// The nonce was used before: the request is repeated.
    Replayed,
    /// The signature is valid, and its agent is not that of the claimed crawler.
    OtherAgent {
        /// The key set of the agent.
        key_set: String,
    },
}

impl fmt::Display for SignatureFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "malformed signature fields",
            Self::MissingParameter { parameter } => return write!(f, "no parameter `{parameter}`"),
            Self::NotCovered { component } => return write!(f, "`{component}` is not signed"),
            Self::MissingField { field } => {
                return write!(f, "the signed field {} is absent", quotable(field).quoted());
            }
            Self::Future => "created after the request",
            Self::Expired => "expired before the request",
            Self::LongLived => "valid for more than the permitted time",
            Self::NotHttps => "the key set is not at an https URL",
            Self::UnknownKey => "the key set of the agent does not have the key",
            Self::WrongSignature => "the key did not sign this request",
            Self::Replayed => "the nonce was used before",
            Self::OtherAgent { key_set } => {
                return write!(f, "signed by another agent: {}", quotable(key_set).quoted());
            }
        })
    }
}

/// The proof by a signature.
pub type SignatureProof = Proof<VerifiedSignature, SignatureFailure>;

/// A signature whose cheap checks passed, without its key.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) agent: Agent,
    pub(crate) key: String,
    covered: InnerList,
    signature: Vec<u8>,
    created: Timestamp,
    expires: Timestamp,
    base: String,
}

/// The covered components of the only signature of a field.
fn covered(input: &str) -> Option<InnerList> {
    match Parser::new(input).parse::<Dictionary>().ok()?.into_values().next() {
        Some(ListEntry::InnerList(covered)) => Some(covered),
        _ => None,
    }
}

/// Verifies signatures, and remembers nonces.
#[derive(Debug)]
pub(crate) struct Verifier {
    pub(crate) lifetime: Duration,
    nonces: Mutex<Nonces>,
}

impl Default for Verifier {
    fn default() -> Self {
        Self { lifetime: SIGNATURE_LIFETIME, nonces: Mutex::default() }
    }
}

impl Verifier {
    /// The first signature of a request that passes all checks without its key.
    ///
    /// # Errors
    ///
    /// The proof without such a signature.
    pub(crate) fn candidate(
        &self,
        head: &RequestHead,
        at: Timestamp,
    ) -> Result<Candidate, SignatureProof> {
        let unsigned = || Proof::not_checked(UncheckedReason::NotSigned);
        let fields = ["signature-input", "signature", "signature-agent"];
        let bytes = |name: &str| head.values(name).map(str::len).sum::<usize>();
        if fields.iter().map(|name| bytes(name)).sum::<usize>() > SIGNATURE_BYTES {
            return Err(Proof::Failed(SignatureFailure::Malformed));
        }
        let (Some(inputs), Some(signatures)) = (head.field(fields[0]), head.field(fields[1]))
        else {
            return Err(unsigned());
        };
        let read = |text: &str| Parser::new(text).parse::<Dictionary>();
        let (Ok(inputs), Ok(signatures)) = (read(&inputs), read(&signatures)) else {
            return Err(Proof::Failed(SignatureFailure::Malformed));
        };
        let mut first = None;
        let tagged = inputs.into_iter().filter_map(|(label, input)| match input {
            ListEntry::InnerList(covered) if string(&covered, "tag") == Some(TAG) => {
                Some((label, covered))
            }
            _ => None,
        });
        for (label, covered) in tagged.take(SIGNATURES) {
            let signature = match signatures.get(label.as_str()) {
                Some(ListEntry::Item(item)) => item.bare_item.as_byte_sequence(),
                _ => None,
            };
            match self.check(head, at, label.as_str(), covered, signature) {
                Ok(candidate) => return Ok(candidate),
                Err(proof) => first = first.or(Some(proof)),
            }
        }
        Err(first.unwrap_or_else(unsigned))
    }

    fn check(
        &self,
        head: &RequestHead,
        at: Timestamp,
        label: &str,
        covered: InnerList,
        signature: Option<&[u8]>,
    ) -> Result<Candidate, SignatureProof> {
        let failed = |failure| Err(Proof::Failed(failure));
        let unsupported = |detail: String| {
            Proof::NotChecked(Unchecked::with(UncheckedReason::Unsupported, detail))
        };
        let Some(signature) = signature else { return failed(SignatureFailure::Malformed) };
        let missing = |parameter| Proof::Failed(SignatureFailure::MissingParameter { parameter });
        let key = string(&covered, "keyid").ok_or_else(|| missing("keyid"))?.to_owned();
        let created = seconds(&covered, "created").ok_or_else(|| missing("created"))?;
        let expires = seconds(&covered, "expires").ok_or_else(|| missing("expires"))?;
        if covered.params.contains_key("alg") && string(&covered, "alg") != Some("ed25519") {
            return Err(unsupported("the algorithm".to_owned()));
        }
        let is_covered = |name: &str| {
            covered
                .items
                .iter()
                .find(|item| item.bare_item.as_string().is_some_and(|it| it.as_str() == name))
        };
        if is_covered("@authority").or(is_covered("@target-uri")).is_none() {
            return failed(SignatureFailure::NotCovered { component: "@authority" });
        }
        let (created, expires) =
            (Timestamp::from_seconds(created), Timestamp::from_seconds(expires));
        if created > at.after(CLOCK_SKEW) {
            return failed(SignatureFailure::Future);
        }
        if expires <= at || expires <= created {
            return failed(SignatureFailure::Expired);
        }
        if expires.since(created) > self.lifetime {
            return failed(SignatureFailure::LongLived);
        }
        let Some(field) = head.field("signature-agent") else {
            return Err(unsupported("a signature without Signature-Agent".to_owned()));
        };
        let Some(item) = is_covered("signature-agent") else {
            return failed(SignatureFailure::NotCovered { component: "signature-agent" });
        };
        let member = item.params.get("key").and_then(|key| key.as_string()).map(StringRef::as_str);
        let agent = match Agent::read(&field, label, member) {
            Ok(agent) => agent,
            Err(AgentError::Malformed) => return failed(SignatureFailure::Malformed),
            Err(AgentError::NoMember) => {
                return failed(SignatureFailure::NotCovered { component: "signature-agent" });
            }
            Err(AgentError::NotHttps) => return failed(SignatureFailure::NotHttps),
            Err(AgentError::Type) => {
                return Err(unsupported("the type of Signature-Agent".to_owned()));
            }
        };
        let base = signature_base(head, &covered).map_err(|error| match error {
            BaseError::Failure(failure) => Proof::Failed(failure),
            BaseError::Unsupported(what) => unsupported(what),
        })?;
        Ok(Candidate {
            agent,
            key,
            signature: signature.to_owned(),
            created,
            expires,
            base,
            covered,
        })
    }

    /// Verifies a signature with the key set of its agent.
    pub(crate) fn verify(
        &self,
        candidate: Candidate,
        keys: &KeySet,
        at: Timestamp,
    ) -> SignatureProof {
        let Candidate { agent, key, covered, signature, created, expires, base } = candidate;
        let Some(public) = keys.find(&key) else {
            return Proof::Failed(SignatureFailure::UnknownKey);
        };
        if UnparsedPublicKey::new(&ED25519, public).verify(base.as_bytes(), &signature).is_err() {
            return Proof::Failed(SignatureFailure::WrongSignature);
        }
        let nonce = string(&covered, "nonce");
        // Only after the signature: nobody else can use the memory of a key.
        if let Some(nonce) = nonce {
            let mut nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
            match nonces.remember(&key, nonce, expires, at) {
                NonceUse::First => {}
                NonceUse::Repeated => return Proof::Failed(SignatureFailure::Replayed),
                NonceUse::Full => return Proof::not_checked(UncheckedReason::TooManyNonces),
            }
        }
        let has_nonce = nonce.is_some();
        let covered = covered.items.into_iter();
        let covered = covered.filter_map(|item| base::serialized(ListEntry::Item(item))).collect();
        Proof::Verified(VerifiedSignature { agent, key, covered, created, expires, has_nonce })
    }
}
