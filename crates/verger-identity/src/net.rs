//! Look-ups of host names and key sets, signed requests of verger-fetch, and files of lists and
//! keys.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use moka::sync::Cache;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};
use url::Url;
use verger::access::Timestamp;
use verger::quoted;
use verger_fetch::client::{Clock as _, RobotsClient, SystemClock};
use verger_fetch::failure::{DnsError, NetworkError};
use verger_fetch::fetch::Sign;
use verger_fetch::http::{HeaderName, HeaderValue};
use verger_fetch::net::{DnsResolver, Resolve};
use verger_registry::Registry;

use crate::identifier::{HostNames, LookedUp, Pending, is_within, key_set_of};
use crate::identity::Identity;
use crate::limits::{
    HOST_NAMES, KEY_SET_BYTES, KEY_SET_KEPT, KEY_SET_LIFETIME, KEY_SET_PAUSE, KEY_SETS, LOOK_UP,
};
use crate::lists::Lists;
use crate::signature::{KeySet, Signer, SigningKey};

/// Looks up host names by DNS, and key sets by https through the guard of a robots client.
///
/// All look-ups of a request take at most [`LOOK_UP`]. Names are cached by their time to live. A
/// key set is cached for [`KEY_SET_LIFETIME`]. After a failure it is fetched again after
/// [`KEY_SET_PAUSE`], and its keys count for [`KEY_SET_KEPT`]. At most [`KEY_SETS`] key sets are in
/// memory, and those of known crawlers are never evicted.
#[derive(Debug)]
pub struct Lookups {
    client: RobotsClient,
    resolver: Arc<DnsResolver>,
    /// The key sets of known crawlers, by their URLs.
    known: HashMap<String, Arc<Mutex<CachedKeys>>>,
    others: Cache<String, Arc<Mutex<CachedKeys>>>,
}

/// The key set of one agent, locked during a fetch.
#[derive(Debug, Default)]
struct CachedKeys {
    keys: Option<Arc<KeySet>>,
    /// Of the last fetch.
    error: Option<String>,
    fetched: Timestamp,
    next: Timestamp,
}

impl Lookups {
    /// Look-ups by a robots client, whose limits, guard and clock apply, and by a resolver.
    pub fn new(client: RobotsClient, resolver: Arc<DnsResolver>) -> Self {
        let known = Registry::bundled().crawlers().iter().filter_map(key_set_of);
        let known = known.map(|url| (url, Arc::default())).collect();
        Self { client, resolver, known, others: Cache::new(KEY_SETS) }
    }

    /// Finishes an identification, with all look-ups that it needs.
    pub async fn finish<'a>(&self, pending: Pending<'a>) -> Identity<'a> {
        let end = Instant::now() + LOOK_UP;
        let names = async {
            let found = self.names(pending.address()?, &pending);
            let late = |_| Err("DNS did not answer in time".to_owned());
            Some(timeout_at(end, found).await.unwrap_or_else(late))
        };
        let keys = async {
            let mut found = HashMap::new();
            for (url, key) in pending.key_sets() {
                let keys = timeout_at(end, self.keys(url, key)).await;
                found.insert(url.to_owned(), keys.unwrap_or_else(|_| Err(LATE.to_owned())));
            }
            found
        };
        let (names, keys) = tokio::join!(names, keys);
        pending.finish(&LookedUp { names, at: self.client.now(), keys })
    }

    /// The names of an address, with the addresses of those in a domain.
    async fn names(&self, address: IpAddr, of: &Pending<'_>) -> Result<HostNames, String> {
        let failed = |error: DnsError| NetworkError::Dns(error).to_string();
        let found = self.resolver.host_names(address).await.map_err(failed)?;
        let mut names = Vec::new();
        let mut failure = None;
        for name in found.into_iter().take(HOST_NAMES) {
            let name = name.trim_end_matches('.').to_owned();
            let mut addresses = Vec::new();
            if of.domains().any(|domain| is_within(&name, domain)) {
                match self.resolver.resolve(&name).await {
                    Ok(found) => addresses = found,
                    Err(DnsError::NoSuchName | DnsError::NoAddress | DnsError::InvalidName) => {}
                    Err(error) => failure = Some(error),
                }
            }
            let is_confirmed = addresses.contains(&address);
            names.push((name, addresses));
            if is_confirmed {
                failure = None;
                break;
            }
        }
        // The name that could not be resolved may be the one that counts.
        failure.map_or(Ok(names), |error| Err(failed(error)))
    }

    /// The key set at a URL, fetched if it is not fresh, or does not have the key.
    async fn keys(&self, url: &str, key: &str) -> Result<Arc<KeySet>, String> {
        let other = || self.others.get_with_by_ref(url, Arc::default);
        let cached = self.known.get(url).map_or_else(other, Arc::clone);
        let mut cached = cached.lock().await;
        let now = self.client.now();
        let is_fresh = now.since(cached.fetched) < KEY_SET_LIFETIME;
        let has_key = cached.keys.as_ref().is_some_and(|keys| keys.has(key));
        if !(is_fresh && has_key) && now >= cached.next {
            // Also if this future is dropped.
            cached.next = now.after(KEY_SET_PAUSE);
            cached.error = Some(LATE.to_owned());
            match self.fetch(url).await {
                Ok(keys) => {
                    (cached.keys, cached.fetched, cached.error) = (Some(keys.into()), now, None);
                }
                Err(error) => cached.error = Some(error),
            }
        }
        let keys = cached.keys.clone().filter(|_| now.since(cached.fetched) < KEY_SET_KEPT);
        match (keys, &cached.error) {
            // A new key may be unknown only because the last fetch failed.
            (Some(keys), Some(error)) if !keys.has(key) => Err(error.clone()),
            (Some(keys), _) => Ok(keys),
            (None, error) => Err(error.clone().unwrap_or_else(|| LATE.to_owned())),
        }
    }

    async fn fetch(&self, url: &str) -> Result<KeySet, String> {
        let url = Url::parse(url).map_err(|_| "the URL of the key set is invalid".to_owned())?;
        let found = self.client.file(&url, KEY_SET_BYTES + 1).await;
        let text = found.map_err(|failure| format!("the key set was not fetched: {failure}"))?;
        KeySet::read(&text).map_err(|error| format!("the key set is invalid: {error}"))
    }
}

