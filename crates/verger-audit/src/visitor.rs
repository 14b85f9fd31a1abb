//! The sender of a request: the crawler that it names, and whether that is proved.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::time::Duration;

use verger::access::{Profile, Timestamp};
use verger::{Crawler as Rules, ProductToken};
use verger_identity::{
    Claim, ComparedList, Evidence, Identifier, Identity, Status, Verdict as Proved,
};
use verger_registry::words::names_crawler;
use verger_registry::{Crawler, Purpose, Registry};

use crate::limits::{HEADER_BYTES, HEADERS, LIST_SECONDS};
use crate::log::Request;

/// The crawlers that were seen, and the identities of requests.
#[derive(Debug)]
pub(crate) struct Visitors<'a> {
    identifier: &'a Identifier,
    lifetime: Option<Duration>,
    /// The names in groups, in lower case.
    group_names: HashSet<String>,
    crawlers: Vec<Visitor>,
    by_token: HashMap<String, usize>,
    /// The access profiles of the readers: of crawlers that share what they have fetched.
    readers: Vec<Vec<Profile>>,
    by_operator: HashMap<&'static str, usize>,
    /// The meaning of User-Agent headers.
    headers: HashMap<Box<[u8]>, Named>,
    /// The last header and its meaning, which `is_claim` and `who` both need.
    last: (Vec<u8>, Named),
}

/// A crawler that was seen.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(crate) token: String,
    pub(crate) operator: Option<&'static str>,
    pub(crate) purpose: Option<Purpose>,
    /// Its rules in robots.txt.
    pub(crate) rules: Cow<'static, Rules>,
    /// Its reader, and the index of its access profile among those of the reader.
    pub(crate) reader: usize,
    pub(crate) profile: usize,
}

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Who {
    /// The index of the crawler.
    pub(crate) crawler: usize,
    pub(crate) proof: Proved,
    pub(crate) address: Option<IpAddr>,
}

/// The meaning of a User-Agent header.
#[derive(Clone, Copy, Debug)]
enum Named {
    Nobody,
    /// A crawler that only a group names.
    InGroup(usize),
    /// A crawler of the registry; its identity decides which one.
    Known,
}

impl<'a> Visitors<'a> {
    pub(crate) fn new(
        identifier: &'a Identifier,
        group_names: HashSet<String>,
        lifetime: Option<Duration>,
    ) -> Self {
        Self {
            identifier,
            lifetime,
            group_names,
            crawlers: Vec::new(),
            by_token: HashMap::new(),
            readers: Vec::new(),
            by_operator: HashMap::new(),
            headers: HashMap::new(),
            last: (Vec::new(), Named::Nobody),
        }
    }

    /// The number of stored headers.
    #[cfg(test)]
    pub(crate) fn stored(&self) -> usize {
        self.headers.len()
    }

    pub(crate) fn crawler(&self, index: usize) -> &Visitor {
        &self.crawlers[index]
    }

    pub(crate) fn profiles(&self, index: usize) -> &[Profile] {
        &self.readers[index]
    }

    /// The crawler that sent a request; `None` for a browser or a tool. `identity` replaces the proof
    /// without look-ups.
    pub(crate) fn who(
        &mut self,
        request: &Request<'_>,
        identity: Option<&Identity<'_>>,
    ) -> Option<Who> {
        match self.named(request) {
            Named::Nobody if !request.is_signed() => return None,
            Named::InGroup(crawler) => {
                let own = identity.is_none().then(|| self.identify(request));
                let address = identity.or(own.as_ref()).and_then(|it| it.address);
                return Some(Who { crawler, proof: Proved::Undecided, address });
            }
            _ => {}
        }
        match identity {
            Some(identity) => self.of_identity(identity, request.at),
            None => self.of_identity(&self.identify(request), request.at),
        }
    }

