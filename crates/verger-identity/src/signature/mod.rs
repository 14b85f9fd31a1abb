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
use verger::quoted;

use self::base::{normal_authority, serialized, signature_base};
pub use self::keys::KeySet;
pub use self::sign::{Signer, SigningKey};
use crate::identity::{Agent, Evidence, Proof, Reason};
use crate::limits::{CLOCK_SKEW, NONCES, NONCES_PER_HOST, SIGNATURE_BYTES, SIGNATURES};
use crate::request::Request;

/// The tag of signatures of Web Bot Auth.
const TAG: &str = "web-bot-auth";

/// A request with signatures, and values against which they are checked.
pub(crate) struct Signed<'a> {
    pub(crate) request: &'a Request,
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

impl Signed<'_> {
    /// The signatures with the tag; at least one.
    ///
    /// # Errors
    ///
    /// The proof if there is none.
    pub(crate) fn candidates(&self) -> Result<Vec<Checked>, Proof<'static>> {
        if self.request.headers.is_empty() {
            return Err(Proof::not_checked(Reason::NoHeaders));
        }
        let fields = ["signature-input", "signature", "signature-agent"];
        let fields = fields.map(|name| self.request.field(name));
        if fields.iter().flatten().map(|it| it.len()).sum::<usize>() > SIGNATURE_BYTES {
            return Err(Proof::MALFORMED);
        }
        let unsigned = Proof::not_checked(Reason::NotSigned);
        let [Some(inputs), Some(values), _] = fields else { return Err(unsigned) };
        let read = |text| Parser::new(text).parse::<Dictionary>().map_err(|_| Proof::MALFORMED);
        let (inputs, values) = (read(inputs)?, read(values)?);
        let mut tagged = inputs.into_iter().filter_map(|(label, input)| match input {
            ListEntry::InnerList(it) if string(&it, "tag") == Some(TAG) => Some((label, it)),
            _ => None,
        });
        let check = |(label, covered): (Key, InnerList)| match values.get(&label) {
            Some(ListEntry::Item(item)) => {
                let signature = item.bare_item.as_byte_sequence().ok_or(Proof::MALFORMED)?;
                self.check(label.as_str(), covered, signature.to_owned())
            }
            _ => Err(Proof::MALFORMED),
        };
        let mut checked: Vec<_> = tagged.by_ref().take(SIGNATURES).map(check).collect();
        if tagged.next().is_some() {
            checked.push(Err(Proof::unsupported(format!("more than {SIGNATURES} signatures"))));
        }
        if checked.is_empty() { Err(unsigned) } else { Ok(checked) }
    }

    fn check(&self, label: &str, covered: InnerList, signature: Vec<u8>) -> Checked {
        let Self { request, at, lifetime, authorities } = *self;
        let failed = |reason, detail: &str| Proof::failed(reason).detail(detail);
        let missing = |name| failed(Reason::MissingParameter, name);
        let key = string(&covered, "keyid").ok_or_else(|| missing("keyid"))?.to_owned();
        let time = |name| {
            let seconds = covered.params.get(name).and_then(BareItem::as_integer);
            let seconds = seconds.and_then(|it| u64::try_from(i64::from(it)).ok());
            seconds.map(Timestamp::from_seconds).ok_or_else(|| missing(name))
        };
        let (created, expires) = (time("created")?, time("expires")?);
        if covered.params.contains_key("alg") && string(&covered, "alg") != Some("ed25519") {
            return Err(Proof::unsupported("the algorithm"));
        }
        let find = |name: &str| {
            let is_named =
                |it: &Item| it.bare_item.as_string().is_some_and(|it| it.as_str() == name);
            // With a parameter, a derived component is another one.
            let is_plain = |it: &Item| !name.starts_with('@') || it.params.is_empty();
            covered.items.iter().find(|item| is_named(item) && is_plain(item))
        };
        if find("@authority").or(find("@target-uri")).is_none() {
            return Err(failed(Reason::NotCovered, "@authority"));
        }
        let authority = normal_authority(request);
        if authority.is_empty() {
            return Err(Proof::unsupported("a request without its authority"));
        }
        let is_own = |own: &String| own.eq_ignore_ascii_case(&authority);
        if !authorities.is_empty() && !authorities.iter().any(is_own) {
            return Err(failed(Reason::WrongAuthority, &quoted(&authority)));
        }
        let reason = match (created, expires) {
            _ if created > at.after(CLOCK_SKEW) => Some(Reason::Future),
            _ if expires <= at || expires <= created => Some(Reason::Expired),
            _ if expires.since(created) > lifetime => Some(Reason::LongLived),
            _ => None,
        };
        if let Some(reason) = reason {
            return Err(Proof::failed(reason));
        }
        let no_agent = || Proof::unsupported("a signature without Signature-Agent");
        let field = request.field("signature-agent").ok_or_else(no_agent)?;
        let uncovered = || failed(Reason::NotCovered, "signature-agent");
        let params = &find("signature-agent").ok_or_else(uncovered)?.params;
        let member = params.get("key").and_then(BareItem::as_string).map(StringRef::as_str);
        let agent = Agent::read(field, label, member)?;
        let base = signature_base(request, &covered)?;
        Ok(Candidate { agent, key, covered, signature, created, expires, base })
    }
}

impl Candidate {
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
            Some(None) => return Proof::unsupported("the kind of the key"),
            Some(Some(public)) => public,
        };
        if UnparsedPublicKey::new(&ED25519, public).verify(base.as_bytes(), &signature).is_err() {
            return Proof::failed(Reason::WrongSignature);
        }
        let nonce = string(&covered, "nonce");
        // Only after the signature: nobody else can use the memory of an agent.
        if let Some(nonce) = nonce {
            let mut nonces = nonces.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(reason) = nonces.use_up(&agent, &[&key, nonce].concat(), expires, at) {
                return reason;
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
        key_and_nonce: &str,
        expires: Timestamp,
        at: Timestamp,
    ) -> Result<(), Proof<'static>> {
        let host = Url::parse(&agent.key_set).ok();
        let host = host.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
        let nonce = digest(&SHA256, key_and_nonce.as_bytes());
        let nonce: [u8; 16] = nonce.as_ref().first_chunk().copied().unwrap_or_default();
        let is_full = |all: &Self| {
            let of_host = all.by_host.get(&host).map_or(0, HashMap::len);
            all.count >= NONCES || of_host >= NONCES_PER_HOST
        };
        if self.by_host.get(&host).is_some_and(|known| known.contains_key(&nonce)) {
            return Err(Proof::failed(Reason::Replayed));
        }
        if is_full(self) {
            for known in self.by_host.values_mut() {
                known.retain(|_, expires| *expires > at);
            }
            self.by_host.retain(|_, known| !known.is_empty());
            self.count = self.by_host.values().map(HashMap::len).sum();
            if is_full(self) {
                return Err(Proof::not_checked(Reason::TooManyNonces));
            }
        }
        self.by_host.entry(host).or_default().insert(nonce, expires);
        self.count += 1;
        Ok(())
    }
}
