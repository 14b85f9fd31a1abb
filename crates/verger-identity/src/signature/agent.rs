//! `Signature-Agent`: the address of an agent's key set.

use sfv::{Dictionary, Item, ListEntry, Parser, TokenRef};
use url::Url;

use crate::identity::{Agent, Proof, Reason};

/// The path of a key set at an origin.
const WELL_KNOWN: &str = "/.well-known/http-message-signatures-directory";

/// A bare string with an origin, as in drafts of 2025.
const STRING: &str = "string";
/// A dictionary with an origin.
const DICTIONARY: &str = "dictionary";
/// A dictionary with `type`.
const TYPED: &str = "typed_dictionary";
/// The URL of a key set, bare or in a dictionary.
const KEY_SET_URL: &str = "key_set_url";

impl Agent {
    /// The agent that a field names. `member`: the key of the member that the signature covers;
    /// `None` if it covers the whole field.
    pub(super) fn read(
        field: &str,
        label: &str,
        member: Option<&str>,
    ) -> Result<Self, Proof<'static>> {
        let malformed = || Proof::failed(Reason::Malformed);
        if field.starts_with('"') {
            let item: Item = Parser::new(field).parse().map_err(|_| malformed())?;
            return Self::of(&item, STRING);
        }
        let all: Dictionary = Parser::new(field).parse().map_err(|_| malformed())?;
        let found = match member {
            Some(member) => all.get(member),
            None if all.len() == 1 => all.values().next(),
            None => all.get(label),
        };
        match found {
            Some(ListEntry::Item(item)) => Self::of(item, DICTIONARY),
            Some(ListEntry::InnerList(_)) => Err(malformed()),
            None => Err(Proof::failed(Reason::NotCovered).detail("signature-agent")),
        }
    }

    fn of(item: &Item, form: &'static str) -> Result<Self, Proof<'static>> {
        let malformed = || Proof::failed(Reason::Malformed);
        let text = item.bare_item.as_string().ok_or_else(malformed)?.as_str();
        // A host without a scheme is not a URL of https either.
        let url = Url::parse(text).map_err(|_| malformed())?;
        if url.scheme() != "https" {
            return Err(Proof::failed(Reason::NotHttps));
        }
        let agent = match item.params.get("type").map(|kind| kind.as_token().map(TokenRef::as_str))
        {
            None => Self::at(url, form),
            Some(Some("directory")) => {
                let origin = url.join("/").map_err(|_| malformed())?;
                Self::at(origin, TYPED)
            }
            Some(Some("jwks_uri")) => {
                stripped(url).map(|url| Self { key_set: url.into(), form: TYPED })
            }
            Some(_) => {
                let proof = Proof::not_checked(Reason::Unsupported);
                return Err(proof.detail("the type of Signature-Agent"));
            }
        };
        agent.ok_or_else(malformed)
    }

    /// An agent by its origin, or by the URL of its key set.
    fn at(url: Url, form: &'static str) -> Option<Self> {
        let mut url = stripped(url)?;
        if url.path() == "/" && url.query().is_none() {
            url.set_path(WELL_KNOWN);
            return Some(Self { key_set: url.into(), form });
        }
        Some(Self { key_set: url.into(), form: KEY_SET_URL })
    }

    /// The URL of the key set of an agent in the registry.
    pub(crate) fn key_set_of(agent: &str) -> Option<String> {
        Some(Self::at(Url::parse(agent).ok()?, STRING)?.key_set)
    }
}

/// A URL without its fragment; `None` if it has credentials.
fn stripped(mut url: Url) -> Option<Url> {
    url.set_fragment(None);
    (url.username().is_empty() && url.password().is_none() && url.has_host()).then_some(url)
}
