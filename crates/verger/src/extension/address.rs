//! Records with an address: `Sitemap`, `Agentmap` and `Schemamap` (REP-SYNTAX-40, REP-SYNTAX-41,
//! REP-AMB-63), `Host` (REP-EXT-22), `License` (REP-EXT-40, REP-EXT-41), `Signature-Agent`
//! (REP-EXT-42).

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::value::InvalidValue;
use crate::limits;
use crate::origin::{Origin, is_scheme};
use crate::untrusted::{Untrusted, is_bidirectional_control};
use crate::url_text::UrlText;

/// The value of a `Sitemap`, `Agentmap` or `Schemamap` record. Every value is stored; only an
/// absolute URL is a URL.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sitemap<'r> {
    raw: &'r [u8],
}

impl<'r> Sitemap<'r> {
    pub(super) const fn new(raw: &'r [u8]) -> Self {
        Self { raw }
    }

    /// The value as written.
    pub const fn raw(&self) -> &'r [u8] {
        self.raw
    }

    /// The value as a URL: absolute, `http` or `https`, with a host, without white space, control
    /// characters and bidirectional formatting, and no longer than 8 KiB. It may name any host;
    /// check the host before a fetch.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("Sitemap: https://shop.example/s.xml\nSitemap: /t.xml\n");
    /// let urls: Vec<_> = robots.sitemaps().map(|sitemap| sitemap.url()).collect();
    /// assert_eq!(urls, [Some("https://shop.example/s.xml"), None]);
    /// ```
    pub fn url(&self) -> Option<&'r str> {
        let url = core::str::from_utf8(self.raw).ok()?;
        if url.len() > limits::SITEMAP_URL_BYTES || !is_plain(url) {
            return None;
        }
        let parts = UrlText::split(self.raw);
        let scheme = parts.scheme?;
        let is_http = scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https");
        let authority = parts.authority?;
        // A backslash ends an authority for browsers and not for others: two readings of one URL.
        (is_http && !authority.contains(&b'\\') && has_host(authority)).then_some(url)
    }

    /// The absolute URL of the value in a robots.txt of this origin. A relative value is resolved
    /// against the root. Sitemap lines should be absolute; many are not.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Origin, Robots};
    ///
    /// let origin: Origin = "https://shop.example".parse()?;
    /// let robots = Robots::parse("Sitemap: /s.xml\n");
    /// let sitemap = robots.sitemaps().next().expect("there is one");
    /// assert_eq!((sitemap.url(), sitemap.raw()), (None, &b"/s.xml"[..]));
    /// assert_eq!(sitemap.resolved(&origin).as_deref(), Some("https://shop.example/s.xml"));
    /// # Ok::<(), verger::OriginError>(())
    /// ```
    pub fn resolved(&self, origin: &Origin) -> Option<String> {
        if let Some(url) = self.url() {
            return Some(String::from(url));
        }
        let resolved = match core::str::from_utf8(self.raw).ok()? {
            "" => return None,
            path if path.starts_with("//") => format!("{}:{path}", origin.scheme()),
            path if path.starts_with('/') => format!("{origin}{path}"),
            path if UrlText::split(self.raw).scheme.is_none() => format!("{origin}/{path}"),
            _ => return None,
        };
        Sitemap::new(resolved.as_bytes()).url().is_some().then_some(resolved)
    }
}

impl fmt::Debug for Sitemap<'_> {
    /// The value as text, escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raw = Untrusted::new(self.raw).limited_to(limits::QUOTED_CHARS);
        f.debug_tuple("Sitemap").field(&raw).finish()
    }
}

/// Whether an authority has a host and, if any, a port.
fn has_host(authority: &[u8]) -> bool {
    let host = authority.rsplit(|&octet| octet == b'@').next().unwrap_or_default();
    let end = match host {
        [b'[', ..] => match host.iter().position(|&octet| octet == b']') {
            Some(bracket) => bracket + 1,
            None => return false,
        },
        _ => host.iter().position(|&octet| octet == b':').unwrap_or(host.len()),
    };
    let (host, port) = host.split_at(end);
    let is_port = match port {
        [] => true,
        [b':', digits @ ..] => {
            let number = core::str::from_utf8(digits).unwrap_or("x");
            digits.iter().all(u8::is_ascii_digit)
                && (number.is_empty() || number.parse::<u16>().is_ok())
        }
        _ => false,
    };
    let is_host = match host {
        [b'[', address @ .., b']'] => core::str::from_utf8(address)
            .is_ok_and(|address| address.parse::<core::net::Ipv6Addr>().is_ok()),
        // Names in other scripts are left to IDNA.
        _ => host.iter().all(|octet| {
            octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_') || *octet >= 0x80
        }),
    };
    is_port && is_host && !host.is_empty()
}

