//! Verified identity of crawlers: a [`Request`] in, an [`Identity`] out.
//!
//! A User-Agent header proves nothing. Operators publish three kinds of proof: lists of addresses,
//! names in reverse DNS, and signatures (Web Bot Auth). This crate reads the claim of a request, and
//! judges each proof that the operator of the claimed crawler publishes: verified, failed with the
//! reason, not published, or not checked; each with its evidence.
//!
//! ```
//! use verger_identity::{Identifier, Request, Verdict};
//!
//! let identifier = Identifier::default();
//! let header = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
//! let request = Request::new(header, "2026-09-10T12:00:00Z".parse()?)
//!     .with_address(Ok("203.0.113.9".parse()?));
//! let identity = identifier.identify(request);
//! assert_eq!(identity.verdict, Verdict::Failed);
//! assert_eq!(identity.claims[0].crawler.token(), "GPTBot");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Flow
//!
//! [`Identifier::begin`] reads the claims and the signature. The caller, or `net::Lookups` of the
//! feature `net`, looks up names and key sets. [`Pending::finish`] judges everything.
//! [`Identifier::identify`] does both without look-ups. Behind a proxy, [`TrustedProxies`] finds the
//! address of the client first.
//!
//! # Time
//!
//! A request is judged by the snapshot of a list ([`Lists`]) that was valid at its time. Names and
//! key sets are those of the time of their look-up.
//!
//! # Scope
//!
//! Without the feature `net` no I/O, and never a clock: the time is part of a request. A proof shows
//! who sent a request, not whether its sender behaves well.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits
// - `client_address.rs`: the address of a client behind trusted proxies
// - `request.rs`: the request
// - `proof.rs`: the result of one proof
// - `lists/`: published lists of addresses (`read.rs`) and their snapshots over time (`mod.rs`)
// - `host_names.rs`: the judgement of names in reverse DNS
// - `signature/`: Web Bot Auth (`mod.rs`): key sets (`keys.rs`), `Signature-Agent` (`agent.rs`),
//   the signed bytes (`base.rs`), repeated requests (`nonces.rs`), signing (`sign.rs`)
// - `identity.rs`: the answer
// - `identifier.rs`: from a request to its answer
// - `net.rs`: look-ups, and signed requests of verger-fetch (feature `net`)

mod client_address;
mod host_names;
mod identifier;
mod identity;
pub mod limits;
mod lists;
#[cfg(feature = "net")]
pub mod net;
mod proof;
mod request;
mod signature;

pub use client_address::{HiddenClient, ProxyHeader, TrustedProxies};
pub use host_names::{ConfirmedName, HostName, HostNames, NameFailure};
pub use identifier::{Identifier, LookedUp, Pending};
pub use identity::{
    AddressFailure, Claim, ClaimSource, ComparedList, Identity, ListedAddress, Verdict,
};
pub use lists::{AddressList, DatedList, ListError, Lists};
pub use proof::{Proof, Unchecked, UncheckedReason};
pub use request::{HeadError, Request, RequestHead};
pub use signature::{
    Agent, AgentForm, KeyError, KeySet, KeySetError, SignatureFailure, SignatureProof, SigningKey,
    VerifiedSignature,
};
// Its type is part of this API.
pub use ipnet;

/// The Rust of the README: doc tests run it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
