//! Signing: the key of an agent, the fields of a signed request, and the key set to publish.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use sfv::{Dictionary, ListEntry, Parser};
use url::{Position, Url};
use verger::access::Timestamp;

use super::TAG;
use super::base::signature_base;
use super::keys::thumbprint;
use crate::identity::Agent;
use crate::limits::SIGNED_FOR;
use crate::request::Request;

/// The private key of an agent.
///
/// The text of a key is a JSON Web Key with the private part. `Debug` shows only the public part.
#[derive(Debug)]
pub struct SigningKey {
    pair: Ed25519KeyPair,
    /// The value `x`.
    public: String,
}

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
    /// The text is not such a key, or its parts do not belong together. The error does not quote it.
    pub fn read(text: &str) -> Result<Self, &'static str> {
        let json: Value = serde_json::from_str(text).map_err(|_| "expected JSON")?;
        if (&json["kty"], &json["crv"]) != (&json!("OKP"), &json!("Ed25519")) {
            return Err("expected a key with `kty` OKP and `crv` Ed25519");
        }
        let seed = json["d"].as_str().and_then(|seed| URL_SAFE_NO_PAD.decode(seed).ok());
        let seed = seed.and_then(|seed| seed.try_into().ok()).ok_or("expected 32 bytes in `d`")?;
        let key = Self::from_seed(&seed)?;
        if json.get("x").is_some_and(|x| *x != key.public) {
            return Err("expected `x` and `d` of one key");
        }
        Ok(key)
    }

    fn from_seed(seed: &[u8; 32]) -> Result<Self, &'static str> {
        let pair =
            Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| "expected an Ed25519 key")?;
        Ok(Self { public: URL_SAFE_NO_PAD.encode(pair.public_key()), pair })
    }

    /// The public part.
    fn json(&self) -> Value {
        let mut json = json!({ "kty": "OKP", "crv": "Ed25519", "x": self.public, "use": "sig" });
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
    /// Writes `Signature-Agent` as a bare string, as verifiers of drafts of 2025 expect. By default it
    /// is a dictionary, as in the current draft.
    #[must_use]
    pub fn with_agent_as_text(self) -> Self {
        Self { is_text: true, ..self }
    }

    /// The fields `Signature-Agent`, `Signature-Input` and `Signature` of a GET request. They cover the
    /// method, the authority, the path and query, and the agent, and are valid for [`SIGNED_FOR`].
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
        let agent = format!("{label}\"{}\"", self.agent);
        let request = Request {
            scheme: url.scheme().to_owned(),
            authority: Some(url[Position::BeforeHost..Position::AfterPort].to_owned()),
            target: url[Position::BeforePath..Position::AfterQuery].to_owned(),
            headers: BTreeMap::from([("signature-agent".to_owned(), agent.clone())]),
            ..Request::default()
        };
        let input = format!(
            "sig1=(\"@method\" \"@authority\" \"@path\" \"@query\" \"signature-agent\"{member});\
             created={};expires={};keyid=\"{}\";alg=\"ed25519\";nonce=\"{}\";tag=\"{TAG}\"",
            now.seconds(),
            now.after(SIGNED_FOR).seconds(),
            self.key.thumbprint(),
            STANDARD.encode(random()?)
        );
        let read: Option<Dictionary> = Parser::new(&input).parse().ok();
        let base = match read.as_ref().and_then(|all| all.values().next()) {
            Some(ListEntry::InnerList(covered)) => signature_base(&request, covered).ok(),
            _ => None,
        };
        let base = base.ok_or("expected a URL of visible ASCII characters")?;
        let signature = format!("sig1=:{}:", STANDARD.encode(self.key.pair.sign(base.as_bytes())));
        Ok([("signature-agent", agent), ("signature-input", input), ("signature", signature)])
    }
}

fn random() -> Result<[u8; 32], &'static str> {
    let mut octets = [0; 32];
    let filled = SystemRandom::new().fill(&mut octets);
    filled.map(|()| octets).map_err(|_| "the system has no random numbers")
}
