//! The signature base: the bytes that a signature covers (RFC 9421 section 2.5).

use std::fmt::Write as _;

use sfv::{BareItem, Dictionary, FieldType as _, InnerList, Item, ListEntry, Parser, StringRef};

use super::SignatureFailure;
use crate::RequestHead;
use crate::limits::COMPONENTS;

/// A signature base that cannot be built.
pub(super) enum BaseError {
    Failure(SignatureFailure),
    /// The component is not implemented.
    Unsupported(String),
}

/// Builds the signature base of a request for the covered components and their parameters.
pub(super) fn signature_base(head: &RequestHead, covered: &InnerList) -> Result<String, BaseError> {
    let malformed = || BaseError::Failure(SignatureFailure::Malformed);
    if covered.items.len() > COMPONENTS {
        return Err(malformed());
    }
    let mut base = String::new();
    let mut seen = Vec::new();
    for item in &covered.items {
        let name = serialized(ListEntry::Item(item.clone())).ok_or_else(malformed)?;
        if seen.contains(&name) {
            return Err(malformed());
        }
        let value = component(head, item)?;
        // A line break in a value could forge a component.
        if !value.bytes().all(|octet| matches!(octet, b' '..=b'~' | b'\t')) {
            return Err(malformed());
        }
        let _ = writeln!(base, "{name}: {value}");
        seen.push(name);
    }
    let parameters = serialized(ListEntry::InnerList(covered.clone())).ok_or_else(malformed)?;
    let _ = write!(base, "\"@signature-params\": {parameters}");
    Ok(base)
}

/// The value of a component.
fn component(head: &RequestHead, item: &Item) -> Result<String, BaseError> {
    let name = item.bare_item.as_string().map(StringRef::as_str);
    let name = name.ok_or(BaseError::Failure(SignatureFailure::Malformed))?;
    let unsupported =
        || BaseError::Unsupported(format!("the component {}", super::quotable(name).quoted()));
    let member = match item.params.first() {
        None => None,
        Some((key, value)) if item.params.len() == 1 && key.as_str() == "key" => {
            Some(value.as_string().ok_or_else(unsupported)?.as_str())
        }
        Some(_) => return Err(unsupported()),
    };
    if let (Some(derived), None) = (name.strip_prefix('@'), member) {
        let (path, query) =
            head.target.split_at(head.target.find('?').unwrap_or(head.target.len()));
        let path = if path.is_empty() { "/" } else { path };
        return Ok(match derived {
            "authority" => authority(head),
            "method" => head.method.clone(),
            "path" => path.to_owned(),
            "query" if query.is_empty() => "?".to_owned(),
            "query" => query.to_owned(),
            "request-target" => head.target.clone(),
            "scheme" => head.scheme.to_ascii_lowercase(),
            "target-uri" => {
                format!("{}://{}{path}{query}", head.scheme.to_ascii_lowercase(), authority(head))
            }
            _ => return Err(unsupported()),
        });
    }
    let missing = || BaseError::Failure(SignatureFailure::MissingField { field: name.to_owned() });
    let value = head.field(name).ok_or_else(missing)?;
    let Some(member) = member else { return Ok(value) };
    let all: Dictionary =
        Parser::new(&value).parse().map_err(|_| BaseError::Failure(SignatureFailure::Malformed))?;
    all.get(member).and_then(|entry| serialized(entry.clone())).ok_or_else(missing)
}

/// The authority in lower case, without a default port.
fn authority(head: &RequestHead) -> String {
    let authority = head.authority.to_ascii_lowercase();
    let port = if head.scheme.eq_ignore_ascii_case("http") { ":80" } else { ":443" };
    authority.strip_suffix(port).map(str::to_owned).unwrap_or(authority)
}

/// The text of an item or an inner list.
pub(super) fn serialized(entry: ListEntry) -> Option<String> {
    vec![entry].serialize()
}

/// A string parameter of a signature.
pub(super) fn string<'a>(covered: &'a InnerList, name: &str) -> Option<&'a str> {
    covered.params.get(name)?.as_string().map(StringRef::as_str)
}

/// A time of a signature.
pub(super) fn seconds(covered: &InnerList, name: &str) -> Option<u64> {
    match covered.params.get(name)? {
        BareItem::Integer(seconds) => u64::try_from(i64::from(*seconds)).ok(),
        _ => None,
    }
}
