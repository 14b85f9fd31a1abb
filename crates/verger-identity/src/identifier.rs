//! Identification of the client of a request.

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use verger_registry::{Crawler, Registry};

use crate::host_names::{ConfirmedName, HostNames, NameFailure};
use crate::identity::{
    AddressFailure, Claim, ClaimSource, ComparedList, Identity, ListedAddress, Verdict,
};
use crate::limits::CLAIMS;
use crate::lists::Lists;
use crate::proof::{Proof, Unchecked, UncheckedReason};
use crate::signature::{Agent, Candidate, KeySet, SignatureFailure, SignatureProof, Verifier};
use crate::{HiddenClient, Request};

/// Identifies the clients of requests by the registry and published lists, without I/O.
///
/// # Examples
///
/// ```
/// use verger_identity::{Identifier, Request, Verdict};
///
/// let identifier = Identifier::default();
/// let header = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
/// let request = Request::new(header, "2026-09-10T12:00:00Z".parse()?);
/// let verdict = |address: &str| {
///     let address = address.parse().expect("an address");
///     identifier.identify(request.with_address(Ok(address))).verdict
/// };
/// assert_eq!(verdict("66.249.66.1"), Verdict::Verified);
/// assert_eq!(verdict("203.0.113.9"), Verdict::Failed);
/// // The address of a proxy proves nothing.
/// assert_eq!(verdict("10.0.0.1"), Verdict::Undecided);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Identifier {
    lists: Cow<'static, Lists>,
    key_sets: HashMap<String, Arc<KeySet>>,
    verifier: Verifier,
    /// Crawlers that sign, by the URL of their key set.
    agents: HashMap<String, Vec<&'static Crawler>>,
}

impl Default for Identifier {
    /// With the lists of this release.
    fn default() -> Self {
        Self::from(Cow::Borrowed(Lists::bundled()))
    }
}

impl From<Lists> for Identifier {
    fn from(lists: Lists) -> Self {
        Self::from(Cow::Owned(lists))
    }
}

impl From<Cow<'static, Lists>> for Identifier {
    fn from(lists: Cow<'static, Lists>) -> Self {
        let mut agents: HashMap<_, Vec<_>> = HashMap::new();
        for crawler in Registry::bundled().crawlers() {
            if let Some(key_set) = crawler.signature_agent().and_then(Agent::key_set_of) {
                agents.entry(key_set).or_default().push(crawler);
            }
        }
        Self { lists, key_sets: HashMap::new(), verifier: Verifier::default(), agents }
    }
}

/// The results of look-ups. A value that was not looked up is `None`; an error is a reason for
/// people.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers with their own look-ups build it")]
pub struct LookedUp {
    /// The names of the address ([`Pending::address`]).
    pub names: Option<Result<HostNames, String>>,
    /// The key set of the agent ([`Pending::key_set`]).
    pub keys: Option<Result<Arc<KeySet>, String>>,
}

impl Identifier {
    /// Adds a key set by its URL, or by the origin of its agent. It replaces look-ups.
    #[must_use]
    pub fn with_key_set(mut self, agent: &str, keys: KeySet) -> Self {
        let url = Agent::key_set_of(agent).unwrap_or_else(|| agent.to_owned());
        self.key_sets.insert(url, Arc::new(keys));
        self
    }

    /// Sets the maximum lifetime of a signature; by default
    /// [`SIGNATURE_LIFETIME`](crate::limits::SIGNATURE_LIFETIME).
    #[must_use]
    pub const fn with_signature_lifetime(mut self, lifetime: Duration) -> Self {
        self.verifier.lifetime = lifetime;
        self
    }

    /// The lists.
    pub fn lists(&self) -> &Lists {
        &self.lists
    }

    /// Whether the key set at a URL is that of a known crawler.
    #[cfg(feature = "net")]
    pub(crate) fn is_known_agent(&self, key_set: &str) -> bool {
        self.agents.contains_key(key_set)
    }

