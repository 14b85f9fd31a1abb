//! Published lists of addresses, and their copies over time.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use std::{iter, slice};

use ipnet::IpNet;
use prefix_trie::joint::map::JointPrefixMap;
use serde::Deserialize;
use serde_json::{Deserializer, Value, json};
use verger::access::Timestamp;
use verger::quoted;
use verger_registry::{Crawler, Registry};

use crate::client_address::canonical;
use crate::identity::ComparedList;
use crate::json::Unique;
use crate::limits::{LIST_BYTES, MAX_LIST_AGE, MAX_LIST_DISTANCE, SHORTEST_V4, SHORTEST_V6};
use crate::request::Request;

/// One published list of addresses.
#[derive(Clone, Debug, Default)]
pub struct AddressList {
    prefixes: JointPrefixMap<IpNet, Vec<Box<str>>>,
    /// In lower case.
    services: HashSet<Box<str>>,
    created: Option<Timestamp>,
}

impl AddressList {
    /// Reads a list in one of these forms. Host bits of a prefix are ignored.
    ///
    /// - JSON as Google publishes it, and JAFAR (draft-illyes-webbotauth-jafar): objects with
    ///   `ipv4Prefix` or `ipv6Prefix`, and optional `services` or `service`, in any case. An object
    ///   with both prefixes is ignored.
    /// - Any other JSON with addresses or prefixes in arrays, or in members such as `ip`, `prefix`,
    ///   `cidr` or `address`.
    /// - Text with one address or prefix on a line, and comments after `#`.
    ///
    /// # Errors
    ///
    /// The text has none of the forms, exceeds a [limit](crate::limits), or has a prefix that is
    /// too short.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        Self::of(&document(text)?)
    }

    /// A list that was read as JSON, or as a string.
    fn of(document: &Value) -> Result<Self, String> {
        let mut list = Self::default();
        if let Value::String(text) = document {
            for (at, line) in (1..).zip(text.lines()) {
                let line = line.split('#').next().unwrap_or_default().trim();
                if !line.is_empty() && !list.add(line, &[])? {
                    let found = quoted(line);
                    return Err(format!(
                        "line {at}: expected an address or a prefix, but found {found}"
                    ));
                }
            }
        } else {
            let created = document.get("creationTime").and_then(Value::as_str);
            list.created = created.and_then(|text| Request::time(text).ok());
            list.walk(document, &[], true)?;
        }
        let prefixes = document.get("prefixes").and_then(Value::as_array);
        if list.prefixes.is_empty() && !prefixes.is_some_and(Vec::is_empty) {
            return Err("expected addresses, but found none".to_owned());
        }
        Ok(list)
    }

    /// Adds the addresses of a value. The depth is limited by the parser.
    fn walk(&mut self, value: &Value, services: &[Box<str>], counts: bool) -> Result<(), String> {
        match value {
            Value::String(text) if counts => self.add(text, services).map(|_| ()),
            Value::Array(all) => all.iter().try_for_each(|each| self.walk(each, services, true)),
            Value::Object(members) => {
                if members.contains_key("ipv4Prefix") && members.contains_key("ipv6Prefix") {
                    return Ok(());
                }
                let own = SERVICES.iter().filter_map(|name| members.get(*name));
                let own =
                    own.flat_map(|own| own.as_array().map_or(slice::from_ref(own), |all| all));
                let own: Vec<_> = own.filter_map(Value::as_str).map(Box::from).collect();
                let services = if own.is_empty() { services } else { &own };
                let others = members.iter().filter(|(name, _)| !SERVICES.contains(&&***name));
                for (name, value) in others {
                    // Other texts, such as notes, can contain addresses, too.
                    let name = name.to_ascii_lowercase().replace('_', "");
                    self.walk(value, services, MEMBERS.split(' ').any(|it| it == name))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Adds a prefix. Returns whether the text is one.
    fn add(&mut self, text: &str, services: &[Box<str>]) -> Result<bool, String> {
        let text = text.trim();
        let prefix = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        let Ok(prefix) = prefix.map(|prefix| canonical(prefix).trunc()) else { return Ok(false) };
        let shortest = if prefix.addr().is_ipv4() { SHORTEST_V4 } else { SHORTEST_V6 };
        if prefix.prefix_len() < shortest {
            return Err(format!("expected no prefix shorter than /{shortest}, but found {prefix}"));
        }
        let known = self.prefixes.entry(prefix).or_default();
        for service in services {
            self.services.insert(service.to_ascii_lowercase().into());
            if !known.contains(service) {
                known.push(service.clone());
            }
        }
        Ok(true)
    }

    /// The most specific prefix with this address, and its services.
    pub fn find(&self, address: IpAddr) -> Option<(IpNet, &[Box<str>])> {
        let (prefix, services) = self.prefixes.get_lpm(&IpNet::from(address.to_canonical()))?;
        Some((prefix, services))
    }

    /// Whether a prefix is for another service than a crawler. A list that names the crawler, in
    /// any case, says which prefixes are its own. In other lists, the services are no tokens.
    pub(crate) fn is_of_other(&self, crawler: &Crawler, services: &[Box<str>]) -> bool {
        let more = crawler.aliases().iter().chain(crawler.user_agents()).map(String::as_str);
        let names = iter::once(crawler.token()).chain(more);
        let is_named = |own: &&str| self.services.contains(&*own.to_ascii_lowercase());
        let mut names = names.filter(is_named).peekable();
        names.peek().is_some()
            && !names.any(|own| services.iter().any(|it| it.eq_ignore_ascii_case(own)))
    }

    /// Adds the prefixes of a crawler without the more specific ones of others.
    fn add_prefixes_of(&self, crawler: &Crawler, all: &mut Vec<IpNet>) {
        let is_other = |(_, services): (IpNet, &Vec<_>)| self.is_of_other(crawler, services);
        let own = self.prefixes.iter().filter(|it| !is_other(*it));
        let mut parts: Vec<_> = own.map(|(prefix, _)| prefix).collect();
        while let Some(part) = parts.pop() {
            if self.prefixes.children(&part).any(is_other) {
                let halves = part.subnets(part.prefix_len() + 1).into_iter().flatten();
                parts.extend(halves.filter(|half| !self.prefixes.contains_key(half)));
            } else {
                all.push(part);
            }
        }
    }

    /// All prefixes, sorted.
    pub fn prefixes(&self) -> impl Iterator<Item = IpNet> {
        self.prefixes.keys()
    }
}

/// Names of the members with the services of a prefix, in drafts of JAFAR.
const SERVICES: [&str; 2] = ["services", "service"];

/// The JSON of a published list; a string if it is text.
fn document(text: &[u8]) -> Result<Value, String> {
    if text.len() > LIST_BYTES {
        return Err(format!("expected at most {LIST_BYTES} bytes"));
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) {
        let read = serde_json::from_slice(text).map(|Unique(json)| json);
        read.map_err(|error| format!("invalid JSON: {error}"))
    } else {
        str::from_utf8(text).map(Value::from).map_err(|_| "expected UTF-8".to_owned())
    }
}

/// Lists of addresses by their URLs, each with copies of several times.
///
/// A copy is valid from the time at which the operator created the list, or from its own time if
/// the list has no such time, until the next one. Of several with one time, the later copy counts.
///
/// # Examples
///
/// ```
/// use verger_identity::{Lists, Request};
///
/// let mut lists = Lists::default();
/// lists.read(r#"
///     {"urls":["https://bot.example/ips"],"copied":"2026-03-01","list":["192.0.2.0/24"]}
///     {"urls":["https://bot.example/ips"],"copied":"2026-06-01","list":["198.51.100.0/24"]}
/// "#)?;
/// let (list, _) = lists.at("https://bot.example/ips", Request::time("2026-04-01")?).expect("it is known");
/// let (prefix, _) = list.find("192.0.2.1".parse()?).expect("an address of the list");
/// assert_eq!(prefix.to_string(), "192.0.2.0/24");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Copies by the key of the URL, sorted by the start of their validity.
    by_url: HashMap<String, Vec<DatedList>>,
    /// The times at which another copy is valid, or a copy begins or ceases to prove something.
    changes: BTreeSet<Timestamp>,
}

/// The start of its validity, and the time of the copy.
type DatedList = (Timestamp, Timestamp, Arc<AddressList>);

/// Members of objects that are one address or prefix, in lower case and without underscores.
const MEMBERS: &str = "address cidr ip ipaddress ipprefix ipv4prefix ipv6prefix prefix iprange";

/// A copy of a list in a file.
#[derive(Deserialize)]
struct Copied {
    /// The URL, and older ones.
    urls: Vec<String>,
    #[serde(rename = "copied")]
    at: String,
    list: Unique,
}

impl Lists {
    /// The lists of this release, most of them of September 2026; the data names their sources.
    pub fn bundled() -> &'static Self {
        static BUNDLED: LazyLock<Lists> = LazyLock::new(|| {
            let mut lists = Lists::default();
            lists.read(include_str!("lists.json")).expect("tests read the bundled file");
            lists
        });
        &BUNDLED
    }

    /// Adds copies of lists: JSON objects with `urls` (the URL, and older ones of the same list),
    /// `copied` (the time of the copy) and `list` (the document, or its text).
    ///
    /// # Errors
    ///
    /// The text is not such JSON, or a list is invalid.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        let read = |copy: Result<Copied, serde_json::Error>| {
            let failed = |error| format!("expected copies of lists, but found {error}");
            let Copied { urls, at, list: Unique(list) } = copy.map_err(failed)?;
            Ok((urls, Request::time(&at)?, Arc::new(AddressList::of(&list)?)))
        };
        let copies = Deserializer::from_str(text).into_iter().map(read);
        for (urls, copied, list) in copies.collect::<Result<Vec<_>, String>>()? {
            let from = list.created.map_or(copied, |created| created.min(copied));
            let ends = [MAX_LIST_AGE, MAX_LIST_DISTANCE].map(|age| copied.after(age + SECOND));
            let start = copied.seconds().saturating_sub(MAX_LIST_DISTANCE.as_secs());
            self.changes.extend([[from, Timestamp::from_seconds(start)], ends].concat());
            for url in urls.iter().map(|url| key(url)).collect::<BTreeSet<_>>() {
                self.by_url.entry(url).or_default().push((from, copied, Arc::clone(&list)));
            }
        }
        for all in self.by_url.values_mut() {
            all.sort_by_key(|(from, copied, _)| (*from, *copied));
        }
        Ok(())
    }

    /// A copy of a published list in the form that [`read`](Self::read) reads.
    ///
    /// # Errors
    ///
    /// The text is not a list.
    pub fn copy(url: &str, copied: Timestamp, text: &[u8]) -> Result<String, String> {
        let list = document(text)?;
        AddressList::of(&list)?;
        let copied = copied.to_string();
        Ok(format!("{}\n", json!({ "urls": [url], "copied": copied, "list": list })))
    }

    /// The copy of a list that was valid at a time; the first later one if there is none. One that
    /// is more than [`MAX_LIST_DISTANCE`] away proves nothing, and is left out.
    pub fn at<'a>(
        &'a self,
        url: &'a str,
        time: Timestamp,
    ) -> Option<(&'a AddressList, ComparedList<'a>)> {
        let all = self.by_url.get(&key(url))?;
        let next = all.partition_point(|(from, ..)| *from <= time);
        let (is_later, (_, copied, list)) = (next == 0, all.get(next.saturating_sub(1))?);
        // A list that was created before the time was published between.
        let distance = if is_later { copied.since(time) } else { time.since(*copied) };
        if distance > MAX_LIST_DISTANCE {
            return None;
        }
        let is_outdated = time.since(*copied) > MAX_LIST_AGE;
        Some((list, ComparedList { url, copied: *copied, is_later, is_outdated }))
    }

    /// The start of the time around another one in which all lists prove the same; `None` before
    /// all copies. What is known about an address is known until it changes.
    pub fn unchanged_since(&self, time: Timestamp) -> Option<Timestamp> {
        self.changes.range(..=time).next_back().copied()
    }

    /// The crawlers whose operators listed an address at a time.
    pub fn crawlers(
        &self,
        address: IpAddr,
        time: Timestamp,
    ) -> impl Iterator<Item = &'static Crawler> {
        let has = move |crawler: &Crawler, url| {
            let (list, _) = self.at(url, time)?;
            list.find(address).map(|(_, services)| !list.is_of_other(crawler, services))
        };
        let known = Registry::bundled().crawlers().iter();
        known.filter(move |it| it.ip_ranges().iter().any(|url| has(it, url) == Some(true)))
    }

    /// The prefixes whose addresses prove a crawler at a time, sorted, and the time of the oldest
    /// copy among its lists; `None` if one of these has no copy. There are no prefixes if the lists
    /// prove nobody.
    pub fn prefixes_of(
        &self,
        crawler: &Crawler,
        time: Timestamp,
    ) -> Option<(Vec<IpNet>, Timestamp)> {
        let found = crawler.ip_ranges().iter().map(|url| self.at(url, time));
        let found = found.collect::<Option<Vec<_>>>()?;
        let oldest = found.iter().map(|(_, compared)| compared.copied).min()?;
        let mut all = Vec::new();
        for (list, _) in found {
            list.add_prefixes_of(crawler, &mut all);
        }
        all.sort_unstable();
        all.dedup();
        Some((all, oldest))
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.by_url.is_empty()
    }
}

/// The precision of times.
const SECOND: Duration = Duration::from_secs(1);

/// Whether an address is that of a known CDN or of a private network. Proxies of sites use these
/// addresses; crawlers do not.
pub(crate) fn is_proxy(address: IpAddr) -> bool {
    static PROXIES: LazyLock<Vec<IpNet>> = LazyLock::new(|| {
        include_str!("proxies.txt").lines().filter_map(|line| line.parse().ok()).collect()
    });
    PROXIES.iter().any(|network| network.contains(&address))
}

/// A URL without scheme and final slash, with its host in lower case.
fn key(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/');
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    host.to_ascii_lowercase() + path
}
