//! Identification of the client of a request.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use verger::access::Timestamp;
use verger::quoted;
use verger_registry::{Crawler, Registry};

use crate::client_address::{TrustedProxies, may_be_cut};
use crate::identity::{Agent, Claim, Evidence, Identity, Proof, Reason, Verdict};
use crate::limits::{CLAIMS, HOST_ADDRESSES, HOST_NAMES, SIGNATURE_LIFETIME};
use crate::lists::{Lists, is_proxy};
use crate::request::Request;
use crate::signature::{Candidate, Checked, KeySet, Nonces, Signed};

/// Identifies the clients of requests by the registry and published lists, without I/O.
#[derive(Debug)]
#[non_exhaustive]
pub struct Identifier {
    /// The lists of addresses.
    pub lists: Lists,
    /// The proxies in front of the site; none by default.
    pub proxies: TrustedProxies,
    /// The hosts of the site, with their ports unless these are usual; any by default. A signature
    /// of a request for another host fails: who runs that host could have sent it on.
    pub authorities: Vec<String>,
    /// The maximum lifetime of a signature; by default [`SIGNATURE_LIFETIME`].
    pub signature_lifetime: Duration,
    key_sets: HashMap<String, Arc<KeySet>>,
    nonces: Mutex<Nonces>,
}

impl Default for Identifier {
    /// With the lists of this release.
    fn default() -> Self {
        Self::new(Lists::bundled().clone())
    }
}

/// Host names with their addresses.
pub type HostNames = Vec<(String, Vec<IpAddr>)>;

/// The results of look-ups. A value that was not looked up is `None`; an error is a message.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers with their own look-ups build it")]
pub struct LookedUp {
    /// The names of the address ([`Pending::address`]), and the addresses of those within
    /// [`Pending::domains`].
    pub names: Option<Result<HostNames, String>>,
    /// The time of their look-up.
    pub at: Timestamp,
    /// The key sets of the agents ([`Pending::key_sets`]) by their URLs.
    pub keys: HashMap<String, Result<Arc<KeySet>, String>>,
}

impl Identifier {
    /// With these lists.
    pub fn new(lists: Lists) -> Self {
        let (signature_lifetime, nonces) = (SIGNATURE_LIFETIME, Mutex::default());
        let (proxies, authorities, key_sets) = Default::default();
        Self { lists, proxies, authorities, signature_lifetime, key_sets, nonces }
    }

    /// Adds a key set by its URL, or by the origin of its agent. It replaces look-ups.
    pub fn add_key_set(&mut self, agent: &str, keys: KeySet) {
        let url = Agent::key_set_of(agent).unwrap_or_else(|| agent.to_owned());
        self.key_sets.insert(url, Arc::new(keys));
    }

