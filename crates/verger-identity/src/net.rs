//! Look-ups of host names and key sets, and signed requests of verger-fetch.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::timeout;
use url::Url;
use verger::access::Timestamp;
use verger_fetch::client::{Clock, RobotsClient, SystemClock};
use verger_fetch::failure::{DnsError, NetworkError};
use verger_fetch::fetch::Sign;
use verger_fetch::http::{HeaderName, HeaderValue};
use verger_fetch::net::{DnsResolver, Resolve};

use crate::host_names::is_within;
use crate::limits::{
    HOST_NAMES, KEY_SET_BYTES, KEY_SET_KEPT, KEY_SET_LIFETIME, KEY_SET_PAUSE, KEY_SETS, LOOK_UP,
};
use crate::{
    HostName, HostNames, Identifier, Identity, KeySet, LookedUp, Request, RequestHead, SigningKey,
};

/// Looks up host names by DNS, and key sets by https through the guard of a robots client.
///
/// # Bounds
///
/// All look-ups of a request take at most [`LOOK_UP`]. Names are cached by their time to live. A key
/// set is cached for [`KEY_SET_LIFETIME`]. After a failure it is fetched again after
/// [`KEY_SET_PAUSE`], and its keys count for [`KEY_SET_KEPT`]. At most [`KEY_SETS`] key sets are in
/// memory, and those of known crawlers are never evicted.
///
/// # Examples
///
/// ```no_run
/// use std::sync::Arc;
///
/// use verger::Crawler;
/// use verger_fetch::client::RobotsClient;
/// use verger_fetch::fetch::Identity;
/// use verger_fetch::net::DnsResolver;
/// use verger_identity::net::Lookups;
/// use verger_identity::{Identifier, Request};
///
/// # async fn example(request: Request<'_>) -> Result<(), Box<dyn std::error::Error>> {
/// let identity = Identity::new("ExampleSite/1.0 (+https://shop.example/)")?;
/// let client = RobotsClient::builder(Crawler::new("ExampleSite"), identity).build()?;
/// let lookups = Lookups::new(client, Arc::new(DnsResolver::system()?));
/// let identifier = Identifier::default();
/// println!("{}", lookups.identify(&identifier, request).await);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Lookups {
    client: RobotsClient,
    resolver: Arc<DnsResolver>,
    key_sets: Mutex<HashMap<String, Arc<CachedKeys>>>,
}

/// The key set of one agent; the lock is held during a fetch.
#[derive(Debug, Default)]
struct CachedKeys {
    state: tokio::sync::Mutex<CacheState>,
    is_pinned: bool,
}

#[derive(Debug, Default)]
struct CacheState {
    keys: Option<Arc<KeySet>>,
    error: String,
    fetched: Timestamp,
    next: Timestamp,
    used: Timestamp,
}

impl Lookups {
    /// Look-ups by a robots client, whose limits, guard and clock apply, and by a resolver.
    pub fn new(client: RobotsClient, resolver: Arc<DnsResolver>) -> Self {
        Self { client, resolver, key_sets: Mutex::default() }
    }

