//! The URL of a question: its check, its form as a client sends it, and its origin.

use std::borrow::Cow;

use url::Url;
use verger::Origin;

use crate::error::quoted;
use crate::limits::URL_BYTES;

/// A URL of the web, as in a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AskedUrl<'a> {
    text: Cow<'a, str>,
    /// Length of the origin if a client sends the URL as it is, without a fragment to cut and
    /// anything to encode. Most URLs of crawlers have this form.
    plain: Option<usize>,
}

impl<'a> AskedUrl<'a> {
    /// Checks a text. The error is a sentence.
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, String> {
        let text = text.into();
        let plain = check(&text)?;
        Ok(Self { text, plain })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_owned(self) -> AskedUrl<'static> {
        AskedUrl { text: self.text.into_owned().into(), plain: self.plain }
    }

    /// Whether a client sends it as it is, and nothing in it needs an escape in JSON.
    pub(crate) const fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    /// The URL as a client sends it, and its origin as text.
    pub(crate) fn sent(&self) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
        if let Some(length) = self.plain {
            return Some((Cow::Borrowed(&self.text), Cow::Borrowed(&self.text[..length])));
        }
        let mut sent = Url::parse(&self.text).ok()?;
        sent.set_fragment(None);
        let origin = Origin::of(sent.as_str()).ok()??;
        Some((Cow::Owned(sent.into()), Cow::Owned(origin.to_string())))
    }

    /// The origin as text; empty without one.
    pub(crate) fn origin(&self) -> Cow<'_, str> {
        self.sent().map(|(_, origin)| origin).unwrap_or_default()
    }
}

/// Rejects a text that no client can send as a URL of the web. Returns the length of the origin of
/// a [`plain`] URL.
fn check(text: &str) -> Result<Option<usize>, String> {
    if text.len() > URL_BYTES {
        return Err(format!(
            "expected a URL of at most {URL_BYTES} bytes, but found {}",
            text.len()
        ));
    }
    if text.is_empty() {
        return Err("expected a URL, but found an empty text".to_owned());
    }
    // The fast path: everything that the full check would find is absent.
    if let Some(length) = plain(text) {
        return Ok(Some(length));
    }
    let bad = |why: &str| format!("bad URL {}: {why}", quoted(text));
    if text.chars().any(|letter| letter.is_ascii_control()) || text.trim() != text {
        return Err(bad(
            "expected no control characters and no surrounding white space, but found some",
        ));
    }
    let url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => {
            bad("expected an absolute URL such as `https://shop.example/cart`, but found none")
        }
        error => bad(&error.to_string()),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("expected scheme http or https, but found another one"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Without the URL, which contains a password.
        return Err("expected a URL without user name and password, but found some".to_owned());
    }
    match Origin::of(text) {
        Ok(Some(_)) => Ok(None),
        Ok(None) => Err(bad("expected a URL with a host, but found none")),
        Err(error) => Err(bad(&error.to_string())),
    }
}

/// The length of the origin of a URL that is already in the form in which a client sends it; `None`
/// for URLs that the parser must read. It costs a fraction of parsing, and most URLs of a crawler
/// have this form.
fn plain(url: &str) -> Option<usize> {
    let bytes = url.as_bytes();
    let host_at = if bytes.starts_with(b"https://") {
        8
    } else if bytes.starts_with(b"http://") {
        7
    } else {
        return None;
    };
    let length = bytes[host_at..].iter().position(|byte| *byte == b'/')?;
    let (host, path) = (&bytes[host_at..host_at + length], &bytes[host_at + length..]);
    // The last label must not be a number, which would be an address; `xn--` needs validation.
    let last = host.rsplit(|byte| *byte == b'.').next()?;
    let is_name = last.first()?.is_ascii_lowercase()
        && host.len() < 254
        && host.split(|byte| *byte == b'.').all(|label| {
            let is_letter =
                |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
            (1..64).contains(&label.len())
                && label.iter().all(is_letter)
                && !(label.len() > 3 && &label[2..4] == b"--")
                && label[0] != b'-'
                && label[label.len() - 1] != b'-'
        });
    if !is_name {
        return None;
    }
    // Dot segments, also as `%2e`.
    let is_kept = path.iter().all(|byte| PLAIN[usize::from(*byte)])
        && path.windows(2).all(|two| two[0] != b'/' || !matches!(two[1], b'.' | b'%'));
    is_kept.then_some(host_at + length)
}

/// Octets of paths and queries that the URL parser does not change.
const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        table[byte as usize] = !matches!(
            byte,
            b'"' | b'#' | b'<' | b'>' | b'`' | b'{' | b'}' | b'^' | b'|' | b'\\' | b'\''
        );
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_urls_are_those_that_the_parser_does_not_change() {
        for (text, plain) in [
            ("https://shop.example/", true),
            ("http://a.b-c.example/x/y?z=%20&a=b", true),
            ("https://shop.example/a/.b", false),
            ("https://shop.example/a/..", false),
            ("https://shop.example/%2e%2e/b", false),
            ("https://shop.example/a#b", false),
            ("https://shop.example/{a}", false),
            ("https://shop.example", false),
            ("https://Shop.example/", false),
            ("https://shop.example:443/", false),
            ("https://xn--a.example/", false),
            ("https://127.1/", false),
            ("https://shop.example/\u{e9}", false),
        ] {
            let Ok(url) = AskedUrl::new(text) else { continue };
            assert_eq!(url.is_plain(), plain, "{text}");
            let (sent, origin) = url.sent().unwrap();
            let parsed = Url::parse(text).unwrap();
            assert_eq!(origin, parsed.origin().ascii_serialization(), "{text}");
            if plain {
                assert_eq!(sent, parsed.as_str());
            }
        }
    }
}
