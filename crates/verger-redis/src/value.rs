//! Values with a check: the MAC of a configured key, or the checksum of the value itself.

use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use verger::access::Timestamp;
use verger_fetch::record::{BackOff, OriginRecord};

/// Bytes of a MAC.
const MAC: usize = 32;

/// Seals values and checks them.
#[derive(Clone, Default)]
pub(crate) struct Seal(Option<Hmac<Sha256>>);

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Seal(key)" } else { "Seal(no key)" })
    }
}

impl Seal {
    pub(crate) fn with_key(key: &[u8; 32]) -> Self {
        // Every length of a key is valid.
        Self(Hmac::new_from_slice(key).ok())
    }

    /// A value as it is stored under this name.
    pub(crate) fn close(&self, name: &str, mut value: Vec<u8>) -> Vec<u8> {
        if let Some(mac) = self.mac(name, &value) {
            value.extend(mac.finalize().into_bytes());
        }
        value
    }

    /// The value that was stored under this name; `None` if it is damaged or forged.
    pub(crate) fn open<'v>(&self, name: &str, stored: &'v [u8]) -> Option<&'v [u8]> {
        if self.0.is_none() {
            return Some(stored);
        }
        let (value, found) = stored.split_at_checked(stored.len().checked_sub(MAC)?)?;
        self.mac(name, value)?.verify_slice(found).is_ok().then_some(value)
    }

    fn mac(&self, name: &str, value: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = self.0.clone()?;
        mac.update(&(name.len() as u64).to_le_bytes());
        mac.update(name.as_bytes());
        mac.update(value);
        Some(mac)
    }
}

/// A record with the stored back-off of its origin. A damaged one does not count: it decides no
/// verdict.
pub(crate) fn with_back_off(record: &OriginRecord, stored: &[u8]) -> Arc<OriginRecord> {
    let text = str::from_utf8(stored).unwrap_or_default();
    let back_off = text.split_once(' ').and_then(|(until, refusals)| {
        let until = Timestamp::from_seconds(until.parse().ok()?);
        Some(BackOff { until, refusals: refusals.parse().ok()? })
    });
    Arc::new(record.clone().with_back_off(back_off))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_accepted_under_its_name_and_key_only() {
        let [seal, other] = [[1; 32], [2; 32]].map(|key| Seal::with_key(&key));
        let stored = seal.close("a", b"value".to_vec());
        assert_eq!(seal.open("a", &stored), Some(&b"value"[..]));
        assert_eq!(seal.open("b", &stored), None);
        assert_eq!(other.open("a", &stored), None);
        assert_eq!(seal.open("a", b"value"), None);
        assert_eq!(seal.open("a", b""), None);
        for at in 0..stored.len() {
            let mut damaged = stored.clone();
            damaged[at] ^= 1;
            assert_eq!(seal.open("a", &damaged), None, "{at}");
        }
    }
}