    /// Identifies the client of a request, with all look-ups that its claims need.
    pub async fn identify<'a>(
        &self,
        identifier: &'a Identifier,
        request: Request<'a>,
    ) -> Identity<'a> {
        let pending = identifier.begin(request);
        let names = async {
            let address = pending.address()?;
            let found = timeout(LOOK_UP, self.names(address, || pending.domains())).await;
            Some(found.unwrap_or_else(|_| Err("DNS did not answer in time".to_owned())))
        };
        let keys = async {
            let (url, key) = pending.key_set()?;
            let is_pinned = identifier.is_known_agent(url);
            let found = timeout(LOOK_UP, self.keys(url, key, is_pinned)).await;
            Some(found.unwrap_or_else(|_| Err("the key set did not arrive in time".to_owned())))
        };
        let (names, keys) = tokio::join!(names, keys);
        pending.finish(LookedUp { names, keys })
    }

    /// The names of an address, with the addresses of those in a domain.
    async fn names<D: Iterator<Item = &'static str>>(
        &self,
        address: IpAddr,
        domains: impl Fn() -> D,
    ) -> Result<HostNames, String> {
        let failed = |error: DnsError| NetworkError::Dns(error).to_string();
        let found = self.resolver.host_names(address).await.map_err(failed)?;
        let looked_up = self.client.now();
        let mut names = Vec::new();
        let mut failure = None;
        for name in found.into_iter().take(HOST_NAMES) {
            let name = name.trim_end_matches('.').to_owned();
            let mut addresses = Vec::new();
            if domains().any(|domain| is_within(&name, domain)) {
                match self.resolver.resolve(&name).await {
                    Ok(found) => addresses = found,
                    Err(DnsError::NoSuchName | DnsError::NoAddress | DnsError::InvalidName) => {}
                    Err(error) => failure = Some(error),
                }
            }
            let is_confirmed = addresses.contains(&address);
            names.push(HostName { name, addresses });
            if is_confirmed {
                failure = None;
                break;
            }
        }
        // The name that could not be resolved may be the one that counts.
        failure.map_or(Ok(HostNames { names, looked_up }), |error| Err(failed(error)))
    }

    /// The key set at a URL, fetched if it is not fresh, or does not have the key.
    async fn keys(&self, url: &str, key: &str, is_pinned: bool) -> Result<Arc<KeySet>, String> {
        let cached = self.cached(url, is_pinned)?;
        let mut state = cached.state.lock().await;
        let now = self.client.now();
        state.used = now;
        let is_fresh = now.since(state.fetched) < KEY_SET_LIFETIME;
        let has_key = state.keys.as_ref().is_some_and(|keys| keys.has(key));
        if !(is_fresh && has_key) && now >= state.next {
            // Also if this future is dropped.
            state.next = now.after(KEY_SET_PAUSE);
            "the key set did not arrive in time".clone_into(&mut state.error);
            match self.fetch(url).await {
                Ok(keys) => (state.keys, state.fetched) = (Some(Arc::new(keys)), now),
                Err(error) => state.error = error,
            }
        }
        let is_kept = now.since(state.fetched) < KEY_SET_KEPT;
        state.keys.clone().filter(|_| is_kept).ok_or_else(|| state.error.clone())
    }

    async fn fetch(&self, url: &str) -> Result<KeySet, String> {
        let url: Url = url.parse().map_err(|_| "the URL of the key set is invalid".to_owned())?;
        let found = self.client.file(&url, KEY_SET_BYTES + 1).await;
        let text = found.map_err(|failure| format!("the key set was not fetched: {failure}"))?;
        KeySet::read(&text).map_err(|error| format!("the key set is invalid: {error}"))
    }

    fn cached(&self, url: &str, is_pinned: bool) -> Result<Arc<CachedKeys>, String> {
        let mut all = self.key_sets.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEY_SETS && !all.contains_key(url) {
            // One that is being fetched stays.
            let used = |cached: &CachedKeys| cached.state.try_lock().ok().map(|state| state.used);
            let unused = all.iter().filter(|(_, cached)| !cached.is_pinned);
            let oldest =
                unused.filter_map(|(url, cached)| Some((used(cached)?, url.clone()))).min();
            let (_, oldest) = oldest.ok_or("too many key sets are being fetched")?;
            all.remove(&oldest);
        }
        Ok(match all.entry(url.to_owned()) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(free) => {
                Arc::clone(free.insert(Arc::new(CachedKeys { is_pinned, ..CachedKeys::default() })))
            }
        })
    }
}

/// Signs the requests of a robots client
/// ([`signer`](verger_fetch::client::RobotsClientBuilder::signer)).
#[derive(Debug)]
pub struct Signer {
    key: SigningKey,
    clock: Arc<dyn Clock>,
}

impl Signer {
    /// Signs with a key that has an [agent](SigningKey::for_agent), by the clock of the system.
    pub fn new(key: SigningKey) -> Self {
        Self { key, clock: Arc::new(SystemClock) }
    }

    /// Sets the clock.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }
}

impl Sign for Signer {
    fn sign(&self, url: &Url) -> Vec<(HeaderName, HeaderValue)> {
        let host = url.host_str().unwrap_or_default();
        let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let head = RequestHead {
            method: "GET".to_owned(),
            scheme: url.scheme().to_owned(),
            authority,
            target: format!("{}{query}", url.path()),
            fields: Vec::new(),
        };
        let fields = self.key.sign(head, self.clock.now()).into_iter().flatten();
        fields
            .filter_map(|(name, value)| {
                Some((HeaderName::from_static(name), HeaderValue::try_from(value).ok()?))
            })
            .collect()
    }
}
