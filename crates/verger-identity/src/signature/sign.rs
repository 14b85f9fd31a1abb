//! Signing: the key of an agent, the fields of a signed request, and the key set to publish.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use sfv::{Dictionary, ListEntry, Parser};
use url::Url;
use verger::access::Timestamp;

use super::TAG;
use super::base::signature_base;
use super::keys::thumbprint;
use crate::error::{IdentityError, error};
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
    pub fn generate() -> Result<(String, Self), IdentityError> {
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
    pub fn read(text: &str) -> Result<Self, IdentityError> {
        let json: Value = serde_json::from_str(text).map_err(|_| error("expected JSON"))?;
        let part = |name| json.get(name).and_then(Value::as_str).unwrap_or_default();
        if (part("kty"), part("crv")) != ("OKP", "Ed25519") {
            return Err(error("expected a key with `kty` OKP and `crv` Ed25519"));
        }
        let seed = URL_SAFE_NO_PAD.decode(part("d")).ok().and_then(|seed| seed.try_into().ok());
        let key = Self::from_seed(&seed.ok_or(error("expected 32 bytes in `d`"))?)?;
        if json.get("x").is_some_and(|x| *x != key.json()["x"]) {
            return Err(error("expected `x` and `d` of one key"));
        }
        Ok(key)
    }

    fn from_seed(seed: &[u8; 32]) -> Result<Self, IdentityError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).ok();
        let pair = pair.ok_or(error("expected an Ed25519 key"))?;
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
    pub fn for_agent(self, agent: &str) -> Result<Signer, IdentityError> {
        let is_https = Url::parse(agent).is_ok_and(|url| url.scheme() == "https");
        let is_plain = agent.bytes().all(|it| it.is_ascii_graphic() && !matches!(it, b'"' | b'\\'));
        if is_https && is_plain && Agent::key_set_of(agent).is_some() {
            return Ok(Signer { key: self, agent: agent.to_owned(), is_text: false });
        }
        Err(error("expected an agent such as https://bot.example"))
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

    /// The fields `Signature-Agent`, `Signature-Input` and `Signature` of a request. They cover the
    /// method, the authority, the path and query, and the agent, and are valid for [`SIGNED_FOR`].
    ///
    /// # Errors
    ///
    /// The system has no random numbers, or the request has characters other than visible ASCII.
    pub fn sign(
        &self,
        mut request: Request,
        now: Timestamp,
    ) -> Result<[(&'static str, String); 3], IdentityError> {
        let (label, member) = if self.is_text { ("", "") } else { ("sig1=", r#";key="sig1""#) };
        let agent = format!("{label}\"{}\"", self.agent);
        request.headers.insert("signature-agent".to_owned(), agent.clone());
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
        let base = base.ok_or(error("expected a request of visible ASCII characters"))?;
        let signature = format!("sig1=:{}:", STANDARD.encode(self.key.pair.sign(base.as_bytes())));
        Ok([("signature-agent", agent), ("signature-input", input), ("signature", signature)])
    }
}

fn random() -> Result<[u8; 32], IdentityError> {
    let mut octets = [0; 32];
    let filled = SystemRandom::new().fill(&mut octets);
    filled.map(|()| octets).map_err(|_| error("the system has no random numbers"))
}