/// Reads the lists of a directory: its files `*.json`, sorted by name.
///
/// # Errors
///
/// A file cannot be read, or has no lists.
pub fn read_lists(directory: &Path) -> Result<Lists, String> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(|error| unread(directory, &error))? {
        paths.push(entry.map_err(|error| unread(directory, &error))?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|end| end == "json") && path.is_file());
    paths.sort();
    let mut lists = Lists::default();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| unread(&path, &error))?;
        lists.read(&text).map_err(|error| in_file(&path, error))?;
    }
    Ok(lists)
}

/// Checks that only its owner can read a file with a secret, such as a key.
///
/// # Errors
///
/// It is not a regular file, or its mode lets others read it. The error does not quote its text.
pub fn check_secret(path: &Path) -> Result<(), String> {
    let found = path.metadata().map_err(|error| unread(path, &error))?;
    // Opening a pipe would wait.
    if !found.is_file() {
        return Err(in_file(path, "expected a regular file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = found.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let expected = "expected a file that only its owner can read, but it has mode";
            let help = "`chmod 600` closes it; if others could read the secret, make a new one";
            return Err(in_file(path, format_args!("{expected} {mode:o}: {help}")));
        }
    }
    Ok(())
}

impl SigningKey {
    /// Reads the key of a file that only its owner can read.
    ///
    /// # Errors
    ///
    /// Those of [`check_secret`] and [`read`](Self::read); the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, String> {
        check_secret(path)?;
        let (mut text, failed) = (String::new(), |error| unread(path, &error));
        let file = File::open(path).map_err(failed)?;
        file.take(KEY_SET_BYTES as u64).read_to_string(&mut text).map_err(failed)?;
        Self::read(&text).map_err(|error| in_file(path, error))
    }
}

fn unread(path: &Path, error: &io::Error) -> String {
    format!("could not read {}: {error}", quoted(path.as_os_str().as_encoded_bytes()))
}

/// An error with its place.
fn in_file(path: &Path, error: impl fmt::Display) -> String {
    format!("{}: {error}", quoted(path.as_os_str().as_encoded_bytes()))
}

const LATE: &str = "the key set did not arrive in time";

/// Signs the requests of a robots client
/// ([`signer`](verger_fetch::client::RobotsClientBuilder::signer)) by the clock of the system.
impl Sign for Signer {
    fn sign(&self, url: &Url) -> Vec<(HeaderName, HeaderValue)> {
        let fields = Self::sign(self, url, SystemClock.now()).into_iter().flatten();
        let field = |(name, value)| {
            Some((HeaderName::from_static(name), HeaderValue::try_from(value).ok()?))
        };
        fields.filter_map(field).collect()
    }
}