    /// Identifies the client of a request, without look-ups. `now` is the time of a request without
    /// a time.
    ///
    /// A nonce of a verified signature is remembered: the same request again is `failed`.
    pub fn identify(&self, request: &Request, now: Timestamp) -> Identity<'_> {
        self.begin(request, now).finish(&LookedUp::default())
    }

    /// Begins an identification. The caller looks up what it needs, and finishes it.
    pub fn begin(&self, request: &Request, now: Timestamp) -> Pending<'_> {
        let end = request.at.unwrap_or(now).seconds();
        let at = Timestamp::from_seconds(end.saturating_sub(request.duration.as_secs()));
        let (lifetime, authorities) = (self.signature_lifetime, &self.authorities[..]);
        let signatures = Signed { request, at, lifetime, authorities }.candidates();
        let signatures = signatures.unwrap_or_else(|proof| vec![Err(proof)]);
        let named = Registry::bundled().identify(request.user_agent());
        let mut crawlers: Vec<_> = named.take(CLAIMS + 1).collect();
        let has_more_claims = crawlers.len() > CLAIMS;
        crawlers.truncate(CLAIMS);
        // `Feedly (like FeedFetcher-Google)` is Feedly. Alone, `like Googlebot` is a claim.
        if crawlers.len() > 1 {
            let header = request.user_agent().to_ascii_lowercase();
            let is_likened = |crawler: &&Crawler| {
                let mut names = crawler.user_agents().iter().map(|name| name.to_ascii_lowercase());
                let count = |text: &str| header.matches(text).count();
                names.all(|name| count(&name) == count(&format!("like {name}")))
            };
            if !crawlers.iter().all(is_likened) {
                crawlers.retain(|crawler| !is_likened(crawler));
            }
        }
        for Candidate { agent, .. } in signatures.iter().flatten() {
            let known = Registry::bundled().crawlers().iter();
            for crawler in known.filter(|it| key_set_of(it).as_ref() == Some(&agent.key_set)) {
                if !crawlers.iter().any(|known| known.token() == crawler.token()) {
                    crawlers.push(crawler);
                }
            }
        }
        let name = self.proxies.field();
        let field = request.field(name);
        let hidden = |error: &str| {
            let whole = if request.is_logged { "the line of the log" } else { "the request" };
            let missing = || format!("{whole} has no field {}", quoted(name));
            let detail = field.map_or_else(missing, |_| error.to_owned());
            Proof::not_checked(Reason::Proxy).detail(detail)
        };
        let client = request.ip.ok_or(Proof::not_checked(Reason::NoAddress));
        let client = client.and_then(|peer| self.proxies.client(peer, field).map_err(hidden));
        let address = client.as_ref().ok().copied();
        let client = if request.is_logged && address.is_some_and(may_be_cut) {
            Err(Proof::not_checked(Reason::MayBeCut))
        } else {
            client
        };
        Pending { identifier: self, at, address, client, crawlers, has_more_claims, signatures }
    }

    fn addresses(&self, client: IpAddr, crawler: &'static Crawler, at: Timestamp) -> Proof<'_> {
        let (mut compared, mut other, mut missing) = (Vec::new(), None, None);
        for url in crawler.ip_ranges() {
            let Some((found, list)) = self.lists.at(url, at) else {
                missing = Some(url);
                continue;
            };
            compared.push(list);
            let Some((prefix, services)) = found.find(client) else { continue };
            let evidence = Evidence::Listed { prefix, services, list };
            if !found.is_of_other(crawler, services) {
                return Proof::verified(evidence);
            }
            other = Some(Proof::failed(Reason::OtherService).with(evidence));
        }
        match (other, missing) {
            (Some(other), _) => other,
            _ if is_proxy(client) => Proof::not_checked(Reason::Proxy),
            (_, Some(url)) => Proof::not_checked(Reason::NoList).detail(url),
            _ => Proof::failed(Reason::NotListed).with(Evidence::NotListed { lists: compared }),
        }
    }
}

/// An identification that may need look-ups.
#[derive(Debug)]
pub struct Pending<'a> {
    identifier: &'a Identifier,
    at: Timestamp,
    /// The address of the client.
    address: Option<IpAddr>,
    /// The same if it can prove something, otherwise why not.
    client: Result<IpAddr, Proof<'static>>,
    crawlers: Vec<&'static Crawler>,
    has_more_claims: bool,
    signatures: Vec<Checked>,
}

impl<'a> Pending<'a> {
    /// The address whose host names are needed.
    pub fn address(&self) -> Option<IpAddr> {
        let address = self.client.as_ref().ok().filter(|address| !is_proxy(**address))?;
        self.domains().next().map(|_| *address)
    }