    /// Identifies the client of a request, without look-ups.
    ///
    /// A nonce of a verified signature is remembered: the same request again is `failed`.
    ///
    /// # Complexity
    ///
    /// Linear in the header and in the fields of a signature.
    pub fn identify<'a>(&'a self, request: Request<'a>) -> Identity<'a> {
        self.begin(request).finish(LookedUp::default())
    }

    /// Begins an identification. The caller looks up what it needs, and finishes it.
    pub fn begin<'a>(&'a self, request: Request<'a>) -> Pending<'a> {
        let signature = match request.head {
            Some(head) => self.verifier.candidate(head, request.at),
            None => Err(Proof::not_checked(UncheckedReason::NoHeaders)),
        };
        let named = Registry::bundled().identify(request.user_agent).take(CLAIMS);
        let mut crawlers: Vec<_> = named.map(|crawler| (crawler, ClaimSource::UserAgent)).collect();
        let agent = signature.as_ref().ok().map(|candidate| &candidate.agent.key_set);
        for &crawler in agent.and_then(|agent| self.agents.get(agent)).into_iter().flatten() {
            if !crawlers.iter().any(|(known, _)| known.token() == crawler.token()) {
                crawlers.push((crawler, ClaimSource::SignatureAgent));
            }
        }
        Pending { identifier: self, request, crawlers, signature }
    }

    fn list_proof<'a>(
        &'a self,
        request: &Request<'_>,
        crawler: &'static Crawler,
    ) -> Proof<ListedAddress<'a>, AddressFailure<'a>> {
        if crawler.ip_ranges().is_empty() {
            return Proof::NotPublished;
        }
        let address = match client(request) {
            Ok(address) => address,
            Err(reason) => return Proof::NotChecked(reason),
        };
        let (mut compared, mut failure, mut missing) = (Vec::new(), None, None);
        for url in crawler.ip_ranges() {
            let Some(found) = self.lists.at(url, request.at) else {
                missing = Some(url);
                continue;
            };
            let list = ComparedList::new(url, &found);
            compared.push(list);
            let Some((prefix, services)) = found.list.find(address) else { continue };
            let listed = ListedAddress { prefix, services, list };
            // A list that names the crawler says which prefixes are its own. In other lists, the
            // services are not tokens.
            let is_own = names(crawler).any(|name| services.iter().any(|it| **it == *name));
            if is_own || !found.list.has_service(names(crawler)) {
                return Proof::Verified(listed);
            }
            failure = Some(AddressFailure::OtherService(listed));
        }
        if let Some(failure) = failure {
            return Proof::Failed(failure);
        }
        if self.lists.is_proxy(address) {
            return Proof::not_checked(UncheckedReason::Proxy);
        }
        match missing {
            Some(url) => Proof::NotChecked(Unchecked::with(UncheckedReason::NoList, url.as_str())),
            None => Proof::Failed(AddressFailure::NotListed { lists: compared }),
        }
    }

    fn names_proof(
        &self,
        request: &Request<'_>,
        crawler: &Crawler,
        names: Option<&Result<HostNames, String>>,
    ) -> Proof<ConfirmedName, NameFailure> {
        if crawler.reverse_dns().is_empty() {
            return Proof::NotPublished;
        }
        let address = match client(request) {
            Ok(address) => address,
            Err(reason) => return Proof::NotChecked(reason),
        };
        if self.lists.is_proxy(address) {
            return Proof::not_checked(UncheckedReason::Proxy);
        }
        match names {
            Some(Ok(names)) => names.judge(address, crawler.reverse_dns()).into(),
            Some(Err(error)) => {
                Proof::NotChecked(Unchecked::with(UncheckedReason::LookUp, error.as_str()))
            }
            None => Proof::not_checked(UncheckedReason::Offline),
        }
    }
}

/// The names of a crawler that a list can have as services.
fn names(crawler: &Crawler) -> impl Iterator<Item = &str> {
    let more = crawler.aliases().iter().chain(crawler.user_agents()).map(String::as_str);
    std::iter::once(crawler.token()).chain(more)
}

