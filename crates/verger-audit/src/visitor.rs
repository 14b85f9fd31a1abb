//! The sender of a request: the crawler that it names, and whether that is proved.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use verger::access::{Profile, Timestamp};
use verger::{Crawler as Rules, ProductToken};
use verger_identity::{Identifier, Identity, Verdict as Proved};
use verger_registry::words::names_crawler;
use verger_registry::{Crawler, Purpose, Registry};

use crate::limits::{CLIENTS, HEADER_BYTES, HEADERS};
use crate::log::{Request, absolute};

/// The crawlers that were seen, and the identities of requests.
#[derive(Debug)]
pub(crate) struct Visitors<'a> {
    identifier: &'a Identifier,
    lifetime: Option<Duration>,
    /// The names in groups, in lower case.
    group_names: HashSet<String>,
    pub(crate) crawlers: Vec<Visitor>,
    /// The access profiles of the readers: of crawlers that share what they have fetched.
    pub(crate) readers: Vec<Vec<Profile>>,
    /// The meaning of User-Agent headers, with their numbers.
    pub(crate) headers: HashMap<Box<[u8]>, (usize, Named)>,
    clients: HashMap<Client, Who<'a>>,
}

/// A client with a claim. Its identity is the same as long as the lists of addresses prove the
/// same.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Client {
    peer: Option<IpAddr>,
    /// The number of its User-Agent header.
    header: Option<usize>,
    /// The fields of proxies.
    fields: Vec<(&'static str, Vec<u8>)>,
    /// The time since which all lists prove the same.
    lists: Option<Timestamp>,
}

/// A crawler that was seen.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(crate) token: String,
    pub(crate) operator: Option<&'static str>,
    pub(crate) purpose: Option<Purpose>,
    /// Whether the registry has it, and not as a library.
    pub(crate) is_known: bool,
    /// Its rules in robots.txt.
    pub(crate) rules: Rules,
    /// Its reader, and the index of its access profile among those of the reader.
    pub(crate) reader: usize,
    pub(crate) profile: usize,
}

/// The sender of a request.
#[derive(Clone, Debug)]
pub(crate) struct Who<'a> {
    /// The index of the crawler.
    pub(crate) crawler: usize,
    pub(crate) proof: Proved,
    pub(crate) identity: Arc<Identity<'a>>,
}

