//! Target `key_set`: public keys of agents, and private keys.
//!
//! Errors do not quote the text. A key set that was printed for a private key has its key, and
//! neither the debug form nor the key set of a private key has its secret.

use verger_identity::{KeySet, SigningKey};

use crate::inert::assert_inert;

/// Checks keys.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    if let Err(error) = KeySet::read(bytes) {
        assert_inert(error);
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    match SigningKey::read(text) {
        Ok(key) => {
            let set = key.key_set();
            let keys = KeySet::read(set.as_bytes()).expect("a printed key set is read");
            assert!(keys.has(&key.thumbprint()));
            let json: serde_json::Value = serde_json::from_str(text).expect("a key is JSON");
            let secret = json["d"].as_str().expect("a private key has it");
            assert!(!set.contains(secret) && !format!("{key:?}").contains(secret));
        }
        Err(error) => assert!(error.starts_with("expected ")),
    }
}

/// A key set and a private key (RFC 9421 appendix B.1.4), as seeds.
pub(crate) const SEEDS: [&str; 3] = [
    r#"{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]}"#,
    r#"{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}"#,
    r#"{"kty":"OKP","crv":"Ed25519","d":"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"}"#,
];
