//! Published lists of addresses: the JSON of operators, JAFAR, and plain text.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;
use prefix_trie::joint::map::JointPrefixMap;
use serde_json::Value;
use verger::Untrusted;
use verger::access::Timestamp;
use verger::limits::QUOTED_CHARS;

use crate::limits::{LIST_BYTES, LIST_PREFIXES, SHORTEST_V4, SHORTEST_V6};

/// One published list of addresses.
///
/// # Forms
///
/// - JSON as Google publishes it, and JAFAR (draft-illyes-webbotauth-jafar): objects with
///   `ipv4Prefix` or `ipv6Prefix`, and optional `services`. An object with both is ignored.
/// - Any other JSON with addresses or prefixes in arrays, or in members whose names contain `ip`,
///   `prefix`, `cidr` or `address`.
/// - Text with one address or prefix on a line, and comments after `#`.
///
/// # Examples
///
/// ```
/// use verger_identity::AddressList;
///
/// let list = AddressList::read(br#"{"prefixes":[{"ipv4Prefix":"66.249.66.0/27"}]}"#)?;
/// let (prefix, _) = list.find("66.249.66.1".parse()?).expect("an address of the list");
/// assert_eq!(prefix.to_string(), "66.249.66.0/27");
/// assert!(list.find("66.249.66.32".parse()?).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AddressList {
    prefixes: JointPrefixMap<IpNet, Box<[Box<str>]>>,
    services: HashSet<Box<str>>,
    count: usize,
    created: Option<Timestamp>,
}

impl AddressList {
    /// Reads a list. Host bits of a prefix are ignored.
    ///
    /// # Errors
    ///
    /// The text has none of the forms, exceeds a [limit](crate::limits), or has a prefix that is
    /// too short.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes.
    pub fn read(text: &[u8]) -> Result<Self, ListError> {
        if text.len() > LIST_BYTES {
            return Err(ListError(format!("expected at most {LIST_BYTES} bytes")));
        }
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut list = Self::default();
        if !matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) {
            let text = str::from_utf8(text).map_err(|_| ListError("expected UTF-8".to_owned()))?;
            list.read_text(text)?;
            return Ok(list);
        }
        let json: Value = serde_json::from_slice(text)
            .map_err(|error| ListError(format!("invalid JSON: {error}")))?;
        // Some operators leave out the time zone.
        let created = json.get("creationTime").and_then(Value::as_str);
        list.created =
            created.and_then(|text| text.parse().or_else(|_| format!("{text}Z").parse()).ok());
        list.walk(&json, &[], true)?;
        let is_empty = json.get("prefixes").and_then(Value::as_array).is_some_and(Vec::is_empty);
        if list.count == 0 && !is_empty {
            return Err(ListError("expected addresses, but found none".to_owned()));
        }
        Ok(list)
    }

    pub(super) fn read_text(&mut self, text: &str) -> Result<(), ListError> {
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() && !self.add(line, &[])? {
                let found = Untrusted::new(line).limited_to(QUOTED_CHARS).quoted();
                return Err(ListError(format!(
                    "line {}: expected an address or a prefix, but found {found}",
                    at + 1
                )));
            }
        }
        if self.count == 0 {
            return Err(ListError("expected addresses, but found none".to_owned()));
        }
        Ok(())
    }

    /// Adds the addresses of a value. The depth is limited by the parser.
    fn walk(
        &mut self,
        value: &Value,
        services: &[Box<str>],
        counts: bool,
    ) -> Result<(), ListError> {
        match value {
            Value::String(text) if counts => self.add(text, services).map(|_| ()),
            Value::Array(all) => all.iter().try_for_each(|each| self.walk(each, services, true)),
            Value::Object(members) => {
                if members.contains_key("ipv4Prefix") && members.contains_key("ipv6Prefix") {
                    return Ok(());
                }
                let own: Vec<Box<str>> = match members.get("services") {
                    Some(Value::Array(all)) => {
                        all.iter().filter_map(|each| each.as_str().map(Box::from)).collect()
                    }
                    _ => members
                        .get("service")
                        .and_then(Value::as_str)
                        .map(Box::from)
                        .into_iter()
                        .collect(),
                };
                let services = if own.is_empty() { services } else { &own };
                let named = |name: &str| {
                    let name = name.to_ascii_lowercase();
                    ["ip", "prefix", "cidr", "address"].iter().any(|part| name.contains(part))
                };
                members
                    .iter()
                    .filter(|(name, _)| !matches!(name.as_str(), "services" | "service"))
                    .try_for_each(|(name, value)| self.walk(value, services, named(name)))
            }
            _ => Ok(()),
        }
    }

    /// Adds a prefix. Returns whether the text is one.
    fn add(&mut self, text: &str, services: &[Box<str>]) -> Result<bool, ListError> {
        let text = text.trim();
        let prefix = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        let Ok(prefix) = prefix else { return Ok(false) };
        let prefix = prefix.trunc();
        let shortest = if prefix.addr().is_ipv4() { SHORTEST_V4 } else { SHORTEST_V6 };
        if prefix.prefix_len() < shortest {
            return Err(ListError(format!(
                "expected no prefix shorter than /{shortest}, but found {prefix}"
            )));
        }
        self.count += 1;
        if self.count > LIST_PREFIXES {
            return Err(ListError(format!("expected at most {LIST_PREFIXES} prefixes")));
        }
        self.services.extend(services.iter().cloned());
        match self.prefixes.get_mut(&prefix) {
            Some(known) => {
                let mut all = std::mem::take(known).into_vec();
                for service in services {
                    if !all.contains(service) {
                        all.push(service.clone());
                    }
                }
                *known = all.into();
            }
            None => {
                self.prefixes.insert(prefix, services.into());
            }
        }
        Ok(true)
    }

    /// The most specific prefix with this address, and its services.
    ///
    /// # Complexity
    ///
    /// At most one step for each bit of the address.
    pub fn find(&self, address: IpAddr) -> Option<(IpNet, &[Box<str>])> {
        let (prefix, services) = self.prefixes.get_lpm(&IpNet::from(address.to_canonical()))?;
        Some((prefix, services))
    }

    /// Whether a prefix is for a service with one of these names. The case of letters matters.
    pub fn has_service<'a>(&self, mut names: impl Iterator<Item = &'a str>) -> bool {
        names.any(|name| self.services.contains(name))
    }

    /// The number of prefixes in the text.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether the operator publishes no address now.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The time at which the operator generated the list, if it has one.
    pub const fn created(&self) -> Option<Timestamp> {
        self.created
    }

    /// All prefixes, sorted.
    pub fn prefixes(&self) -> impl Iterator<Item = IpNet> {
        self.prefixes.keys()
    }
}

/// The text is not a list of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListError(pub(super) String);

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for ListError {}