    /// The domains of the operators. Names outside of them need no addresses.
    pub fn domains(&self) -> impl Iterator<Item = &'static str> {
        self.crawlers.iter().flat_map(|crawler| crawler.reverse_dns()).map(String::as_str)
    }

    /// The URLs of the key sets that the signatures need, with the thumbprints of their keys.
    pub fn key_sets(&self) -> impl Iterator<Item = (&str, &str)> {
        let needed = self.signatures.iter().flatten().map(|it| (&*it.agent.key_set, &*it.key));
        needed.filter(|(url, _)| !self.identifier.key_sets.contains_key(*url))
    }

    /// Judges the request with the results of look-ups.
    pub fn finish(self, found: &LookedUp) -> Identity<'a> {
        let Self { identifier, at, address, client, crawlers, has_more_claims, signatures } = self;
        let verify = |candidate: Candidate| {
            let url = &candidate.agent.key_set;
            let known = identifier.key_sets.get(url).map(Ok);
            match known.or_else(|| found.keys.get(url).map(Result::as_ref)) {
                Some(Ok(keys)) => candidate.verify(keys, &identifier.nonces, at),
                Some(Err(error)) => Proof::not_checked(Reason::LookUp).detail(error.clone()),
                None => Proof::not_checked(Reason::Offline),
            }
        };
        let signatures = signatures.into_iter().map(|it| it.map_or_else(|proof| proof, verify));
        let signatures: Vec<_> = signatures.collect();
        let claims = crawlers.into_iter().map(|crawler| {
            let prove = |published: &[String], judge: &dyn Fn(IpAddr) -> Proof<'a>| match &client {
                _ if published.is_empty() => unpublished(crawler),
                Ok(client) => judge(*client),
                Err(hidden) => hidden.clone(),
            };
            let by_list = |client| identifier.addresses(client, crawler, at);
            let by_name = |client| match &found.names {
                _ if is_proxy(client) => Proof::not_checked(Reason::Proxy),
                Some(Ok(names)) => judge(client, names, crawler.reverse_dns(), found.at),
                Some(Err(error)) => Proof::not_checked(Reason::LookUp).detail(error.clone()),
                None => Proof::not_checked(Reason::Offline),
            };
            let addresses = prove(crawler.ip_ranges(), &by_list);
            let reverse_dns = prove(crawler.reverse_dns(), &by_name);
            let signature = signature_of(crawler, &signatures);
            let verdict = Verdict::of(&[&addresses, &reverse_dns, &signature]);
            Claim { crawler, verdict, addresses, reverse_dns, signature }
        });
        let claims: Vec<_> = claims.collect();
        let signature = Proof::best(signatures.into_iter()).unwrap_or(Proof::NONE);
        let verdict = match Verdict::of_claims(&claims) {
            _ if claims.is_empty() => Verdict::of(&[&signature]),
            Verdict::Verified if has_more_claims => Verdict::Undecided,
            verdict => verdict,
        };
        Identity { verdict, address, at, claims, has_more_claims, signature }
    }
}

/// The proof of a crawler by what its operator does not publish. No source was read for names only.
fn unpublished(crawler: &Crawler) -> Proof<'static> {
    if crawler.is_name_only() { Proof::not_checked(Reason::NameOnly) } else { Proof::NONE }
}

/// The proof of a crawler by the signatures of a request.
fn signature_of(crawler: &Crawler, signatures: &[Proof<'static>]) -> Proof<'static> {
    let Some(own) = key_set_of(crawler) else { return unpublished(crawler) };
    let of_crawler = |proof: &Proof<'static>| match proof.evidence.as_deref() {
        Some(Evidence::Signature { agent, .. }) if agent.key_set != own => {
            Proof::failed(Reason::OtherAgent).detail(quoted(&agent.key_set))
        }
        _ => proof.clone(),
    };
    Proof::best(signatures.iter().map(of_crawler)).unwrap_or(Proof::NONE)
}

/// The URL of the key set of a crawler.
pub(crate) fn key_set_of(crawler: &Crawler) -> Option<String> {
    crawler.signature_agent().and_then(Agent::key_set_of)
}

/// Judges the names of an address: one must be in a domain, and resolve to the address.
fn judge(
    client: IpAddr,
    names: &[(String, Vec<IpAddr>)],
    domains: &[String],
    looked_up: Timestamp,
) -> Proof<'static> {
    let evidence = |name: &str, addresses| {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        Evidence::Name { name, addresses, looked_up }
    };
    let mut failure = names.first().map_or(Proof::failed(Reason::NoName), |(name, _)| {
        Proof::failed(Reason::OtherName).with(evidence(name, Vec::new()))
    });
    let is_own = |name: &str| domains.iter().any(|domain| is_within(name, domain));
    for (name, addresses) in names.iter().take(HOST_NAMES).filter(|(name, _)| is_own(name)) {
        let addresses = addresses.iter().take(HOST_ADDRESSES).map(IpAddr::to_canonical);
        let addresses: Vec<_> = addresses.collect();
        if addresses.contains(&client) {
            return Proof::verified(evidence(name, addresses));
        }
        failure = Proof::failed(Reason::NotConfirmed).with(evidence(name, addresses));
    }
    failure
}

/// Whether a name is a domain, or below it: `x.googlebot.com` is within `googlebot.com`, and
/// `fakegooglebot.com` is not.
pub(crate) fn is_within(name: &str, domain: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let before = name.strip_suffix(domain.to_ascii_lowercase().as_str());
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}
