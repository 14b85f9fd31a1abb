//! Verified identity of crawlers: a [`Request`] in, an [`Identity`] out.
//!
//! A User-Agent header proves nothing. Operators publish three kinds of proof: lists of addresses,
//! names in reverse DNS, and signatures (Web Bot Auth). This crate reads the claim of a request,
//! and judges each proof that the operator of the claimed crawler publishes: verified, failed with
//! the reason, not published, or not checked; each with its evidence.
//!
//! # Flow
//!
//! [`Identifier::begin`] reads the claims and the signature. The caller, or `net::Lookups` of the
//! feature `net`, looks up names and key sets. [`Pending::finish`] judges everything.
//! [`Identifier::identify`] does both without look-ups.
//!
//! # Scope
//!
//! Without the feature `net` no I/O, and never a clock: the time is part of a request. A proof
//! shows who sent a request, not whether its sender behaves well. An error is a sentence with
//! escaped foreign text, without a final stop.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits
// - `client_address.rs`: the address of a client behind trusted proxies
// - `request.rs`, `identity.rs`: the request, and the answer
// - `json.rs`: JSON without a key twice, for lists and keys
// - `lists.rs`: published lists of addresses and their copies over time (`lists.json`), and
//   addresses of proxies (`proxies.txt`)
// - `signature/`: Web Bot Auth (`mod.rs`): key sets (`keys.rs`), `Signature-Agent` (`agent.rs`),
//   the signed bytes (`base.rs`), signing (`sign.rs`)
// - `identifier.rs`: from a request to its answer
// - `net.rs`: look-ups, signed requests of verger-fetch, files of lists and keys (feature `net`)

mod client_address;
mod identifier;
mod identity;
mod json;
pub mod limits;
mod lists;
#[cfg(feature = "net")]
pub mod net;
mod request;
mod signature;

pub use client_address::{PROXY_FIELDS, TrustedProxies, may_be_cut, read_address};
pub use identifier::{HostNames, Identifier, LookedUp, Pending};
pub use identity::{
    Agent, Claim, ComparedList, Evidence, Identity, Proof, Reason, Status, Verdict,
};
pub use lists::{AddressList, Lists};
pub use request::{Request, members};
pub use signature::{KeySet, Signer, SigningKey};
// Its type is part of this API.
pub use ipnet;

/// The Rust of the README: doc tests run it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
