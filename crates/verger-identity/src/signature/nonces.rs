//! Memory of nonces, to detect repeated requests.

use std::collections::HashMap;

use ring::digest::{SHA256, digest};
use verger::access::Timestamp;

use crate::limits::{NONCES, NONCES_PER_KEY};

/// The nonces of each key, until their signatures expire.
#[derive(Debug, Default)]
pub(super) struct Nonces {
    by_key: HashMap<String, HashMap<[u8; 16], Timestamp>>,
    count: usize,
}

/// The result of a new nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NonceUse {
    First,
    Repeated,
    /// No memory is left for the key.
    Full,
}

impl Nonces {
    /// Remembers a nonce of a verified signature until it expires.
    pub(super) fn remember(
        &mut self,
        key: &str,
        nonce: &str,
        expires: Timestamp,
        now: Timestamp,
    ) -> NonceUse {
        let mut short = [0; 16];
        short.copy_from_slice(&digest(&SHA256, nonce.as_bytes()).as_ref()[..16]);
        let known = self.by_key.get(key);
        if known.is_some_and(|known| known.contains_key(&short)) {
            return NonceUse::Repeated;
        }
        if self.count >= NONCES || known.is_some_and(|known| known.len() >= NONCES_PER_KEY) {
            self.by_key.retain(|_, known| {
                known.retain(|_, expires| *expires > now);
                !known.is_empty()
            });
            self.count = self.by_key.values().map(HashMap::len).sum();
        }
        let known = self.by_key.entry(key.to_owned()).or_default();
        if self.count >= NONCES || known.len() >= NONCES_PER_KEY {
            return NonceUse::Full;
        }
        known.insert(short, expires);
        self.count += 1;
        NonceUse::First
    }
}
