//! The URL of a question.

use url::Url;
use verger::Origin;

use crate::error::quoted;
use crate::limits::URL_BYTES;

/// A URL of the web.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AskedUrl {
    /// As in the question.
    pub(crate) text: String,
    /// As a client sends it.
    pub(crate) sent: String,
    pub(crate) origin: Origin,
}

impl AskedUrl {
    /// Rejects a text that no client can send as a URL of the web. The error is a sentence.
    pub(crate) fn new(text: String) -> Result<Self, String> {
        if text.len() > URL_BYTES {
            let found = text.len();
            return Err(format!("expected a URL of at most {URL_BYTES} bytes, but found {found}"));
        }
        if text.is_empty() {
            return Err("the URL is empty".to_owned());
        }
        let bad = |why: &str| format!("bad URL {}: {why}", quoted(&text));
        if text.chars().any(|letter| letter.is_ascii_control()) || text.trim() != text {
            return Err(bad("control characters and surrounding white space are not allowed"));
        }
        let mut sent = Url::parse(&text).map_err(|error| match error {
            url::ParseError::RelativeUrlWithoutBase => {
                bad("expected an absolute URL such as `https://shop.example/cart`")
            }
            error => bad(&error.to_string()),
        })?;
        if !matches!(sent.scheme(), "http" | "https") {
            return Err(bad("expected scheme http or https"));
        }
        if !sent.username().is_empty() || sent.password().is_some() {
            // Without the URL, which contains a password.
            return Err("a user name or password is not allowed".to_owned());
        }
        sent.set_fragment(None);
        let host = sent.host_str().unwrap_or_default();
        let origin = Origin::from_parts(sent.scheme(), host, sent.port());
        let origin = origin.map_err(|error| bad(&error.to_string()))?;
        Ok(Self { sent: sent.into(), origin, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_sent_in_normal_form_and_without_a_fragment() {
        for (text, sent, origin) in [
            ("https://shop.example", "https://shop.example/", "https://shop.example"),
            ("https://Shop.example:443/a/../b#c", "https://shop.example/b", "https://shop.example"),
            ("http://127.1:81/\u{e9}", "http://127.0.0.1:81/%C3%A9", "http://127.0.0.1:81"),
        ] {
            let url = AskedUrl::new(text.to_owned()).unwrap();
            assert_eq!((url.sent.as_str(), url.origin.to_string().as_str()), (sent, origin));
        }
    }
}