/// The meaning of a User-Agent header.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named {
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
            readers: Vec::new(),
            headers: HashMap::new(),
            clients: HashMap::new(),
        }
    }

    /// The crawler that sent a request; `None` for a browser or a tool. `identify` is called for a
    /// claim, a request with a name or a signature, unless its client is known.
    pub(crate) fn who(
        &mut self,
        request: &Request<'_>,
        identify: impl FnOnce(&verger_identity::Request) -> Identity<'a>,
    ) -> Option<Who<'a>> {
        let (header, named) = self.named(request.user_agent.as_deref().unwrap_or_default());
        let is_signed = request.headers.iter().any(|(name, _)| is_of_signature(name));
        if matches!(named, Named::Nobody) && !is_signed {
            return None;
        }
        let fields = request.headers.iter().map(|(name, value)| (*name, value.to_vec()));
        let lists = request.at.and_then(|at| self.identifier.lists.unchanged_since(at));
        let client = Client { peer: request.peer, header, fields: fields.collect(), lists };
        // A signature is of one request.
        let length = client.fields.iter().map(|(_, value)| value.len()).sum::<usize>();
        let has_all = header.is_some() && request.at.is_some();
        let is_kept = has_all && !is_signed && length <= HEADER_BYTES;
        if let Some(known) = self.clients.get(&client).filter(|_| is_kept) {
            return Some(known.clone());
        }
        let asked = request.into();
        let identity = Arc::new(match request.at {
            Some(_) => identify(&asked),
            None => self.identifier.identify(&asked, Timestamp::EPOCH),
        });
        let who = match named {
            Named::InGroup(crawler) => Who { crawler, proof: Proved::Undecided, identity },
            _ => self.of_identity(identity)?,
        };
        if is_kept {
            if self.clients.len() >= CLIENTS {
                self.clients.clear();
            }
            self.clients.insert(client, who.clone());
        }
        Some(who)
    }

    /// The readers whose operators publish the address of a request in a list.
    pub(crate) fn listed(&mut self, request: &Request<'_>) -> Vec<usize> {
        let identifier = self.identifier;
        let address = identifier.identify(&request.into(), Timestamp::EPOCH).address;
        let (Some(address), Some(at)) = (address, request.at) else { return Vec::new() };
        let reader = |crawler: &'static Crawler| {
            let index = self.index_of(crawler.token(), Some(crawler));
            self.crawlers[index].reader
        };
        identifier.lists.crawlers(address, at).map(reader).collect()
    }

    /// One verified claim decides; else one that failed. Of two, nobody knows which crawler it was.
    fn of_identity(&mut self, identity: Arc<Identity<'a>>) -> Option<Who<'a>> {
        let with = |proof| identity.claims.iter().filter(move |it| it.verdict == proof);
        let (mut verified, mut failed) = (with(Proved::Verified), with(Proved::Failed));
        let claim = verified.next().or_else(|| failed.next()).or(identity.claims.first())?;
        let proof = if verified.next().is_none() { claim.verdict } else { Proved::Undecided };
        let crawler = self.index_of(claim.crawler.token(), Some(claim.crawler));
        Some(Who { crawler, proof, identity })
    }

    /// The meaning of a header, with its number if it is stored.
    fn named(&mut self, header: &[u8]) -> (Option<usize>, Named) {
        if let Some((number, named)) = self.headers.get(header) {
            return (Some(*number), *named);
        }
        let named = self.read(header);
        if header.len() > HEADER_BYTES {
            return (None, named);
        }
        if self.headers.len() >= HEADERS {
            self.headers.clear();
            self.clients.clear();
        }
        let number = self.headers.len();
        self.headers.insert(header.into(), (number, named));
        (Some(number), named)
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
        if is_crawler {
            return Named::Known;
        }
        let words = Rules::from_user_agent(&text);
        let mut words = words.iter().flat_map(Rules::tokens).map(ProductToken::as_str);
        let mut seen = HashSet::new();
        let mut is_new = |word: &str| seen.insert(word.to_ascii_lowercase());
        let token = words.find(|word| {
            self.is_in_group(word) && is_new(word) && names_crawler(&text, word, false)
        });
        token.map_or(Named::Nobody, |token| Named::InGroup(self.index_of(token, None)))
    }

    fn is_in_group(&self, token: &str) -> bool {
        self.group_names.contains(&token.to_ascii_lowercase())
    }

    /// The index of a crawler: of the registry, or one that only a group names. Nobody else reads
    /// for that.
    fn index_of(&mut self, token: &str, known: Option<&'static Crawler>) -> usize {
        let is_it = |it: &Visitor| it.token.eq_ignore_ascii_case(token);
        if let Some(found) = self.crawlers.iter().position(is_it) {
            return found;
        }
        let operator = known.and_then(Crawler::operator);
        let profile = known.map_or(Profile::RFC9309, Crawler::access_profile);
        let is_same = |it: &&Visitor| operator.is_some() && it.operator == operator;
        let reader = self.crawlers.iter().find(is_same).map(|it| it.reader);
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
        let profiles = &self.readers[reader];
        self.crawlers.push(Visitor {
            token: token.to_owned(),
            operator,
            purpose: known.map(Crawler::purpose),
            is_known: known.is_some_and(|it| !it.is_library()),
            rules: known.map_or_else(|| Rules::new(token), |known| known.rules().clone()),
            reader,
            profile: profiles.iter().position(|it| it.name == profile.name).unwrap_or_default(),
        });
        self.crawlers.len() - 1
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

/// The request of a log as an identifier reads it; what the log lacks is empty. Without a time, no
/// signature can be verified, and lists prove nothing.
impl From<&Request<'_>> for verger_identity::Request {
    fn from(request: &Request<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let fields = request.headers.iter();
        let fields = fields.filter(|(name, _)| request.at.is_some() || !is_of_signature(name));
        let target = absolute(&request.target).map_or(&*request.target, |(.., rest)| rest);
        Self {
            ip: request.peer,
            user_agent: request.user_agent.as_deref().map(text),
            at: request.at,
            method: text(&request.method),
            scheme: request.scheme.unwrap_or_default().to_owned(),
            authority: request.host.as_deref().map(text),
            target: if request.is_target_unclear { String::new() } else { text(target) },
            headers: fields.map(|(name, value)| ((*name).to_owned(), text(value))).collect(),
            is_logged: true,
            ..Self::default()
        }
    }
}

/// Whether a field is one of Web Bot Auth.
fn is_of_signature(name: &str) -> bool {
    name.starts_with("signature")
}
