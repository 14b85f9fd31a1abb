//! Web Bot Auth: signatures of requests by RFC 9421, with Ed25519.
//!
//! Source: draft-ietf-webbotauth-httpsig-protocol (2026), and the forms that agents still send.

mod agent;
mod base;
mod keys;
mod sign;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ring::digest::{SHA256, digest};
use ring::signature::{ED25519, UnparsedPublicKey};
use sfv::{BareItem, Dictionary, InnerList, Item, Key, ListEntry, Parser, StringRef};
use url::Url;
use verger::access::Timestamp;

use self::base::{normal_authority, serialized, signature_base};
pub use self::keys::KeySet;
pub use self::sign::{Signer, SigningKey};
use crate::error::quoted;
use crate::identity::{Agent, Evidence, Proof, Reason};
use crate::limits::{CLOCK_SKEW, NONCES, NONCES_PER_HOST, SIGNATURE_BYTES, SIGNATURES};
use crate::request::Request;

/// The tag of signatures of Web Bot Auth.
const TAG: &str = "web-bot-auth";

/// Values against which a signature is checked.
pub(crate) struct Expected<'a> {
    /// The time of the request.
    pub(crate) at: Timestamp,
    pub(crate) lifetime: Duration,
    /// The hosts of the site; any if there is none.
    pub(crate) authorities: &'a [String],
}

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

/// A signature that needs its key, or the proof without it.
pub(crate) type Checked = Result<Candidate, Proof<'static>>;

impl Candidate {
    /// The signatures of a request with the tag; at least one result.
    pub(crate) fn all(request: &Request, expected: &Expected<'_>) -> Vec<Checked> {
        Self::read(request, expected).unwrap_or_else(|proof| vec![Err(proof)])
    }

    fn read(request: &Request, expected: &Expected<'_>) -> Result<Vec<Checked>, Proof<'static>> {
        let malformed = || Proof::failed(Reason::Malformed);
        if request.headers.is_empty() {
            return Err(Proof::not_checked(Reason::NoHeaders));
        }
        let fields = ["signature-input", "signature", "signature-agent"];
        let lengths = fields.iter().filter_map(|name| request.field(name)).map(str::len);
        if lengths.sum::<usize>() > SIGNATURE_BYTES {
            return Err(malformed());
        }
        let unsigned = Proof::not_checked(Reason::NotSigned);
        let (Some(inputs), Some(values)) = (request.field(fields[0]), request.field(fields[1]))
        else {
            return Err(unsigned);
        };
        let read = |text: &str| Parser::new(text).parse::<Dictionary>().map_err(|_| malformed());
        let (inputs, values) = (read(inputs)?, read(values)?);
        let mut tagged = inputs.into_iter().filter_map(|(label, input)| match input {
            ListEntry::InnerList(it) if string(&it, "tag") == Some(TAG) => Some((label, it)),
            _ => None,
        });
        let check = |(label, covered): (Key, InnerList)| match values.get(&label) {
            Some(ListEntry::Item(item)) => {
                let signature = item.bare_item.as_byte_sequence().ok_or_else(malformed)?;
                Self::check(request, expected, label.as_str(), covered, signature)
            }
            _ => Err(malformed()),
        };
        let mut checked: Vec<_> = tagged.by_ref().take(SIGNATURES).map(check).collect();
        if tagged.next().is_some() {
            let detail = format!("more than {SIGNATURES} signatures");
            checked.push(Err(Proof::not_checked(Reason::Unsupported).detail(detail)));
        }
        if checked.is_empty() { Err(unsigned) } else { Ok(checked) }
    }

    fn check(
        request: &Request,
        expected: &Expected<'_>,
        label: &str,
        covered: InnerList,
        signature: &[u8],
    ) -> Checked {
        let unsupported = |what: &str| Err(Proof::not_checked(Reason::Unsupported).detail(what));
        let missing = |name: &str| Proof::failed(Reason::MissingParameter).detail(name);
        let key = string(&covered, "keyid").ok_or_else(|| missing("keyid"))?.to_owned();
        let time = |name| match covered.params.get(name) {
            Some(BareItem::Integer(seconds)) if i64::from(*seconds) >= 0 => {
                Ok(Timestamp::from_seconds(i64::from(*seconds).unsigned_abs()))
            }
            _ => Err(missing(name)),
        };
        let (created, expires) = (time("created")?, time("expires")?);
        if covered.params.contains_key("alg") && string(&covered, "alg") != Some("ed25519") {
            return unsupported("the algorithm");
        }
        let find = |name: &str| {
            let mut items = covered.items.iter();
            // With a parameter, a derived component is another one.
            let is_plain = |item: &Item| !name.starts_with('@') || item.params.is_empty();
            let is_named =
                |item: &Item| item.bare_item.as_string().is_some_and(|it| it.as_str() == name);
            items.find(|item| is_named(item) && is_plain(item))
        };
        let not_covered = |name: &str| Proof::failed(Reason::NotCovered).detail(name);
        if find("@authority").or(find("@target-uri")).is_none() {
            return Err(not_covered("@authority"));
        }
        let authority = normal_authority(request);
        if authority.is_empty() {
            return unsupported("a request without its authority");
        }
        let is_own = |own: &String| own.eq_ignore_ascii_case(&authority);
        if !expected.authorities.is_empty() && !expected.authorities.iter().any(is_own) {
            return Err(Proof::failed(Reason::WrongAuthority).detail(quoted(&authority)));
        }
        let at = expected.at;
        let reason = match (created, expires) {
            _ if created > at.after(CLOCK_SKEW) => Some(Reason::Future),
            _ if expires <= at || expires <= created => Some(Reason::Expired),
            _ if expires.since(created) > expected.lifetime => Some(Reason::LongLived),
            _ => None,
        };
        if let Some(reason) = reason {
            return Err(Proof::failed(reason));
        }
        let Some(field) = request.field("signature-agent") else {
            return unsupported("a signature without Signature-Agent");
        };
        let item = find("signature-agent").ok_or_else(|| not_covered("signature-agent"))?;
        let member = item.params.get("key").and_then(BareItem::as_string).map(StringRef::as_str);
        let agent = Agent::read(field, label, member)?;
        let base = signature_base(request, &covered)?;
        let signature = signature.to_owned();
        Ok(Self { agent, key, covered, signature, created, expires, base })
    }

    /// Verifies a signature with the key set of its agent.
    pub(crate) fn verify(
        self,
        keys: &KeySet,
        nonces: &Mutex<Nonces>,
        at: Timestamp,
    ) -> Proof<'static> {
        let Self { agent, key, covered, signature, created, expires, base } = self;
        let public = match keys.find(&key) {
            None => return Proof::failed(Reason::UnknownKey),
            Some(None) => {
                return Proof::not_checked(Reason::Unsupported).detail("the kind of the key");
            }
            Some(Some(public)) => public,
        };
        if UnparsedPublicKey::new(&ED25519, public).verify(base.as_bytes(), &signature).is_err() {
            return Proof::failed(Reason::WrongSignature);
        }
        let nonce = string(&covered, "nonce");
        // Only after the signature: nobody else can use the memory of an agent.
        if let Some(nonce) = nonce {
            let mut nonces = nonces.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(proof) = nonces.use_up(&agent, &[&key, nonce], expires, at) {
                return proof;
            }
        }
        let has_nonce = nonce.is_some();
        let covered = covered.items.into_iter();
        let covered = covered.filter_map(|item| serialized(ListEntry::Item(item))).collect();
        Proof::verified(Evidence::Signature { agent, key, covered, created, expires, has_nonce })
    }
}

