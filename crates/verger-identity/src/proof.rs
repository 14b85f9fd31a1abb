//! The result of one proof.

use std::fmt;

use serde::{Serialize, Serializer};
use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

/// The result of one kind of proof, with its evidence or the reason of its failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the four results are the contract")]
pub enum Proof<E, F> {
    /// The request has the proof.
    Verified(E),
    /// The operator publishes the proof, and the request does not have it.
    Failed(F),
    /// The operator does not publish the proof, as far as the registry knows.
    NotPublished,
    /// Nothing is known.
    NotChecked(Unchecked),
}

impl<E, F> Proof<E, F> {
    pub(crate) fn not_checked(reason: UncheckedReason) -> Self {
        Self::NotChecked(Unchecked { reason, detail: None })
    }

    /// Whether the request has the proof.
    pub const fn is_verified(&self) -> bool {
        matches!(self, Self::Verified(_))
    }

    /// Whether the request does not have a proof that the operator publishes.
    pub const fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl<E, F> From<Result<E, F>> for Proof<E, F> {
    fn from(result: Result<E, F>) -> Self {
        match result {
            Ok(evidence) => Self::Verified(evidence),
            Err(failure) => Self::Failed(failure),
        }
    }
}

/// A proof that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unchecked {
    /// The reason.
    pub reason: UncheckedReason,
    /// More about it, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Unchecked {
    pub(crate) fn with(reason: UncheckedReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: Some(detail.into()) }
    }
}

/// The reason that a proof was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UncheckedReason {
    /// The address of the client is not known, because the connection is that of a proxy.
    Proxy,
    /// No address was passed.
    NoAddress,
    /// There is no snapshot of the operator's list.
    NoList,
    /// Nothing was looked up.
    Offline,
    /// A look-up failed.
    LookUp,
    /// The request has no signature of Web Bot Auth.
    NotSigned,
    /// The header fields of the request were not passed.
    NoHeaders,
    /// The signature uses an algorithm, a component or a kind of key set that is not implemented.
    Unsupported,
    /// The key of the signature has used too many nonces, so that a repeated request cannot be
    /// detected.
    TooManyNonces,
}

impl UncheckedReason {
    const fn text(self) -> &'static str {
        match self {
            Self::Proxy => "the address is that of a proxy",
            Self::NoAddress => "no address",
            Self::NoList => "no copy of the list",
            Self::Offline => "nothing was looked up",
            Self::LookUp => "the look-up failed",
            Self::NotSigned => "the request is not signed",
            Self::NoHeaders => "no header fields",
            Self::Unsupported => "not supported",
            Self::TooManyNonces => "too many nonces of the key are remembered",
        }
    }
}

impl fmt::Display for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason.text())?;
        match &self.detail {
            Some(detail) => write!(f, ": {detail}"),
            None => Ok(()),
        }
    }
}

/// Writes a value as its text.
pub(crate) fn text<T: fmt::Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// Foreign text for a sentence.
pub(crate) fn quotable(text: &str) -> Untrusted<'_> {
    Untrusted::new(text).limited_to(QUOTED_CHARS)
}
