//! The signature base: the bytes that a signature covers (RFC 9421 section 2.5).

use std::fmt::Write as _;

use sfv::{Dictionary, FieldType as _, InnerList, Item, ListEntry, Parser, StringRef};
use verger::quoted;

use crate::identity::{Proof, Reason};
use crate::limits::COMPONENTS;
use crate::request::Request;

/// Builds the signature base of a request for the covered components and their parameters.
pub(super) fn signature_base(
    request: &Request,
    covered: &InnerList,
) -> Result<String, Proof<'static>> {
    if covered.items.len() > COMPONENTS {
        return Err(Proof::MALFORMED);
    }
    let (mut base, mut seen) = (String::new(), Vec::new());
    for item in &covered.items {
        let name = serialized(ListEntry::Item(item.clone())).ok_or(Proof::MALFORMED)?;
        let value = component(request, item)?;
        // A line break in a value could forge a component.
        let is_line = value.bytes().all(|octet| matches!(octet, b' '..=b'~' | b'\t'));
        if !is_line || seen.contains(&name) {
            return Err(Proof::MALFORMED);
        }
        let _ = writeln!(base, "{name}: {value}");
        seen.push(name);
    }
    let parameters = serialized(ListEntry::InnerList(covered.clone())).ok_or(Proof::MALFORMED)?;
    let _ = write!(base, "\"@signature-params\": {parameters}");
    Ok(base)
}

/// The value of a component.
fn component(request: &Request, item: &Item) -> Result<String, Proof<'static>> {
    let name = item.bare_item.as_string().map(StringRef::as_str).ok_or(Proof::MALFORMED)?;
    let unsupported = || Proof::unsupported(format!("the component {}", quoted(name)));
    let member = match item.params.first() {
        None => None,
        Some((key, value)) if item.params.len() == 1 && key.as_str() == "key" => {
            Some(value.as_string().ok_or_else(unsupported)?.as_str())
        }
        Some(_) => return Err(unsupported()),
    };
    let missing = || Proof::not_checked(Reason::MissingField).detail(quoted(name));
    if let (Some(derived), None) = (name.strip_prefix('@'), member) {
        let target = &request.target;
        let lacks = |part: &str, of: &[_]| part.is_empty() && of.contains(&derived);
        if lacks(&request.method, &["method"])
            || lacks(&request.scheme, &["scheme", "target-uri"])
            || lacks(target, &["path", "query", "request-target", "target-uri"])
        {
            return Err(missing());
        }
        let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
        let path = if path.is_empty() { "/" } else { path };
        let scheme = request.scheme.to_ascii_lowercase();
        let authority = normal_authority(request);
        return Ok(match derived {
            "authority" => authority,
            "method" => request.method.clone(),
            "path" => path.to_owned(),
            "query" if query.is_empty() => "?".to_owned(),
            "query" => query.to_owned(),
            "request-target" => target.clone(),
            "scheme" => scheme,
            "target-uri" => format!("{scheme}://{authority}{path}{query}"),
            _ => return Err(unsupported()),
        });
    }
    let value = request.field(name).ok_or_else(missing)?;
    let Some(member) = member else { return Ok(value.to_owned()) };
    let all: Dictionary = Parser::new(value).parse().map_err(|_| Proof::MALFORMED)?;
    all.get(member).and_then(|entry| serialized(entry.clone())).ok_or_else(missing)
}

/// Host and port in lower case, without the port of the scheme.
pub(super) fn normal_authority(request: &Request) -> String {
    let (authority, scheme) = (request.authority().to_ascii_lowercase(), &request.scheme);
    let without = |name: &str, port| {
        let is_it = scheme.is_empty() || scheme.eq_ignore_ascii_case(name);
        authority.strip_suffix(port).filter(|_| is_it)
    };
    let found = without("http", ":80").or_else(|| without("https", ":443"));
    found.unwrap_or(&authority).to_owned()
}

/// The text of an item or an inner list.
pub(super) fn serialized(entry: ListEntry) -> Option<String> {
    vec![entry].serialize()
}