/// The main mirror of a site, in the form that Yandex read until 2018: a host name, and optionally
/// a port (REP-EXT-22).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Host<'r> {
    /// The name as written.
    pub name: &'r str,
    /// The port.
    pub port: Option<u16>,
}

impl<'r> Host<'r> {
    /// Reads `name[:port]`.
    pub(super) fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue = InvalidValue::expected("a host such as `shop.example`");
        let value = core::str::from_utf8(value).map_err(|_| EXPECTED)?;
        let (name, port) = match value.split_once(':') {
            Some((name, port)) if port.bytes().all(|octet| octet.is_ascii_digit()) => {
                (name, Some(port.parse().map_err(|_| EXPECTED)?))
            }
            Some(_) => return Err(EXPECTED),
            None => (value, None),
        };
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
        if name.is_empty() || !name.chars().all(is_part) {
            return Err(EXPECTED);
        }
        Ok(Self { name, port })
    }
}

/// The address of the licence for a site's content (REP-EXT-40, REP-EXT-41).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct License<'r> {
    /// An absolute URI, as written.
    pub uri: &'r str,
}

impl<'r> License<'r> {
    /// Reads an absolute URI.
    pub(super) fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue =
            InvalidValue::expected("an absolute URI such as `https://shop.example/license.xml`");
        let uri = core::str::from_utf8(value).map_err(|_| EXPECTED)?;
        let (scheme, rest) = uri.split_once(':').ok_or(EXPECTED)?;
        if is_scheme(scheme.as_bytes()) && !rest.is_empty() && is_plain(uri) {
            Ok(Self { uri })
        } else {
            Err(EXPECTED)
        }
    }
}

/// The agent whose signed requests a group concerns; those of its subdomains, too (REP-EXT-42). No
/// answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SignatureAgent<'r> {
    /// `https://` and a host, as written, without the quotes.
    pub origin: &'r str,
}

impl<'r> SignatureAgent<'r> {
    /// Reads `"https://host"`.
    pub(super) fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue =
            InvalidValue::expected("an origin in quotes such as `\"https://crawler.example\"`");
        let quoted = value.strip_prefix(b"\"").and_then(|it| it.strip_suffix(b"\""));
        let origin = core::str::from_utf8(quoted.ok_or(EXPECTED)?).map_err(|_| EXPECTED)?;
        let (scheme, host) = origin.split_once("://").ok_or(EXPECTED)?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        if scheme.eq_ignore_ascii_case("https") && !host.is_empty() && host.chars().all(is_part) {
            Ok(Self { origin })
        } else {
            Err(EXPECTED)
        }
    }
}

