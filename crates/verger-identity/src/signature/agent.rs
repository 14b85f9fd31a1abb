//! `Signature-Agent`: the address of an agent's key set.

use sfv::{Dictionary, Item, ListEntry, Parser, TokenRef};
use url::Url;

use crate::identity::{Agent, AgentForm, Proof, Reason};

/// The path of a key set at an origin.
const WELL_KNOWN: &str = "/.well-known/http-message-signatures-directory";

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
            return Self::of(&item, AgentForm::String);
        }
        let all: Dictionary = Parser::new(field).parse().map_err(|_| malformed())?;
        let found = match member {
            Some(member) => all.get(member),
            None if all.len() == 1 => all.values().next(),
            None => all.get(label),
        };
        match found {
            Some(ListEntry::Item(item)) => Self::of(item, AgentForm::Dictionary),
            Some(ListEntry::InnerList(_)) => Err(malformed()),
            None => Err(Proof::failed(Reason::NotCovered).detail("signature-agent")),
        }
    }

    fn of(item: &Item, form: AgentForm) -> Result<Self, Proof<'static>> {
        let malformed = || Proof::failed(Reason::Malformed);
        let text = item.bare_item.as_string().ok_or_else(malformed)?.as_str();
        // A host without a scheme is not a URL of https either.
        let mut url = Url::parse(text).map_err(|_| malformed())?;
        if url.scheme() != "https" {
            return Err(Proof::failed(Reason::NotHttps));
        }
        let kind = item.params.get("type").map(|kind| kind.as_token().map(TokenRef::as_str));
        match kind {
            Some(Some("directory")) => url.set_path("/"),
            None | Some(Some("jwks_uri")) => {}
            Some(_) => {
                let proof = Proof::not_checked(Reason::Unsupported);
                return Err(proof.detail("the type of Signature-Agent"));
            }
        }
        let Self { key_set, form } = Self::at(url, form).ok_or_else(malformed)?;
        Ok(Self { key_set, form: kind.map_or(form, |_| AgentForm::TypedDictionary) })
    }

    /// An agent by its origin, or by the URL of its key set; `None` if the URL has credentials.
    fn at(mut url: Url, mut form: AgentForm) -> Option<Self> {
        url.set_fragment(None);
        if !url.username().is_empty() || url.password().is_some() || !url.has_host() {
            return None;
        }
        if url.path() != "/" {
            form = AgentForm::KeySetUrl;
        }
        if matches!(url.path(), "/" | WELL_KNOWN) {
            url.set_path(WELL_KNOWN);
            // Otherwise one agent would have many names.
            url.set_query(None);
        }
        Some(Self { key_set: url.into(), form })
    }

    /// The URL of the key set of an agent in the registry.
    pub(crate) fn key_set_of(agent: &str) -> Option<String> {
        Some(Self::at(Url::parse(agent).ok()?, AgentForm::String)?.key_set)
    }
}
