//! Key sets: the public keys of an agent, as JSON Web Keys.

use std::collections::BTreeMap;
use std::slice;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde_json::Value;

use crate::json::Unique;
use crate::limits::{KEY_SET_BYTES, KEYS};

/// The keys of a key set.
///
/// A JSON Web Key Set, or a single key without an envelope. `kid` is not read, because `keyid` of a
/// signature is the thumbprint of its key (RFC 7638, RFC 8037 appendix A.3). `alg` may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySet {
    /// By their thumbprints; `None` if the key is not one for signatures with Ed25519.
    keys: Vec<(String, Option<[u8; 32]>)>,
}

impl KeySet {
    /// Reads a key set. Of keys of other kinds than Ed25519, only the thumbprints are known.
    ///
    /// # Errors
    ///
    /// The text is not JSON with keys, or is too long.
    pub fn read(text: &[u8]) -> Result<Self, &'static str> {
        if text.len() > KEY_SET_BYTES {
            return Err("expected at most 64 KiB");
        }
        let Unique(json) =
            serde_json::from_slice(text).map_err(|_| "expected JSON with each key once")?;
        let all = match json.get("keys") {
            Some(Value::Array(keys)) if keys.len() > KEYS => {
                return Err("expected at most 64 keys");
            }
            Some(Value::Array(keys)) => &keys[..],
            None if json.get("kty").is_some() => slice::from_ref(&json),
            _ => return Err("expected a key, or an array `keys`"),
        };
        let keys = all.iter().filter_map(|it| Some((thumbprint(it)?, ed25519(it))));
        Ok(Self { keys: keys.collect() })
    }

    /// Whether a key has this thumbprint.
    pub fn has(&self, thumbprint: &str) -> bool {
        self.find(thumbprint).is_some()
    }

    pub(super) fn find(&self, thumbprint: &str) -> Option<&Option<[u8; 32]>> {
        self.keys.iter().filter(|(known, _)| known == thumbprint).map(|(_, key)| key).max()
    }
}

/// The public key of a JSON Web Key for Ed25519.
fn ed25519(json: &Value) -> Option<[u8; 32]> {
    let text = |name| json.get(name).and_then(Value::as_str);
    let is_one_of = |name, known: &[&str]| text(name).is_none_or(|text| known.contains(&text));
    // `ed25519` is the name in signatures (RFC 9421); one directory uses it.
    if (text("kty"), text("crv")) != (Some("OKP"), Some("Ed25519"))
        || !is_one_of("alg", &["EdDSA", "Ed25519", "ed25519"])
        || !is_one_of("use", &["sig"])
    {
        return None;
    }
    URL_SAFE_NO_PAD.decode(text("x")?.trim_end_matches('=')).ok()?.try_into().ok()
}

/// The thumbprint of a JSON Web Key; `None` if its kind is not known.
pub(super) fn thumbprint(key: &Value) -> Option<String> {
    let names = match key.get("kty")?.as_str()? {
        "EC" => &["crv", "kty", "x", "y"][..],
        "OKP" => &["crv", "kty", "x"],
        "RSA" => &["e", "kty", "n"],
        _ => return None,
    };
    let value = |name: &&'static str| Some((*name, key.get(name)?.as_str()?.trim_end_matches('=')));
    let members: BTreeMap<_, _> = names.iter().map(value).collect::<Option<_>>()?;
    let text = serde_json::to_vec(&members).ok()?;
    Some(URL_SAFE_NO_PAD.encode(digest(&SHA256, &text)))
}
