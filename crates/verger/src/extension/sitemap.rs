//! `Sitemap`: where lists of a site's URLs stand (REP-SYNTAX-40, REP-SYNTAX-41).

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use core::fmt;

use super::record::RecordKind;
use super::records::values;
use crate::limits;
use crate::origin::Origin;
use crate::robots::Robots;
use crate::untrusted::{Untrusted, is_bidirectional_control};
use crate::url_text::UrlText;

/// The value of a `Sitemap`, `Agentmap` or `Schemamap` record. The value is kept whatever it is; it is a URL only when it is an absolute one.
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
    /// characters and bidirectional formatting, and no longer than
    /// [`SITEMAP_URL_BYTES`](limits::SITEMAP_URL_BYTES). It may lead to any host; whoever fetches it
    /// has to mind where.
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
        let is_plain =
            |c: char| !c.is_whitespace() && !c.is_control() && !is_bidirectional_control(c);
        if url.len() > limits::SITEMAP_URL_BYTES || !url.chars().all(is_plain) {
            return None;
        }
        let parts = UrlText::split(self.raw);
        let scheme = parts.scheme?;
        let is_http = scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https");
        let authority = parts.authority?;
        // A backslash ends an authority for browsers and not for others: two readings of one URL.
        (is_http && !authority.contains(&b'\\') && has_host(authority)).then_some(url)
    }

    /// The URL that the value leads to from a robots.txt of this origin: itself when it is absolute,
    /// otherwise taken from the root. Sitemap lines ought to be absolute; many are not.
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

impl Robots {
    /// The sitemaps that the file lists, in file order, each once. The iterator borrows from the file
    /// alone.
    ///
    /// # Complexity
    ///
    /// One walk through the text; memory for the sitemap lines only.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// fn sitemap_urls(robots: &Robots) -> impl Iterator<Item = &str> {
    ///     robots.sitemaps().filter_map(|sitemap| sitemap.url())
    /// }
    ///
    /// let robots = Robots::parse("Sitemap: https://shop.example/a.xml\nSitemap: /b.xml\n");
    /// assert!(sitemap_urls(&robots).eq(["https://shop.example/a.xml"]));
    /// ```
    pub fn sitemaps(&self) -> impl Iterator<Item = Sitemap<'_>> {
        self.maps(RecordKind::Sitemap)
    }

    /// The `Agentmap` records of the file, in file order, each once (REP-AMB-63). Their values follow
    /// the rules of sitemaps.
    ///
    /// # Complexity
    ///
    /// As [`sitemaps`](Self::sitemaps).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nAgentmap: https://shop.example/agents.json\n");
    /// let urls = robots.agentmaps().map(|map| map.url());
    /// assert!(urls.eq([Some("https://shop.example/agents.json")]));
    /// ```
    pub fn agentmaps(&self) -> impl Iterator<Item = Sitemap<'_>> {
        self.maps(RecordKind::Agentmap)
    }

    /// The `Schemamap` records of the file, in file order, each once (REP-AMB-63). Their values follow
    /// the rules of sitemaps.
    ///
    /// # Complexity
    ///
    /// As [`sitemaps`](Self::sitemaps).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("Schemamap: https://shop.example/schema_map.xml\n");
    /// let urls = robots.schemamaps().map(|map| map.url());
    /// assert!(urls.eq([Some("https://shop.example/schema_map.xml")]));
    /// ```
    pub fn schemamaps(&self) -> impl Iterator<Item = Sitemap<'_>> {
        self.maps(RecordKind::Schemamap)
    }

    fn maps(&self, kind: RecordKind) -> impl Iterator<Item = Sitemap<'_>> {
        let mut seen = BTreeSet::new();
        values(self.records(), kind, |record| Ok(Sitemap::new(record.value())))
            .filter(move |map| seen.insert(map.raw))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

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
    fn a_sitemap_is_readable_where_it_is_debugged() {
        let shown = format!("{:?}", Sitemap::new(b"https://h/\x1b\xff"));
        assert_eq!(shown, r#"Sitemap("https://h/\x1b\xff")"#);
    }

    #[test]
    fn sitemaps_are_listed_once_wherever_they_stand() {
        let robots = Robots::parse("Sitemap: a\nUser-agent: x\nsite-map: b\nSITEMAP: a\n");
        let raw: Vec<_> = robots.sitemaps().map(|sitemap| sitemap.raw()).collect();
        assert_eq!(raw, [b"a", b"b"]);
    }
}
