//! The sites that are asked for.

use std::fmt::Display;

use verger::{Dialect, Origin};

use super::form::{end_of, split_scheme};
use super::{check, on_the_web};
use crate::error::Error;
use crate::names::{nearest, one_of};
use crate::quote::quoted;

/// The origin of a URL.
pub(crate) fn origin_of(url: &[u8]) -> Result<Origin, Error> {
    match Origin::of(text_of(url)?) {
        Ok(Some(origin)) => Ok(origin),
        Ok(None) => Err(bad_url(url, &"URLs of this scheme have no robots.txt")),
        Err(error) => Err(bad_url(url, &error)),
    }
}

/// The text of a URL of a site. A path says nothing of the site.
pub(crate) fn text_of(url: &[u8]) -> Result<&str, Error> {
    if url.starts_with(b"/") || url.starts_with(b"?") {
        let path = quoted(url);
        let error = Error::new(format!("expected a URL, but found the path {path}"));
        return Err(error.with_hint("a site is needed, as in `https://shop.example/x`"));
    }
    str::from_utf8(url).map_err(|_| bad_url(url, &"expected UTF-8, but found other bytes"))
}

/// What is wrong with a URL, and what may be meant.
pub(crate) fn bad_url(url: &[u8], told: &dyn Display) -> Error {
    Error::new(format!("bad URL {}: {told}", quoted(url))).with_hint_of(hint_for(url))
}

/// The sites that a text which is no URL may have been meant for.
pub(crate) fn hint_for(text: &[u8]) -> Option<String> {
    check(text, &Dialect::RFC9309).err()?;
    let is_site = |url: &&Vec<u8>| str::from_utf8(url).is_ok_and(|url| Origin::of(url).is_ok());
    let bare = text.trim_ascii();
    let own = (bare.len() < text.len() && check(bare, &Dialect::RFC9309).is_ok()).then_some(bare);
    let meant = match own {
        Some(url) => vec![url.to_vec()],
        None => meant(bare),
    };
    let meant: Vec<String> = meant.iter().filter(is_site).map(quoted).collect();
    Some(format!("{}: did you mean {}?", quoted(bare), one_of(&meant)?))
}

/// The URLs that a text may be short for. A path is none of them: it does not name a site.
fn meant(text: &[u8]) -> Vec<Vec<u8>> {
    if let Some((scheme, rest @ [b'/', ..])) = split_scheme(text) {
        let known = nearest(&String::from_utf8_lossy(scheme), ["https", "http"]);
        let start = match known.first() {
            Some(known) => [known.as_bytes(), b":/"].concat(),
            None => [b"https://", scheme].concat(),
        };
        return vec![[&start, rest].concat()];
    }
    let host = &text[..end_of(text, b"/?#")];
    let is_host = host.contains(&b'.') || host.contains(&b':') || host == b"localhost";
    if is_host && host.iter().all(u8::is_ascii_graphic) { on_the_web(text) } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sites_are_offered_in_place_of_a_text() {
        for (text, meant) in [
            ("shop.example", Some("`https://shop.example`")),
            ("shop.example/x", Some("`https://shop.example/x`")),
            ("localhost:80/x", Some("`https://localhost:80/x` or `http://localhost:80/x`")),
            ("htpps:/shop.example/x", Some("`https://shop.example/x`")),
            ("intranet:/x", Some("`https://intranet/x`")),
            ("foo", None),
            ("foo/bar", None),
            ("User-agent: x", None),
            ("Disallow: /x", None),
            ("shop.example:x", None),
            ("https://shop.example", None),
            ("", None),
        ] {
            let expected = meant.map(|meant| format!("`{text}`: did you mean {meant}?"));
            assert_eq!(hint_for(text.as_bytes()), expected, "{text}");
        }
        let expected = "`https://shop.example`: did you mean `https://shop.example`?";
        assert_eq!(hint_for(b" https://shop.example ").as_deref(), Some(expected));
    }
}
