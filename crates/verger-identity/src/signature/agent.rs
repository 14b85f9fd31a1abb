//! `Signature-Agent`: the address of an agent's key set.

use sfv::{Dictionary, Item, ListEntry, Parser, TokenRef};
use url::Url;

use crate::identity::{Agent, Proof, Reason};

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
        if field.starts_with('"') {
            let item = Parser::new(field).parse().map_err(|_| Proof::MALFORMED)?;
            return Self::of(&item, "string");
        }
        let all: Dictionary = Parser::new(field).parse().map_err(|_| Proof::MALFORMED)?;
        let found = match member {
            None if all.len() == 1 => all.values().next(),
            _ => all.get(member.unwrap_or(label)),
        };
        match found {
            Some(ListEntry::Item(item)) => Self::of(item, "dictionary"),
            Some(ListEntry::InnerList(_)) => Err(Proof::MALFORMED),
            None => Err(Proof::failed(Reason::NotCovered).detail("signature-agent")),
        }
    }

    fn of(item: &Item, mut form: &'static str) -> Result<Self, Proof<'static>> {
        let text = item.bare_item.as_string().ok_or(Proof::MALFORMED)?.as_str();
        // A host without a scheme is not a URL of https either.
        let mut url = Url::parse(text).map_err(|_| Proof::MALFORMED)?;
        if url.scheme() != "https" {
            return Err(Proof::failed(Reason::NotHttps));
        }
        let kind = item.params.get("type").map(|kind| kind.as_token().map(TokenRef::as_str));
        match kind {
            Some(Some("directory")) => url.set_path("/"),
            None | Some(Some("jwks_uri")) => {}
            Some(_) => return Err(Proof::unsupported("the type of Signature-Agent")),
        }
        if kind.is_some() {
            form = "typed_dictionary";
        } else if url.path() != "/" {
            form = "key_set_url";
        }
        Ok(Self { key_set: key_set_of(url).ok_or(Proof::MALFORMED)?, form })
    }

    /// The URL of the key set of an agent by its origin, or by that URL.
    pub(crate) fn key_set_of(agent: &str) -> Option<String> {
        key_set_of(Url::parse(agent).ok()?)
    }
}

/// The URL of the key set at an origin or a URL; `None` if the URL has credentials.
fn key_set_of(mut url: Url) -> Option<String> {
    url.set_fragment(None);
    if !url.username().is_empty() || url.password().is_some() || !url.has_host() {
        return None;
    }
    if matches!(url.path(), "/" | WELL_KNOWN) {
        url.set_path(WELL_KNOWN);
        // Otherwise one agent would have many names.
        url.set_query(None);
    }
    Some(url.into())
}
