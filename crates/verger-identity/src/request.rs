//! A request, as a server or its log saw it.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;

use verger::Untrusted;
use verger::access::Timestamp;
use verger::limits::QUOTED_CHARS;

use crate::HiddenClient;

/// The input of an identification.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub(crate) user_agent: &'a str,
    pub(crate) address: Option<Result<IpAddr, HiddenClient>>,
    pub(crate) at: Timestamp,
    pub(crate) head: Option<&'a RequestHead>,
}

impl<'a> Request<'a> {
    /// A request with this User-Agent header at this time.
    pub const fn new(user_agent: &'a str, at: Timestamp) -> Self {
        Self { user_agent, address: None, at, head: None }
    }

    /// Adds the address of the client. Behind a proxy, pass the result of
    /// [`TrustedProxies::client`](crate::TrustedProxies::client).
    #[must_use]
    pub const fn with_address(self, address: Result<IpAddr, HiddenClient>) -> Self {
        Self { address: Some(address), ..self }
    }

    /// Adds the head of the request, which has the fields of its signature.
    #[must_use]
    pub const fn with_head(self, head: &'a RequestHead) -> Self {
        Self { head: Some(head), ..self }
    }
}

/// The parts of a request that a signature can cover.
///
/// # Examples
///
/// ```
/// use verger_identity::RequestHead;
///
/// let head: RequestHead = "GET /a?b HTTP/1.1\nHost: shop.example\nAccept: */*".parse()?;
/// assert_eq!(head, RequestHead {
///     method: "GET".to_owned(),
///     scheme: "https".to_owned(),
///     authority: "shop.example".to_owned(),
///     target: "/a?b".to_owned(),
///     fields: [("Host", "shop.example"), ("Accept", "*/*")].map(|(n, v)| (n.into(), v.into())).into(),
/// });
/// # Ok::<(), verger_identity::HeadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "servers build it")]
pub struct RequestHead {
    /// The method, such as `GET`.
    pub method: String,
    /// `https` or `http`.
    pub scheme: String,
    /// Host and port, as in the Host header. Behind a proxy, use the ones that the client sent.
    pub authority: String,
    /// Path and query, as sent.
    pub target: String,
    /// The header fields in order, as sent.
    pub fields: Vec<(String, String)>,
}

impl RequestHead {
    /// The values of a field in order.
    pub fn values<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a str> {
        let fields = self.fields.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| value.as_str())
    }

    /// The combined value of a field (RFC 9421 section 2.1); `None` if it is absent.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let mut values = self.values(name).map(|value| value.trim_matches([' ', '\t'])).peekable();
        values.peek()?;
        Some(values.collect::<Vec<_>>().join(", "))
    }
}

impl std::str::FromStr for RequestHead {
    type Err = HeadError;

    /// Reads a request line and header fields up to an empty line, as in HTTP/1.1. Without a request
    /// line, the request is `GET /`. The scheme is https.
    fn from_str(text: &str) -> Result<Self, HeadError> {
        let mut head = Self {
            method: "GET".to_owned(),
            scheme: "https".to_owned(),
            authority: String::new(),
            target: "/".to_owned(),
            fields: Vec::new(),
        };
        for (at, line) in text.lines().enumerate().take_while(|(_, line)| !line.is_empty()) {
            let is_field = line.split_once(':').filter(|(name, _)| {
                !name.is_empty() && name.bytes().all(|octet| octet.is_ascii_graphic())
            });
            match (is_field, at) {
                (Some((name, value)), _) => {
                    let value = value.trim_matches([' ', '\t']);
                    if name.eq_ignore_ascii_case("host") {
                        value.clone_into(&mut head.authority);
                    }
                    head.fields.push((name.to_owned(), value.to_owned()));
                }
                (None, 0) if is_request_line(line) => {
                    let mut words = line.split(' ').map(str::to_owned);
                    head.method = words.next().unwrap_or_default();
                    head.target = words.next().unwrap_or_default();
                }
                _ => {
                    let found = Untrusted::new(line).limited_to(QUOTED_CHARS).quoted().to_string();
                    return Err(HeadError { line: at + 1, found });
                }
            }
        }
        Ok(head)
    }
}

/// Whether a line has a method, a target and a version.
fn is_request_line(line: &str) -> bool {
    let words: Vec<_> = line.split(' ').collect();
    matches!(words[..], [_, _, version] if version.starts_with("HTTP/"))
}

/// A text that is not the head of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadError {
    line: usize,
    found: String,
}

impl fmt::Display for HeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, found } = self;
        write!(
            f,
            "line {line}: expected a header field such as `Host: shop.example`, but found {found}"
        )
    }
}

impl Error for HeadError {}
