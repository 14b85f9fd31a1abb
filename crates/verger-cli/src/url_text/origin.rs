//! The sites that are asked for.

use std::fmt::Display;

use verger::{Dialect, Origin};

use super::check;
use crate::error::Error;
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
        return Err(Error::new(format!("expected a URL, but found the path {path}")).with_hint(
            "a site is needed, as in `https://shop.example/x`; paths are checked with `--robots FILE`",
        ));
    }
    str::from_utf8(url).map_err(|_| bad_url(url, &"expected UTF-8, but found other bytes"))
}

/// What is wrong with a URL, and what may be meant.
pub(crate) fn bad_url(url: &[u8], told: &dyn Display) -> Error {
    Error::new(format!("bad URL {}: {told}", quoted(url))).with_hint_of(hint_for(url))
}

/// What a text that is no URL may have been meant for.
pub(crate) fn hint_for(text: &[u8]) -> Option<String> {
    check(text, &Dialect::RFC9309).err()?.hint().map(str::to_owned)
}
