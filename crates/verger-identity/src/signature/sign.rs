//! Signing: the key of an agent, the fields of a signed request, and the key set to publish.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use url::Url;
use verger::access::Timestamp;

use super::base::signature_base;
use super::keys::thumbprint;
use super::{Agent, TAG};
use crate::RequestHead;

/// The private key of an agent, which signs its requests.
///
/// # Examples
///
/// ```
/// use verger_identity::SigningKey;
///
/// let (secret, key) = SigningKey::generate()?;
/// // Store `secret` in a file that only its owner can read. Publish the key set at
/// // https://bot.example/.well-known/http-message-signatures-directory.
/// let key_set = key.key_set();
/// assert!(key_set.contains(key.thumbprint()));
/// let read = SigningKey::read(&secret)?.for_agent("https://bot.example")?;
/// assert_eq!(read.thumbprint(), key.thumbprint());
/// # Ok::<(), verger_identity::KeyError>(())
/// ```
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: [u8; 32],
    thumbprint: String,
    /// The value of `Signature-Agent`.
    agent: String,
    lifetime: Duration,
}

impl SigningKey {
    /// Makes a key. Returns it also as text: a JSON Web Key with the private part.
    ///
    /// # Errors
    ///
    /// The system has no random numbers.
    pub fn generate() -> Result<(String, Self), KeyError> {
        let mut seed = [0; 32];
        SystemRandom::new()
            .fill(&mut seed)
            .map_err(|_| KeyError("the system has no random numbers"))?;
        let key = Self::from_seed(&seed)?;
        let mut text = json!({ "kty": "OKP", "crv": "Ed25519", "kid": key.thumbprint });
        text["x"] = URL_SAFE_NO_PAD.encode(key.public).into();
        text["d"] = URL_SAFE_NO_PAD.encode(seed).into();
        Ok((format!("{text}\n"), key))
    }

    /// Reads a JSON Web Key with the private part of an Ed25519 key.
    ///
    /// # Errors
    ///
    /// The text is not such a key, or its public part does not belong to the private one. The error
    /// does not quote the text.
    pub fn read(text: &str) -> Result<Self, KeyError> {
        let json: Value = serde_json::from_str(text).map_err(|_| KeyError("expected JSON"))?;
        let part = |name| json.get(name).and_then(Value::as_str).unwrap_or_default();
        if (part("kty"), part("crv")) != ("OKP", "Ed25519") {
            return Err(KeyError("expected a key with `kty` OKP and `crv` Ed25519"));
        }
        let seed = URL_SAFE_NO_PAD.decode(part("d"));
        let seed = seed.ok().and_then(|seed| seed.try_into().ok());
        let key = Self::from_seed(&seed.ok_or(KeyError("expected 32 bytes in `d`"))?)?;
        if json.get("x").is_some() && part("x") != URL_SAFE_NO_PAD.encode(key.public) {
            return Err(KeyError("expected `x` and `d` of one key"));
        }
        Ok(key)
    }

    fn from_seed(seed: &[u8; 32]) -> Result<Self, KeyError> {
        let invalid = KeyError("expected an Ed25519 key");
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| invalid)?;
        let public = pair.public_key().as_ref().try_into().map_err(|_| invalid)?;
        let thumbprint = thumbprint(&public);
        Ok(Self {
            pair,
            public,
            thumbprint,
            agent: String::new(),
            lifetime: Duration::from_secs(60),
        })
    }

    /// Sets the agent of signed requests: the https origin that publishes the key set, or the URL of
    /// the key set.
    ///
    /// # Errors
    ///
    /// The text is not a URL of https.
    pub fn for_agent(mut self, agent: &str) -> Result<Self, KeyError> {
        let is_https = Url::parse(agent).is_ok_and(|url| url.scheme() == "https");
        let is_plain = agent
            .bytes()
            .all(|octet| matches!(octet, b'!'..=b'~') && !matches!(octet, b'"' | b'\\'));
        if !is_https || !is_plain || Agent::key_set_of(agent).is_none() {
            return Err(KeyError("expected an agent such as https://bot.example"));
        }
        agent.clone_into(&mut self.agent);
        Ok(self)
    }

    /// Sets the lifetime of signatures; a minute by default.
    #[must_use]
    pub const fn with_lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// The thumbprint of the key, which is the `keyid` of its signatures.
    pub fn thumbprint(&self) -> &str {
        &self.thumbprint
    }

    /// The key set to publish at `/.well-known/http-message-signatures-directory`, with the media
    /// type `application/http-message-signatures-directory+json`.
    pub fn key_set(&self) -> String {
        let x = URL_SAFE_NO_PAD.encode(self.public);
        let key =
            json!({ "kty": "OKP", "crv": "Ed25519", "kid": self.thumbprint, "x": x, "use": "sig" });
        format!("{}\n", json!({ "keys": [key] }))
    }

    /// The fields `Signature-Agent`, `Signature-Input` and `Signature` of a request. They cover the
    /// method, the authority, the path and query, and the agent.
    ///
    /// # Errors
    ///
    /// The key has no [agent](Self::for_agent), the system has no random numbers, or the request
    /// has characters other than visible ASCII.
    pub fn sign(
        &self,
        mut head: RequestHead,
        now: Timestamp,
    ) -> Result<[(&'static str, String); 3], KeyError> {
        if self.agent.is_empty() {
            return Err(KeyError("expected an agent for the key"));
        }
        let mut nonce = [0; 32];
        SystemRandom::new()
            .fill(&mut nonce)
            .map_err(|_| KeyError("the system has no random numbers"))?;
        let agent = format!("sig1=\"{}\"", self.agent);
        head.fields.push(("signature-agent".to_owned(), agent.clone()));
        let input = format!(
            "sig1=(\"@method\" \"@authority\" \"@path\" \"@query\" \"signature-agent\";key=\"sig1\");\
             created={};expires={};keyid=\"{}\";alg=\"ed25519\";nonce=\"{}\";tag=\"{TAG}\"",
            now.seconds(),
            now.after(self.lifetime).seconds(),
            self.thumbprint,
            STANDARD.encode(nonce)
        );
        let invalid = KeyError("expected a request of visible ASCII characters");
        let covered = super::covered(&input).ok_or(invalid)?;
        let base = signature_base(&head, &covered).map_err(|_| invalid)?;
        let signature = format!("sig1=:{}:", STANDARD.encode(self.pair.sign(base.as_bytes())));
        Ok([("signature-agent", agent), ("signature-input", input), ("signature", signature)])
    }
}

/// Without the private part.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("thumbprint", &self.thumbprint).finish_non_exhaustive()
    }
}

/// A key that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyError(&'static str);

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for KeyError {}
