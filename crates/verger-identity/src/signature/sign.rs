//! Signing: the key of an agent, the fields of a signed request, and the key set to publish.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use url::{Position, Url};
use verger::access::Timestamp;

use super::TAG;
use super::keys::thumbprint;
use crate::identity::Agent;
use crate::json::Unique;
use crate::limits::SIGNED_FOR;

/// The private key of an agent.
///
/// The text of a key is a JSON Web Key with the private part. `Debug` shows only the public part.
#[derive(Debug)]
pub struct SigningKey(Ed25519KeyPair);

/// A key with the URL of its agent: it signs requests.
#[derive(Debug)]
#[non_exhaustive]
pub struct Signer {
    /// The key.
    pub key: SigningKey,
    agent: String,
    /// The form of `Signature-Agent`.
    is_text: bool,
}

impl SigningKey {
    /// Makes a key. Returns it also as text.
    ///
    /// # Errors
    ///
    /// The system has no random numbers.
    pub fn generate() -> Result<(String, Self), &'static str> {
        let seed = random()?;
        let key = Self::from_seed(&seed)?;
        let mut json = key.json();
        json["d"] = URL_SAFE_NO_PAD.encode(seed).into();
        Ok((format!("{json}\n"), key))
    }

    /// Reads an Ed25519 key.
    ///
    /// # Errors
    ///
    /// The text is not such a key, or its parts do not belong together. The error does not quote
    /// it.
    pub fn read(text: &str) -> Result<Self, &'static str> {
        let Unique(json) =
            serde_json::from_str(text).map_err(|_| "expected JSON with each key once")?;
        if (&json["kty"], &json["crv"]) != (&json!("OKP"), &json!("Ed25519")) {
            return Err("expected a key with `kty` OKP and `crv` Ed25519");
        }
        let seed = json["d"].as_str().and_then(|seed| URL_SAFE_NO_PAD.decode(seed).ok());
        let seed = seed.and_then(|seed| seed.try_into().ok()).ok_or("expected 32 bytes in `d`")?;
        let key = Self::from_seed(&seed)?;
        if json.get("x").is_some_and(|x| *x != key.json()["x"]) {
            return Err("expected `x` and `d` of one key");
        }
        Ok(key)
    }

    fn from_seed(seed: &[u8; 32]) -> Result<Self, &'static str> {
        Ed25519KeyPair::from_seed_unchecked(seed).map(Self).map_err(|_| "expected an Ed25519 key")
    }

    /// The public part.
    fn json(&self) -> Value {
        let x = URL_SAFE_NO_PAD.encode(self.0.public_key());
        let mut json = json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "use": "sig" });
        json["kid"] = thumbprint(&json).into();
        json
    }

    /// Signs for an agent: the https origin that publishes the key set, or the URL of the key set.
    ///
    /// # Errors
    ///
    /// The text is not a URL of https.
    pub fn for_agent(self, agent: &str) -> Result<Signer, &'static str> {
        let is_plain = agent.bytes().all(|it| it.is_ascii_graphic() && !matches!(it, b'"' | b'\\'));
        let key_set = Agent::key_set_of(agent).filter(|it| is_plain && it.starts_with("https:"));
        key_set.ok_or("expected an agent such as https://bot.example")?;
        Ok(Signer { key: self, agent: agent.to_owned(), is_text: false })
    }

    /// The thumbprint of the key, which is the `keyid` of its signatures.
    pub fn thumbprint(&self) -> String {
        thumbprint(&self.json()).unwrap_or_default()
    }

    /// The key set to publish at `/.well-known/http-message-signatures-directory`, with the media
    /// type `application/http-message-signatures-directory+json`.
    pub fn key_set(&self) -> String {
        format!("{}\n", json!({ "keys": [self.json()] }))
    }
}

impl Signer {
    /// Writes `Signature-Agent` as a bare string, as verifiers of drafts of 2025 expect. By default
    /// it is a dictionary, as in the current draft.
    #[must_use]
    pub fn with_agent_as_text(self) -> Self {
        Self { is_text: true, ..self }
    }

    /// The fields `Signature-Agent`, `Signature-Input` and `Signature` of a GET request. They cover
    /// the method, the authority, the path and query, and the agent, and are valid for
    /// [`SIGNED_FOR`].
    ///
    /// # Errors
    ///
    /// The system has no random numbers.
    pub fn sign(
        &self,
        url: &Url,
        now: Timestamp,
    ) -> Result<[(&'static str, String); 3], &'static str> {
        let (label, member) = if self.is_text { ("", "") } else { ("sig1=", r#";key="sig1""#) };
        let agent = format!("\"{}\"", self.agent);
        let covered = format!(
            "(\"@method\" \"@authority\" \"@path\" \"@query\" \"signature-agent\"{member});\
             created={};expires={};keyid=\"{}\";alg=\"ed25519\";nonce=\"{}\";tag=\"{TAG}\"",
            now.seconds(),
            now.after(SIGNED_FOR).seconds(),
            self.key.thumbprint(),
            STANDARD.encode(random()?)
        );
        // The bytes to sign, as `base.rs` reads them.
        let base = format!(
            "\"@method\": GET\n\"@authority\": {}\n\"@path\": {}\n\"@query\": ?{}\n\
             \"signature-agent\"{member}: {agent}\n\"@signature-params\": {covered}",
            &url[Position::BeforeHost..Position::AfterPort],
            url.path(),
            url.query().unwrap_or_default()
        );
        let signature = STANDARD.encode(self.key.0.sign(base.as_bytes()));
        Ok([
            ("signature-agent", format!("{label}{agent}")),
            ("signature-input", format!("sig1={covered}")),
            ("signature", format!("sig1=:{signature}:")),
        ])
    }
}

fn random() -> Result<[u8; 32], &'static str> {
    let mut octets = [0; 32];
    let filled = SystemRandom::new().fill(&mut octets);
    filled.map(|()| octets).map_err(|_| "the system has no random numbers")
}
