//! The origin of a URL according to the WHATWG URL standard.

use url::{ParseError, Url};

use super::{Origin, OriginError};
use crate::limits;
use crate::url_text::UrlText;

impl Origin {
    /// The origin of a URL according to the WHATWG URL standard, with IDNA for its host.
    ///
    /// `None` for URLs without an authority, such as `mailto:` and `data:`: they have no robots.txt
    /// (REP-ACCESS-8).
    ///
    /// # Errors
    ///
    /// If the text is not an absolute URL, or its host or port is malformed or too long. The
    /// standard also finds a host in texts such as `http:/shop.example`, which are not URLs here
    /// (REP-AMB-62).
    ///
    /// # Complexity
    ///
    /// Linear in the text; a host that is too long is rejected before IDNA.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Origin;
    ///
    /// let origin = Origin::of("https://www.exämple.com/a?b#c")?.expect("has an authority");
    /// assert_eq!(origin.robots_url(), "https://www.xn--exmple-cua.com/robots.txt");
    /// assert_eq!(Origin::of("mailto:a@shop.example")?, None);
    /// assert!(Origin::of("https://shop.example:99999/").is_err());
    /// # Ok::<(), verger::OriginError>(())
    /// ```
    pub fn of(url: &str) -> Result<Option<Self>, OriginError> {
        if authority_length(url) > limits::AUTHORITY_BYTES {
            return Err(OriginError::HostTooLong);
        }
        let text = UrlText::split(url.as_bytes());
        let url = Url::parse(url).map_err(kind)?;
        let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
            return Ok(None);
        };
        // The parser skips these before a host.
        let is_skipped = |octet: &u8| matches!(octet, b'\t' | b'\n' | b'\r' | b'\\');
        match text.authority {
            None => return Err(OriginError::NoScheme),
            Some(authority) if authority.first().is_none_or(is_skipped) => {
                return Err(OriginError::EmptyHost);
            }
            Some(_) => {}
        }
        Self::from_parts(url.scheme(), host, url.port()).map(Some)
    }

    /// The origin to which a robots.txt at this URL applies; `None` if its path is not exactly
    /// `/robots.txt` (REP-ACCESS-6).
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Origin;
    ///
    /// assert!(Origin::of_robots_url("https://shop.example/robots.txt")?.is_some());
    /// assert!(Origin::of_robots_url("https://shop.example/folder/robots.txt")?.is_none());
    /// assert!(Origin::of_robots_url("https://shop.example/Robots.txt")?.is_none());
    /// # Ok::<(), verger::OriginError>(())
    /// ```
    pub fn of_robots_url(url: &str) -> Result<Option<Self>, OriginError> {
        let Some(origin) = Self::of(url)? else {
            return Ok(None);
        };
        let url = Url::parse(url).map_err(kind)?;
        Ok((url.path() == "/robots.txt" && url.query().is_none()).then_some(origin))
    }

    /// Whether a URL belongs to this origin. A text that is not a URL does not.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Origin;
    ///
    /// let origin: Origin = "https://shop.example".parse()?;
    /// assert!(origin.covers("https://SHOP.example:443/cart"));
    /// assert!(!origin.covers("http://shop.example/cart") && !origin.covers("/cart"));
    /// # Ok::<(), verger::OriginError>(())
    /// ```
    pub fn covers(&self, url: &str) -> bool {
        Self::of(url).is_ok_and(|origin| origin.as_ref() == Some(self))
    }
}

fn kind(error: ParseError) -> OriginError {
    match error {
        ParseError::EmptyHost => OriginError::EmptyHost,
        ParseError::InvalidPort => OriginError::InvalidPort,
        ParseError::RelativeUrlWithoutBase => OriginError::NoScheme,
        _ => OriginError::InvalidHost,
    }
}

/// An upper bound, for every form of slashes that the standard accepts. The standard removes tabs
/// and line ends everywhere.
fn authority_length(url: &str) -> usize {
    let is_slash = |c: &char| matches!(c, '/' | '\\');
    let text = url.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r'));
    let behind_scheme = text.skip_while(|c| *c != ':').skip(1);
    let authority = behind_scheme.skip_while(is_slash);
    authority.take_while(|c| !is_slash(c) && !matches!(c, '?' | '#')).map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rep_amb_62_a_text_that_the_parser_repairs_has_no_origin() {
        for (text, expected) in [
            ("http:/h/q", OriginError::NoScheme),
            ("http:h/q", OriginError::NoScheme),
            ("http:\\\\h\\q", OriginError::NoScheme),
            ("http:/\\h/q", OriginError::NoScheme),
            (" http://h/q", OriginError::NoScheme),
            ("\nhttp://h/q", OriginError::NoScheme),
            ("ht\ntp://h/q", OriginError::NoScheme),
            ("http:\t//h/q", OriginError::NoScheme),
            ("http:/\r/h/q", OriginError::NoScheme),
            ("file:\\\\h\\q", OriginError::NoScheme),
            ("http:///h/q", OriginError::EmptyHost),
            ("https:////h", OriginError::EmptyHost),
            ("http://\\h/q", OriginError::EmptyHost),
            ("http://\t/h/q", OriginError::EmptyHost),
        ] {
            assert!(Url::parse(text).is_ok_and(|url| url.host_str() == Some("h")), "{text:?}");
            assert_eq!(Origin::of(text), Err(expected), "{text:?}");
        }
    }

    #[test]
    fn a_host_that_is_too_long_is_refused_before_idna() {
        let long = alloc::format!("http://xn--{}/", "a".repeat(1_000_000));
        assert_eq!(Origin::of(&long), Err(OriginError::HostTooLong));
        for start in ["http:\n//", "ht\ttp:/\r/", "http:\\\t"] {
            let long = alloc::format!("{start}xn--{}/", "a".repeat(1_000_000));
            assert_eq!(Origin::of(&long), Err(OriginError::HostTooLong), "{start:?}");
        }
        assert_eq!(Origin::of("h/x"), Err(OriginError::NoScheme));
        assert_eq!(Origin::of("https://"), Err(OriginError::EmptyHost));
        assert_eq!(Origin::of("gopher:///x"), Ok(None));
        assert!(
            Origin::of("http://h/").is_ok_and(|origin| origin.is_some_and(|it| !it.covers("x")))
        );
    }
}
