//! Names of keys.
//!
//! All keys of an origin contain its hash in braces, so that they share a slot of a Cluster. No
//! part of a key is text of others.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use verger::Origin;

use crate::value::Seal;

/// Digits of the hash of a namespace: 64 bits.
const NAMESPACE_DIGITS: usize = 16;

/// The keys of one namespace.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    prefix: String,
    /// Addition to the names of checked values, if there is a key for their MAC.
    sealed: String,
}

impl Keys {
    /// The keys of a namespace. Values with different MACs have different names: otherwise two
    /// processes with different keys would replace each other's records for ever, with a fetch each
    /// time. Leases and turns are shared.
    pub(crate) fn new(namespace: &str, seal: &Seal) -> Self {
        let hash = hex(&Sha256::digest(namespace));
        let fingerprint = hex(&seal.close("", Vec::new()));
        let sealed = fingerprint.get(..NAMESPACE_DIGITS).map(|digits| format!(":{digits}"));
        Self {
            prefix: format!("verger:1:{}", &hash[..NAMESPACE_DIGITS]),
            sealed: sealed.unwrap_or_default(),
        }
    }

    pub(crate) fn of(&self, origin: &Origin) -> OriginKeys {
        let hash = hex(&Sha256::digest(origin.to_string()));
        let prefix = format!("{}:{{{hash}}}", self.prefix);
        OriginKeys { sealed: format!("{prefix}{}", self.sealed), prefix }
    }

    /// The hosts that answered last.
    pub(crate) fn answers(&self) -> String {
        format!("{}:{{answers}}", self.prefix)
    }

    /// A pattern of the keys of all records.
    pub(crate) fn records(&self) -> String {
        format!("{}:{{*}}{}{RECORD}", self.prefix, self.sealed)
    }

    /// A pattern of all keys.
    pub(crate) fn all(&self) -> String {
        format!("{}:{{*}}*", self.prefix)
    }

    /// Whether a key coordinates running processes: a lease, turns, or the last answers.
    pub(crate) fn coordinates(&self, key: &str) -> bool {
        key.ends_with(LEASE) || key.ends_with(TURNS) || key == self.answers()
    }
}

/// The keys of one origin.
#[derive(Clone, Debug)]
pub(crate) struct OriginKeys {
    prefix: String,
    sealed: String,
}

impl OriginKeys {
    pub(crate) fn record(&self) -> String {
        format!("{}{RECORD}", self.sealed)
    }

    pub(crate) fn versions(&self) -> String {
        format!("{}:v", self.sealed)
    }

    pub(crate) fn body(&self, sha256: &[u8; 32]) -> String {
        format!("{}:b:{}", self.sealed, hex(sha256))
    }

    /// A policy by the hash of its inputs.
    pub(crate) fn policy(&self, inputs: &[u8; 32]) -> String {
        format!("{}:p:{}", self.sealed, hex(inputs))
    }

    pub(crate) fn lease(&self) -> String {
        format!("{}{LEASE}", self.prefix)
    }

    pub(crate) fn turns(&self) -> String {
        format!("{}{TURNS}", self.prefix)
    }
}

/// The ending of the key of a record.
pub(crate) const RECORD: &str = ":r";

/// The endings of the keys of a lease and of turns. Other keys end otherwise, or in a hash.
const LEASE: &str = ":l";
const TURNS: &str = ":t";

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The slot of a key in a Cluster.
pub(crate) fn slot(key: &str) -> u16 {
    const SLOTS: u16 = 16384;
    let tag = key.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    let tag = tag.map_or(key, |(tag, _)| tag);
    let mut crc = 0_u16;
    for byte in tag.bytes() {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
        }
    }
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_contain_no_text_of_others() {
        let keys = Keys::new("a}{*\r\n b", &Seal::with_key(&[7; 32]));
        let origin = Origin::from_parts("https", "shop.example", Some(8443)).unwrap();
        let keys = keys.of(&origin);
        let parts = [keys.body(&[7; 32]), keys.policy(&[7; 32]), keys.lease(), keys.turns()];
        for key in [keys.record(), keys.versions()].into_iter().chain(parts) {
            let (prefix, rest) = key.split_once('{').unwrap();
            let (hash, end) = rest.split_once('}').unwrap();
            let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(prefix.starts_with("verger:1:") && is_hex(hash) && hash.len() == 64, "{key}");
            assert!(end.bytes().all(|byte| byte == b':' || byte.is_ascii_alphanumeric()), "{key}");
        }
    }

    #[test]
    fn namespaces_and_origins_have_different_keys_and_an_origin_one_slot() {
        let origin = |host: &str| Origin::from_parts("https", host, None).unwrap();
        let plain = Seal::default();
        let keys = |namespace: &str, host: &str| Keys::new(namespace, &plain).of(&origin(host));
        let key = |namespace: &str, host: &str| keys(namespace, host).record();
        assert_ne!(key("a", "shop.example"), key("b", "shop.example"));
        assert_ne!(key("a", "shop.example"), key("a", "www.shop.example"));
        let sealed = |key: u8| Keys::new("a", &Seal::with_key(&[key; 32]));
        let sealed = [1, 2].map(|key| sealed(key).of(&origin("shop.example")));
        let keys = keys("a", "shop.example");
        let records = sealed.each_ref().map(OriginKeys::record);
        assert!(records[0] != records[1] && !records.contains(&keys.record()));
        assert!(sealed.iter().all(|sealed| sealed.turns() == keys.turns()));
        assert!(sealed.iter().all(|sealed| sealed.lease() == keys.lease()));
        assert_eq!(slot(&keys.record()), slot(&keys.turns()));
        // The examples of Redis' own specification and tests.
        assert_eq!(
            [slot("123456789"), slot("foo"), slot("{user1000}.following")],
            [12739, 12182, 3443]
        );
    }
}
