//! `Signature-Agent`: the address of an agent's key set.

use serde::Serialize;
use sfv::{Dictionary, Item, ListEntry, Parser, TokenRef};
use url::Url;

/// The path of a key set at an origin.
pub(crate) const WELL_KNOWN: &str = "/.well-known/http-message-signatures-directory";

/// The agent that a signature names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Agent {
    /// The URL of the key set: it is the identity of the agent.
    pub key_set: String,
    /// The form of the field.
    pub form: AgentForm,
}

/// The form of `Signature-Agent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentForm {
    /// A bare string with an origin, as in drafts of 2025.
    String,
    /// A dictionary with an origin.
    Dictionary,
    /// A dictionary with `type`.
    TypedDictionary,
    /// A string with the URL of a key set, bare or in a dictionary.
    KeySetUrl,
}

/// The reason that the agent of a signature has no usable key set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AgentError {
    Malformed,
    /// No member for the signature.
    NoMember,
    NotHttps,
    /// A `type` that is not implemented.
    Type,
}

impl Agent {
    /// The agent that a field names. `member`: the key of the member that the signature covers;
    /// `None` if it covers the whole field.
    pub(super) fn read(field: &str, label: &str, member: Option<&str>) -> Result<Self, AgentError> {
        if field.starts_with('"') {
            let item: Item = Parser::new(field).parse().map_err(|_| AgentError::Malformed)?;
            return Self::of(&item, AgentForm::String);
        }
        let all: Dictionary = Parser::new(field).parse().map_err(|_| AgentError::Malformed)?;
        let found = match member {
            Some(member) => all.get(member),
            None if all.len() == 1 => all.values().next(),
            None => all.get(label),
        };
        match found {
            Some(ListEntry::Item(item)) => Self::of(item, AgentForm::Dictionary),
            Some(ListEntry::InnerList(_)) => Err(AgentError::Malformed),
            None => Err(AgentError::NoMember),
        }
    }

    fn of(item: &Item, form: AgentForm) -> Result<Self, AgentError> {
        let text = item.bare_item.as_string().ok_or(AgentError::Malformed)?.as_str();
        let kind = item.params.get("type").map(|kind| kind.as_token().map(TokenRef::as_str));
        let url = match Url::parse(text) {
            Ok(url) if url.scheme() == "https" => url,
            Ok(_) => return Err(AgentError::NotHttps),
            // A host without a scheme is not a URL of https either.
            Err(_) => return Err(AgentError::Malformed),
        };
        match kind {
            None => Self::at(url, form),
            Some(Some("directory")) => {
                let origin = url.join("/").map_err(|_| AgentError::Malformed)?;
                Self::at(origin, AgentForm::TypedDictionary)
            }
            Some(Some("jwks_uri")) => {
                let key_set = stripped(url).ok_or(AgentError::Malformed)?.into();
                Ok(Self { key_set, form: AgentForm::TypedDictionary })
            }
            Some(_) => Err(AgentError::Type),
        }
    }

    /// An agent by its origin, or by the URL of its key set.
    fn at(url: Url, form: AgentForm) -> Result<Self, AgentError> {
        let mut url = stripped(url).ok_or(AgentError::Malformed)?;
        if url.path() == "/" && url.query().is_none() {
            url.set_path(WELL_KNOWN);
            return Ok(Self { key_set: url.into(), form });
        }
        Ok(Self { key_set: url.into(), form: AgentForm::KeySetUrl })
    }

    /// The URL of the key set of an agent in the registry.
    pub(crate) fn key_set_of(agent: &str) -> Option<String> {
        Self::at(Url::parse(agent).ok()?, AgentForm::String).ok().map(|agent| agent.key_set)
    }
}

/// A URL without its fragment; `None` if it has credentials.
fn stripped(mut url: Url) -> Option<Url> {
    url.set_fragment(None);
    (url.username().is_empty() && url.password().is_none() && url.has_host()).then_some(url)
}
