//! Names of keys.
//!
//! All keys of an origin contain its hash in braces, so that they share a slot of a Cluster. No
//! part of a key is text of others.

use sha2::{Digest as _, Sha256};
use verger::Origin;
use verger_fetch::record::RecordKey;

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
        let hash = hex::encode(Sha256::digest(namespace));
        let fingerprint = hex::encode(seal.close("", Vec::new()));
        let sealed = fingerprint.get(..NAMESPACE_DIGITS).map(|digits| format!(":{digits}"));
        Self {
            prefix: format!("verger:2:{}", &hash[..NAMESPACE_DIGITS]),
            sealed: sealed.unwrap_or_default(),
        }
    }

    /// The beginning of the keys of an origin.
    fn of(&self, origin: &Origin) -> String {
        format!("{}:{{{}}}", self.prefix, hex::encode(Sha256::digest(origin.to_string())))
    }

    /// The back-off of an origin.
    pub(crate) fn back_off(&self, origin: &Origin) -> String {
        format!("{}{BACK_OFF}", self.of(origin))
    }

    /// The turns of an origin.
    pub(crate) fn turns(&self, origin: &Origin) -> String {
        format!("{}{TURNS}", self.of(origin))
    }

    /// The keys of one record.
    pub(crate) fn of_record(&self, key: &RecordKey) -> RecordKeys {
        let origin = self.of(key.origin());
        let reader = format!("{} {}", key.identity(), key.profile());
        let reader = hex::encode(&Sha256::digest(reader)[..READER_DIGITS / 2]);
        RecordKeys {
            back_off: format!("{origin}{BACK_OFF}"),
            prefix: format!("{origin}:{reader}"),
            sealed: format!("{origin}{}:{reader}", self.sealed),
        }
    }

    /// The hosts that answered last.
    pub(crate) fn answers(&self) -> String {
        format!("{}:{{answers}}", self.prefix)
    }

    /// A pattern of the keys of all records.
    pub(crate) fn records(&self) -> String {
        let reader = "?".repeat(READER_DIGITS);
        format!("{}:{{*}}{}:{reader}{RECORD}", self.prefix, self.sealed)
    }

    /// A pattern of all keys.
    pub(crate) fn all(&self) -> String {
        format!("{}:{{*}}*", self.prefix)
    }

    /// Whether a key coordinates running processes: a back-off, a lease, turns, or the last
    /// answers.
    pub(crate) fn coordinates(&self, key: &str) -> bool {
        key.ends_with(BACK_OFF)
            || key.ends_with(LEASE)
            || key.ends_with(TURNS)
            || key == self.answers()
    }
}

/// The keys of one record: of an origin, for an identity and a profile.
#[derive(Clone, Debug)]
pub(crate) struct RecordKeys {
    /// The back-off of the origin.
    pub(crate) back_off: String,
    prefix: String,
    sealed: String,
}

impl RecordKeys {
    pub(crate) fn record(&self) -> String {
        format!("{}{RECORD}", self.sealed)
    }

    pub(crate) fn versions(&self) -> String {
        format!("{}:v", self.sealed)
    }

    pub(crate) fn body(&self, sha256: &[u8; 32]) -> String {
        format!("{}:b:{}", self.sealed, hex::encode(sha256))
    }

    pub(crate) fn lease(&self) -> String {
        format!("{}{LEASE}", self.prefix)
    }
}

/// The ending of the key of a record.
pub(crate) const RECORD: &str = ":r";

/// Digits of the hash of an identity and a profile: 64 bits.
const READER_DIGITS: usize = 16;

/// The endings of the keys of a back-off, a lease and turns. Other keys end otherwise, or in a
/// hash.
const BACK_OFF: &str = ":o";
const LEASE: &str = ":l";
const TURNS: &str = ":t";

/// The slot of a key in a Cluster.
pub(crate) fn slot(key: &str) -> u16 {
    const SLOTS: u16 = 16384;
    let tag = key.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    let tag = tag.map_or(key, |(tag, _)| tag);
    crc16::State::<crc16::XMODEM>::calculate(tag.as_bytes()) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::access::Profile;
    use verger_fetch::record::ReadOptions;

    fn key(origin: &Origin) -> RecordKey {
        ReadOptions::new(Profile::RFC9309).with_identity("Example}{Bot").key(origin)
    }

    #[test]
    fn keys_contain_no_text_of_others() {
        let keys = Keys::new("a}{*\r\n b", &Seal::with_key(&[7; 32]));
        let origin = Origin::from_parts("https", "shop.example", Some(8443)).unwrap();
        let record = keys.of_record(&key(&origin));
        let parts = [keys.turns(&origin), keys.back_off(&origin), record.record()];
        let of_record = [record.versions(), record.body(&[7; 32]), record.lease()];
        for key in parts.into_iter().chain(of_record) {
            let (prefix, rest) = key.split_once('{').unwrap();
            let (hash, end) = rest.split_once('}').unwrap();
            let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(prefix.starts_with("verger:2:") && is_hex(hash) && hash.len() == 64, "{key}");
            assert!(end.bytes().all(|byte| byte == b':' || byte.is_ascii_alphanumeric()), "{key}");
        }
    }

    #[test]
    fn namespaces_and_origins_have_different_keys_and_an_origin_one_slot() {
        let origin = |host: &str| Origin::from_parts("https", host, None).unwrap();
        let plain = Seal::default();
        let keys = |namespace: &str, host: &str| {
            let keys = Keys::new(namespace, &plain);
            (keys.of_record(&key(&origin(host))), keys.turns(&origin(host)))
        };
        let name = |namespace: &str, host: &str| keys(namespace, host).0.record();
        assert_ne!(name("a", "shop.example"), name("b", "shop.example"));
        assert_ne!(name("a", "shop.example"), name("a", "www.shop.example"));
        let sealed = |key: u8| Keys::new("a", &Seal::with_key(&[key; 32]));
        let shop = origin("shop.example");
        let (keys, turns) = keys("a", "shop.example");
        let records = [1, 2].map(|number| sealed(number).of_record(&key(&shop)));
        let names = records.each_ref().map(RecordKeys::record);
        assert!(names[0] != names[1] && !names.contains(&keys.record()));
        assert!([1, 2].iter().all(|number| sealed(*number).turns(&shop) == turns));
        assert!(records.iter().all(|sealed| sealed.lease() == keys.lease()));
        assert_eq!(slot(&keys.record()), slot(&turns));
        assert_eq!(keys.back_off, Keys::new("a", &plain).back_off(&shop));
        // The examples of Redis' own specification and tests.
        assert_eq!(
            [slot("123456789"), slot("foo"), slot("{user1000}.following")],
            [12739, 12182, 3443]
        );
    }
}
