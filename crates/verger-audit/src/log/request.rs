//! A request in an access log.

use std::borrow::Cow;

/// A request in an access log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'l> {
    /// The URL, or path and query, as the client sent it.
    pub target: Cow<'l, [u8]>,
    /// The value of the User-Agent header, if the format has it.
    pub user_agent: Option<Cow<'l, [u8]>>,
}

/// The target of a request line: `GET /x HTTP/1.1`, or `GET /x` of HTTP/0.9.
pub(crate) fn target_of_line(text: &[u8]) -> Option<&[u8]> {
    let (method, rest) = text.split_at(text.iter().position(|&byte| byte == b' ')?);
    if method.is_empty() || !method.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-') {
        return None;
    }
    let rest = rest.trim_ascii();
    // A target can contain spaces, if the client sent them.
    let end = rest.windows(6).rposition(|six| six == b" HTTP/").unwrap_or(rest.len());
    Some(rest[..end].trim_ascii()).filter(|target| !target.is_empty())
}