    /// Whether the identity of the sender is needed; of a crawler that only a group names, it is the address
    /// behind proxies.
    pub(crate) fn is_claim(&mut self, request: &Request<'_>) -> bool {
        !matches!(self.named(request), Named::Nobody) || request.is_signed()
    }

    fn named(&mut self, request: &Request<'_>) -> Named {
        let header = request.user_agent.as_deref().unwrap_or_default();
        if self.last.0 != header {
            let named = self.headers.get(header).copied();
            self.last.1 = named.unwrap_or_else(|| self.read(header));
            self.last.0.clear();
            self.last.0.extend_from_slice(header);
        }
        self.last.1
    }

    fn identify(&self, request: &Request<'_>) -> Identity<'a> {
        self.identifier.identify(&identity_request(request), Timestamp::EPOCH)
    }

    /// The readers whose operators publish the address of a request in a list.
    pub(crate) fn listed(&mut self, request: &Request<'_>) -> Vec<usize> {
        let address = self.identify(request).address;
        let (Some(address), Some(at)) = (address, request.at) else { return Vec::new() };
        let identifier = self.identifier;
        let has = |url: &String| {
            identifier.lists.at(url, at).is_some_and(|(list, _)| list.find(address).is_some())
        };
        let all = Registry::bundled().crawlers().iter();
        let crawlers = all.filter(|crawler| crawler.ip_ranges().iter().any(has));
        let reader = |crawler: &'static Crawler| {
            let index = self.index_of(crawler.token(), Some(crawler));
            self.crawlers[index].reader
        };
        crawlers.map(reader).collect()
    }

    /// One verified claim decides; else one that failed. Of two, nobody knows which crawler it was.
    fn of_identity(&mut self, identity: &Identity<'_>, at: Option<Timestamp>) -> Option<Who> {
        let with = |proof| identity.claims.iter().filter(move |it| proof_of(it, at) == proof);
        let (mut verified, mut failed) = (with(Proved::Verified), with(Proved::Failed));
        let claim = verified.next().or_else(|| failed.next()).or(identity.claims.first())?;
        let is_one = verified.next().is_none();
        let proof = if is_one { proof_of(claim, at) } else { Proved::Undecided };
        let crawler = self.index_of(claim.crawler.token(), Some(claim.crawler));
        Some(Who { crawler, proof, address: identity.address })
    }

    /// Reads a header for the first time.
    fn read(&mut self, header: &[u8]) -> Named {
        let text = String::from_utf8_lossy(header);
        let mut known = Registry::bundled().identify(&text);
        // Anybody runs a library, so it is no crawler unless a robots.txt treats it as one.
        let is_crawler = known.any(|it| {
            let token = it.token();
            !it.is_library() || self.is_in_group(token) && names_crawler(&text, token, false)
        });
        let named = if is_crawler {
            Named::Known
        } else {
            let words = Rules::from_user_agent(&text);
            let mut words = words.iter().flat_map(Rules::tokens).map(ProductToken::as_str);
            let mut seen = HashSet::new();
            let mut is_new = |word: &str| seen.insert(word.to_ascii_lowercase());
            match words.find(|word| {
                self.is_in_group(word) && is_new(word) && names_crawler(&text, word, false)
            }) {
                Some(token) => Named::InGroup(self.index_of(token, None)),
                None => Named::Nobody,
            }
        };
        if header.len() <= HEADER_BYTES {
            if self.headers.len() >= HEADERS {
                self.headers.clear();
            }
            self.headers.insert(header.into(), named);
        }
        named
    }

    fn is_in_group(&self, token: &str) -> bool {
        self.group_names.contains(&token.to_ascii_lowercase())
    }

