//! Dated snapshots of published lists of addresses.

mod read;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use verger::access::Timestamp;

pub use self::read::{AddressList, ListError};
use crate::limits::MAX_LIST_AGE;

/// Lists of addresses by their URLs, each with snapshots of several times.
///
/// A snapshot is valid from the time at which its operator created it, or from the time of the copy
/// if the list has no such time, until the next one.
///
/// # Examples
///
/// ```
/// use verger_identity::{AddressList, Lists};
///
/// let mut lists = Lists::default();
/// let url = "https://bot.example/addresses.json";
/// lists.insert(url, "2026-03-01T00:00:00Z".parse()?, AddressList::read(b"192.0.2.0/24")?);
/// lists.insert(url, "2026-06-01T00:00:00Z".parse()?, AddressList::read(b"198.51.100.0/24")?);
/// let then = lists.at(url, "2026-04-01T00:00:00Z".parse()?).expect("a known list");
/// assert!(then.list.find("192.0.2.1".parse()?).is_some() && !then.is_later);
/// let before = lists.at(url, "2026-01-01T00:00:00Z".parse()?).expect("a known list");
/// assert!(before.list.find("192.0.2.1".parse()?).is_some() && before.is_later);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Snapshots by the key of the URL, sorted by the start of their validity.
    by_url: HashMap<String, Vec<Snapshot>>,
    /// Addresses of proxies and of private networks.
    proxies: AddressList,
    /// The time of the oldest of the newest copies.
    latest: Option<Timestamp>,
}

#[derive(Clone, Debug)]
struct Snapshot {
    from: Timestamp,
    copied: Timestamp,
    list: Arc<AddressList>,
}

/// The snapshot of a list for the time of a request.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DatedList<'a> {
    /// The list.
    pub list: &'a AddressList,
    /// The time of the copy.
    pub copied: Timestamp,
    /// Whether no snapshot was valid at the time, and this is the first later one.
    pub is_later: bool,
}

impl Lists {
    /// The snapshot of this release: most lists of September 2026, from the sources that the data
    /// names.
    pub fn bundled() -> &'static Self {
        static BUNDLED: LazyLock<Lists> = LazyLock::new(|| {
            Lists::read(include_str!("lists.txt")).expect("tests read the bundled file")
        });
        &BUNDLED
    }

    /// Reads the bundled file.
    fn read(text: &str) -> Result<Self, ListError> {
        let mut lists = Self::default();
        for block in text.split("\n\n").skip(1) {
            let (mut urls, mut prefixes) = (Vec::new(), String::new());
            let (mut created, mut copied) = (None, Timestamp::EPOCH);
            for line in block.lines() {
                let time = |text: &str| text.parse().map_err(|_| ListError(line.to_owned()));
                match line.split_once(' ') {
                    Some(("list" | "proxies", url)) => urls.push(url),
                    Some(("created", text)) => created = Some(time(text)?),
                    Some(("date", text)) => copied = time(text)?,
                    Some(_) => {}
                    None => prefixes.extend([line, "\n"]),
                }
            }
            if block.starts_with("proxies") {
                lists.proxies.read_text(&prefixes)?;
                continue;
            }
            let list = Arc::new(AddressList::read(prefixes.as_bytes())?);
            for url in urls {
                lists.insert_shared(url, created, copied, &list);
            }
        }
        Ok(lists)
    }

    /// Adds a snapshot of the list at a URL, copied at this time.
    pub fn insert(&mut self, url: &str, copied: Timestamp, list: AddressList) {
        self.insert_shared(url, list.created(), copied, &Arc::new(list));
    }

    fn insert_shared(
        &mut self,
        url: &str,
        created: Option<Timestamp>,
        copied: Timestamp,
        list: &Arc<AddressList>,
    ) {
        let from = created.map_or(copied, |created| created.min(copied));
        let all = self.by_url.entry(key(url)).or_default();
        let at = all.partition_point(|known| (known.from, known.copied) < (from, copied));
        all.insert(at, Snapshot { from, copied, list: Arc::clone(list) });
        let newest = self.by_url.values().filter_map(|all| all.last());
        self.latest = newest.map(|snapshot| snapshot.copied).min();
    }

    /// Replaces the addresses of proxies and of private networks by those of other lists.
    ///
    /// From these addresses comes no crawler, but the proxy of a site. The
    /// [bundled](Self::bundled) ones are those of Cloudflare, Fastly and private networks.
    pub fn set_proxies_of(&mut self, other: &Self) {
        self.proxies = other.proxies.clone();
    }

    /// The snapshot of a list that was valid at a time; the first later one if there is none.
    pub fn at(&self, url: &str, time: Timestamp) -> Option<DatedList<'_>> {
        let all = self.by_url.get(&key(url))?;
        let next = all.partition_point(|snapshot| snapshot.from <= time);
        let Snapshot { copied, list, .. } = &all[next.saturating_sub(1)];
        Some(DatedList { list, copied: *copied, is_later: next == 0 })
    }

    /// The newest snapshot of a list.
    pub fn latest(&self, url: &str) -> Option<DatedList<'_>> {
        self.at(url, Timestamp::from_seconds(u64::MAX))
    }

    /// Whether an address is that of a known proxy or of a private network.
    pub fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.find(address).is_some()
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.by_url.len()
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.by_url.is_empty()
    }

    /// Whether the newest copy of a list is older than [`MAX_LIST_AGE`].
    pub fn is_outdated(&self, now: Timestamp) -> bool {
        self.latest.is_some_and(|latest| now.since(latest) > MAX_LIST_AGE)
    }

    /// The number of prefixes of all snapshots; those of one list with several URLs count once.
    pub fn prefixes(&self) -> usize {
        let mut all: Vec<_> = self.by_url.values().flatten().map(|known| &known.list).collect();
        all.sort_by_key(|list| Arc::as_ptr(list));
        all.dedup_by_key(|list| Arc::as_ptr(list));
        all.iter().map(|list| list.len()).sum()
    }
}

/// A URL without scheme and final slash, with its host in lower case.
fn key(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/');
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    host.to_ascii_lowercase() + path
}