/// Whether a text has no white space, control characters or bidirectional formatting.
fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !is_bidirectional_control(c);
    text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::Robots;

    #[track_caller]
    fn check(value: &str, is_url: bool) {
        assert_eq!(Sitemap::new(value.as_bytes()).url().is_some(), is_url, "{value:?}");
    }

    #[test]
    fn only_absolute_http_urls_are_urls() {
        for value in [
            "http://h",
            "HTTPS://H/S.XML",
            "http://u:p@h:80/s",
            "http://[::1]:8080/s",
            "http://h:/",
            "https://ja.example.org/テスト.xml",
            "http://127.0.0.1/s",
        ] {
            check(value, true);
        }
        for value in [
            "",
            "/",
            "s.xml",
            "//h/s",
            "http:",
            "http://",
            "http:///s",
            "http:/h",
            "ftp://h/s",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "http://[::1/s",
            "http://h:99999/s",
            "http://h:x/s",
            "http://a b/",
            "http://h/a b",
            "http://h/\u{1b}",
            "://h",
            "<http://h>",
            "http://[x]/",
            "http://h\\x/",
        ] {
            check(value, false);
        }
        assert_eq!(Sitemap::new(b"http://h/\xff").url(), None);
        check(&alloc::format!("http://h/{}", "a".repeat(8 * 1024 - 9)), true);
        check(&alloc::format!("http://h/{}", "a".repeat(8 * 1024 - 8)), false);
    }

    #[test]
    fn relative_values_can_be_resolved() {
        let origin = Origin::from_parts("https", "h", Some(81)).expect("an origin");
        let resolved = |value: &'static str| Sitemap::new(value.as_bytes()).resolved(&origin);
        assert_eq!(resolved("http://i/s").as_deref(), Some("http://i/s"));
        assert_eq!(resolved("//i/s").as_deref(), Some("https://i/s"));
        assert_eq!(resolved("/s").as_deref(), Some("https://h:81/s"));
        assert_eq!(resolved("s.xml").as_deref(), Some("https://h:81/s.xml"));
        assert_eq!(resolved("javascript:x"), None);
        assert_eq!(resolved(""), None);
        assert_eq!(resolved("a b"), None);
    }

    #[test]
    fn debug_output_of_a_sitemap_is_escaped_text() {
        let shown = format!("{:?}", Sitemap::new(b"https://h/\x1b\xff"));
        assert_eq!(shown, r#"Sitemap("https://h/\x1b\xff")"#);
    }

    #[test]
    fn sitemaps_are_listed_once_at_any_place() {
        let robots = Robots::parse("Sitemap: a\nUser-agent: x\nsite-map: b\nSITEMAP: a\n");
        let raw: Vec<_> = robots.sitemaps().map(|sitemap| sitemap.raw()).collect();
        assert_eq!(raw, [b"a", b"b"]);
    }

    #[test]
    fn a_name_with_or_without_port() {
        let parse = |value: &'static str| {
            Host::parse(value.as_bytes()).ok().map(|host| (host.name, host.port))
        };
        assert_eq!(parse("shop.example"), Some(("shop.example", None)));
        assert_eq!(parse("shop.example:8080"), Some(("shop.example", Some(8080))));
        assert_eq!(parse("магазин.example"), Some(("магазин.example", None)));
        for value in ["", "https://h", "a b", "h:", "h:x", "h:70000", ":80", "h/x"] {
            assert_eq!(parse(value), None, "{value}");
        }
        assert!(Host::parse(b"\xff").is_err());
    }

    #[test]
    fn the_first_valid_host_counts_at_any_place() {
        let robots = Robots::parse("User-agent: a\nHost: a b\nHost: one\nDisallow:\nHost: two\n");
        assert_eq!(robots.host().map(|host| host.name), Some("one"));
        assert_eq!(Robots::parse("").host(), None);
    }

    #[test]
    fn a_licence_is_an_absolute_uri() {
        assert!(License::parse(b"https://h/l.xml").is_ok());
        assert!(License::parse(b"urn:example:licence").is_ok());
        for value in
            ["", "/l.xml", "h/l.xml", "https:", "1x:y", "https://h/a b", "a:\u{7f}", "a:\u{202e}b"]
        {
            assert!(License::parse(value.as_bytes()).is_err(), "{value}");
        }
        assert!(License::parse(b"a:\xff").is_err());
    }

    #[test]
    fn a_signature_agent_is_an_https_origin_in_quotes() {
        let parse = |value: &'static str| {
            SignatureAgent::parse(value.as_bytes()).ok().map(|agent| agent.origin)
        };
        assert_eq!(parse("\"https://a_b-1.Example\""), Some("https://a_b-1.Example"));
        assert_eq!(parse("\"HTTPS://h\""), Some("HTTPS://h"));
        for value in [
            "",
            "\"",
            "\"\"",
            "https://h",
            "\"https://h",
            "\"http://h\"",
            "\"https://\"",
            "\"https://h/\"",
            "\"https://h:443\"",
            "\"https://h\";a=1",
            "\"h\"",
            "\"https://\u{e9}\"",
        ] {
            assert_eq!(parse(value), None, "{value}");
        }
    }

    #[test]
    fn a_group_without_a_licence_has_those_of_the_file() {
        let robots = Robots::parse(
            "License: a:file\nSitemap: x\nLicense: none\n\
             User-agent: a\nCrawl-delay: 1\nLicense: a:group\nAllow: /\n\
             User-agent: b\nAllow: /\nLicense: none\n",
        );
        let of = |crawler| -> Vec<&str> {
            robots.licenses(crawler).iter().map(|license| license.uri).collect()
        };
        assert_eq!(of("a"), ["a:group"]);
        assert_eq!(of("b"), ["a:file"]);
        assert_eq!(of("c"), ["a:file"]);
    }
}