fn client(request: &Request<'_>) -> Result<IpAddr, Unchecked> {
    match request.address {
        Some(Ok(address)) => Ok(address.to_canonical()),
        Some(Err(hidden)) => {
            let hidden: HiddenClient = hidden;
            Err(Unchecked::with(UncheckedReason::Proxy, hidden.to_string()))
        }
        None => Err(Unchecked { reason: UncheckedReason::NoAddress, detail: None }),
    }
}

/// An identification that may need look-ups.
#[derive(Debug)]
pub struct Pending<'a> {
    identifier: &'a Identifier,
    request: Request<'a>,
    crawlers: Vec<(&'static Crawler, ClaimSource)>,
    signature: Result<Candidate, SignatureProof>,
}

impl<'a> Pending<'a> {
    /// The address whose names prove something.
    pub fn address(&self) -> Option<IpAddr> {
        let address = client(&self.request).ok()?;
        let is_needed = self.domains().next().is_some() && !self.identifier.lists.is_proxy(address);
        is_needed.then_some(address)
    }

    /// The domains of the operators. Names outside of them need no addresses.
    pub fn domains(&self) -> impl Iterator<Item = &'static str> {
        self.crawlers.iter().flat_map(|(crawler, _)| crawler.reverse_dns()).map(String::as_str)
    }

    /// The URL of the key set that the signature needs, and the thumbprint of its key.
    pub fn key_set(&self) -> Option<(&str, &str)> {
        let candidate = self.signature.as_ref().ok()?;
        let url = candidate.agent.key_set.as_str();
        (!self.identifier.key_sets.contains_key(url)).then_some((url, &candidate.key))
    }

    /// Judges the request with the results of look-ups.
    pub fn finish(self, found: LookedUp) -> Identity<'a> {
        let Self { identifier, request, crawlers, signature } = self;
        let signature = signature.map_or_else(
            |proof| proof,
            |candidate| {
                let known = identifier.key_sets.get(&candidate.agent.key_set);
                match known.map(|keys| Ok(Arc::clone(keys))).or(found.keys) {
                    Some(Ok(keys)) => identifier.verifier.verify(candidate, &keys, request.at),
                    Some(Err(error)) => {
                        Proof::NotChecked(Unchecked::with(UncheckedReason::LookUp, error))
                    }
                    None => Proof::not_checked(UncheckedReason::Offline),
                }
            },
        );
        let claims: Vec<_> = crawlers
            .into_iter()
            .map(|(crawler, claimed_by)| {
                let list = identifier.list_proof(&request, crawler);
                let reverse_dns = identifier.names_proof(&request, crawler, found.names.as_ref());
                let signature = signature_of(crawler, &signature);
                let is_verified =
                    list.is_verified() || reverse_dns.is_verified() || signature.is_verified();
                let is_failed =
                    list.is_failed() || reverse_dns.is_failed() || signature.is_failed();
                let verdict = Verdict::of(is_verified, is_failed);
                let operator = crawler.operator();
                Claim { crawler, operator, claimed_by, verdict, list, reverse_dns, signature }
            })
            .collect();
        let has = |verdict| claims.iter().any(|claim| claim.verdict == verdict);
        let verdict = if claims.is_empty() {
            Verdict::of(signature.is_verified(), signature.is_failed())
        } else {
            Verdict::of(has(Verdict::Verified), has(Verdict::Failed))
        };
        let address = client(&request).ok();
        Identity { verdict, address, at: request.at, claims, signature }
    }
}

/// The proof of a crawler by the signature of a request.
fn signature_of(crawler: &Crawler, signature: &SignatureProof) -> SignatureProof {
    let Some(agent) = crawler.signature_agent() else { return Proof::NotPublished };
    match signature {
        Proof::Verified(found)
            if Agent::key_set_of(agent).as_ref() != Some(&found.agent.key_set) =>
        {
            let key_set = found.agent.key_set.clone();
            Proof::Failed(SignatureFailure::OtherAgent { key_set })
        }
        other => other.clone(),
    }
}

impl Verdict {
    const fn of(is_verified: bool, is_failed: bool) -> Self {
        match (is_verified, is_failed) {
            (true, _) => Self::Verified,
            (_, true) => Self::Failed,
            _ => Self::Undecided,
        }
    }
}