/// A string parameter of a signature.
fn string<'a>(covered: &'a InnerList, name: &str) -> Option<&'a str> {
    covered.params.get(name)?.as_string().map(StringRef::as_str)
}

/// The nonces of each host with key sets, until their signatures expire: a repeated request has a
/// known one.
#[derive(Debug, Default)]
pub(crate) struct Nonces {
    by_host: HashMap<String, HashMap<[u8; 16], Timestamp>>,
    count: usize,
}

impl Nonces {
    /// Remembers a nonce of a verified signature until it expires.
    ///
    /// # Errors
    ///
    /// The proof if the nonce is known, or no memory is left for the host.
    fn use_up(
        &mut self,
        agent: &Agent,
        key_and_nonce: &[&str; 2],
        expires: Timestamp,
        at: Timestamp,
    ) -> Result<(), Proof<'static>> {
        let mut short = [0; 16];
        short.copy_from_slice(&digest(&SHA256, key_and_nonce.concat().as_bytes()).as_ref()[..16]);
        let url = Url::parse(&agent.key_set).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let known = self.by_host.entry(host.to_owned()).or_default();
        if known.contains_key(&short) {
            return Err(Proof::failed(Reason::Replayed));
        }
        if self.count >= NONCES || known.len() >= NONCES_PER_HOST {
            for known in self.by_host.values_mut() {
                known.retain(|_, expires| *expires > at);
            }
            self.by_host.retain(|known, nonces| known == host || !nonces.is_empty());
            self.count = self.by_host.values().map(HashMap::len).sum();
        }
        let known = self.by_host.entry(host.to_owned()).or_default();
        if self.count >= NONCES || known.len() >= NONCES_PER_HOST {
            return Err(Proof::not_checked(Reason::TooManyNonces));
        }
        known.insert(short, expires);
        self.count += 1;
        Ok(())
    }
}