    /// The index of a crawler: of the registry, or one that only a group names. Nobody else reads for that.
    fn index_of(&mut self, token: &str, known: Option<&'static Crawler>) -> usize {
        if let Some(found) = self.by_token.get(token) {
            return *found;
        }
        let key = token.to_ascii_lowercase();
        if let Some(found) = self.by_token.get(&key) {
            return *found;
        }
        let operator = known.and_then(Crawler::operator);
        let profile = known.map_or(Profile::RFC9309, Crawler::access_profile);
        let reader = operator.and_then(|operator| self.by_operator.get(operator)).copied();
        let reader = reader.unwrap_or_else(|| {
            let registry = Registry::bundled();
            let all = registry.crawlers().iter().chain(registry.further_crawlers());
            let own = all.filter(|it| operator.is_some() && it.operator() == operator);
            let mut profiles: Vec<Profile> = Vec::new();
            for profile in own.map(Crawler::access_profile).chain([profile]) {
                if !profiles.iter().any(|it| it.name == profile.name) {
                    profiles.push(self.adapted(profile));
                }
            }
            self.readers.push(profiles);
            self.readers.len() - 1
        });
        if let Some(operator) = operator {
            self.by_operator.insert(operator, reader);
        }
        let profiles = &self.readers[reader];
        let index = self.crawlers.len();
        if known.is_some() {
            // As the registry spells it, which needs no copy for each request.
            self.by_token.insert(token.to_owned(), index);
        }
        self.by_token.insert(key, index);
        self.crawlers.push(Visitor {
            token: token.to_owned(),
            operator,
            purpose: known.map(Crawler::purpose),
            rules: known.map_or_else(
                || Cow::Owned(Rules::new(token)),
                |known| Cow::Borrowed(known.rules()),
            ),
            reader,
            profile: profiles.iter().position(|it| it.name == profile.name).unwrap_or_default(),
        });
        index
    }

    /// The log shows that the site answers, and a lifetime can be configured.
    fn adapted(&self, profile: Profile) -> Profile {
        let mut profile = profile.with_site_available();
        if let Some(lifetime) = self.lifetime {
            profile.default_lifetime = lifetime;
            profile.floor = profile.floor.min(lifetime);
            profile.ceiling = profile.ceiling.max(lifetime);
            profile.max_age_ceiling = profile.max_age_ceiling.max(lifetime);
        }
        profile
    }
}

/// Whether a list is too far from the time of a request to prove anything.
pub fn is_distant(list: &ComparedList<'_>, at: Timestamp) -> bool {
    // A list that was created before the request was published between.
    let later = if list.is_later { list.copied.since(at) } else { Duration::ZERO };
    at.since(list.copied).max(later).as_secs() > LIST_SECONDS
}

/// The verdict about a claim, without lists that are too far from the request.
fn proof_of(claim: &Claim<'_>, at: Option<Timestamp>) -> Proved {
    let lists = match claim.addresses.evidence.as_deref() {
        Some(Evidence::Listed { list, .. }) => std::slice::from_ref(list),
        Some(Evidence::NotListed { lists }) => lists,
        _ => &[],
    };
    if !lists.iter().any(|list| at.is_some_and(|at| is_distant(list, at))) {
        return claim.verdict;
    }
    let others = [&claim.reverse_dns, &claim.signature].map(|proof| proof.status);
    match others {
        _ if others.contains(&Status::Verified) => Proved::Verified,
        _ if others.contains(&Status::Failed) => Proved::Failed,
        _ => Proved::Undecided,
    }
}

/// The request of a log as [`Identifier`] reads it.
pub fn identity_request(request: &Request<'_>) -> verger_identity::Request {
    let header = request.user_agent.as_deref().unwrap_or_default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let fields = request.headers.iter();
    let mut asked = verger_identity::Request {
        ip: request.peer,
        user_agent: Some(text(header)),
        at: request.at,
        authority: request.host.as_deref().map(text),
        target: text(&request.target),
        headers: fields.map(|(name, value)| ((*name).to_owned(), text(value))).collect(),
        ..verger_identity::Request::default()
    };
    if !request.method.is_empty() {
        asked.method = text(&request.method);
    }
    if let Some(scheme) = request.scheme {
        scheme.clone_into(&mut asked.scheme);
    }
    asked
}
