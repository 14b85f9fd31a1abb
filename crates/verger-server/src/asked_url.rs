//! The URL of a question.

use std::borrow::Cow;

use url::{Position, Url};
use verger::{Origin, quoted};

use crate::limits::URL_BYTES;

/// A URL of the web.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AskedUrl<'a> {
    text: Cow<'a, str>,
    /// As a client sends it, if that is another text.
    sent: Option<String>,
    /// Length of the origin of the sent URL.
    origin: usize,
}

impl<'a> AskedUrl<'a> {
    /// Rejects a text that no client can send as a URL of the web. The error is a sentence.
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, String> {
        let text = text.into();
        if text.len() > URL_BYTES {
            let found = text.len();
            return Err(format!("expected a URL of at most {URL_BYTES} bytes, but found {found}"));
        }
        if text.is_empty() {
            return Err("the URL is empty".to_owned());
        }
        if let Some(origin) = plain(&text) {
            return Ok(Self { text, sent: None, origin });
        }
        let bad = |why: &str| format!("bad URL {}: {why}", quoted(&*text));
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
        // REP-AMB-62: the parser also finds a host in `http:/shop.example`.
        Origin::of(&text).map_err(|error| bad(&error.to_string()))?;
        sent.set_fragment(None);
        let origin = sent[..Position::BeforePath].len();
        Ok(Self { text, sent: Some(sent.into()), origin })
    }

    /// As in the question.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// As a client sends it.
    pub(crate) fn sent(&self) -> &str {
        self.sent.as_deref().unwrap_or(&self.text)
    }

    /// The text of the origin.
    pub(crate) fn origin(&self) -> &str {
        &self.sent()[..self.origin]
    }

    pub(crate) fn into_owned(self) -> AskedUrl<'static> {
        AskedUrl { text: self.text.into_owned().into(), ..self }
    }
}

/// The length of the origin of a URL that a client sends as it is; `None` if the parser must find
/// out. Most URLs of crawlers are sent so, and the parser costs more than the search for the
/// answer.
fn plain(url: &str) -> Option<usize> {
    let host_at = ["https://", "http://"].into_iter().find(|it| url.starts_with(it))?.len();
    let path_at = host_at + url[host_at..].find('/')?;
    let (host, path) = url.as_bytes()[host_at..].split_at(path_at - host_at);
    let is_kept = |it: &u8| matches!(it, b'!' | b'$'..=b'&' | b'('..=b';' | b'=' | b'?'..=b'[' | b']' | b'_' | b'a'..=b'z' | b'~');
    // Dot segments, also as `%2e`.
    let is_dot = |(one, next): (&u8, &u8)| *one == b'/' && matches!(next, b'.' | b'%');
    // Labels of other scripts have `--`, and addresses end with a number. No label is too long.
    let is_name = host.len() <= 63
        && host.iter().all(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.'))
        && host.rsplit(|it| *it == b'.').next()?.first()?.is_ascii_lowercase()
        && !host.windows(2).any(|two| two == b"--");
    // Folds have no early end, so the compiler compares many octets at once.
    (is_name
        && path.iter().fold(true, |all, it| all & is_kept(it))
        && !path.iter().zip(&path[1..]).fold(false, |any, two| any | is_dot(two)))
    .then_some(path_at)
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
            let url = AskedUrl::new(text).unwrap();
            assert_eq!((url.sent(), url.origin()), (sent, origin));
        }
    }

    #[test]
    fn rep_amb_62_a_text_that_the_parser_repairs_is_refused() {
        for text in [
            "http:/127.0.0.1:1/q",
            "http:127.0.0.1/q",
            "http:///h/q",
            "http:\\\\h\\q",
            "HTTPS:/h/q",
            " http://h/q",
            "ht\ntp://h/q",
        ] {
            assert!(Url::parse(text).is_ok_and(|url| url.has_host()), "{text:?}");
            assert!(AskedUrl::new(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn plain_urls_are_those_that_the_parser_keeps() {
        let octets: Vec<String> = (0..=127_u8).map(|it| char::from(it).to_string()).collect();
        let pieces = [
            "", "--", "..", "a.", ".1", ".0x", "/.", "/%2e", "/..", "//", "://", "xn--a", "\u{e9}",
            ":443",
        ];
        let long = "a".repeat(64);
        let pieces = pieces.into_iter().chain(octets.iter().map(String::as_str)).chain([&*long]);
        let mut plain_ones = 0;
        for piece in pieces {
            for text in [
                format!("https://{piece}"),
                format!("https://{piece}/"),
                format!("http://shop{piece}.example/a"),
                format!("http://shop.example{piece}/a"),
                format!("https://{piece}shop.example/a?b"),
                format!("https://shop.example/{piece}a"),
                format!("https://shop.example/a{piece}"),
                format!("https://shop.example/a?{piece}b"),
            ] {
                let Some(origin) = plain(&text) else { continue };
                plain_ones += 1;
                let url = Url::parse(&text).unwrap();
                assert_eq!((url.as_str(), url.fragment()), (&*text, None));
                let known = Origin::of(&text).unwrap().unwrap().to_string();
                assert_eq!(&text[..origin], known, "{text}");
            }
        }
        assert!(plain_ones > 400, "{plain_ones}");
    }
}
