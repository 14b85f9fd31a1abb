//! Sites: host and port from a URL's text, without a URL parser.

use alloc::vec::Vec;

use crate::origin::default_port;
use crate::percent::{Form, Octets};
use crate::url_text::UrlText;

/// The key of a robots.txt if only the texts of URLs are available.
///
/// Unlike an [`Origin`](crate::Origin) it is not validated, and IDNA is not applied: two spellings
/// of a host in other scripts are two sites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site {
    scheme: Vec<u8>,
    host: Vec<u8>,
    /// The digits without leading zeros; empty if neither the URL nor its scheme has a port.
    port: Vec<u8>,
}

impl Site {
    /// The site of a URL; `None` for a URL without scheme or authority.
    pub(crate) fn of(url: &[u8]) -> Option<Self> {
        let UrlText { scheme, authority, .. } = UrlText::split(url);
        // HTTP clients end the authority at a backslash, and connect to the host before it.
        let authority = authority?.split(|&octet| octet == b'\\').next()?;
        Some(Self::new(scheme?, authority))
    }

    fn new(scheme: &[u8], authority: &[u8]) -> Self {
        let (host, port) = split_port(without_credentials(authority));
        let scheme = scheme.to_ascii_lowercase();
        let port = match port {
            [] => core::str::from_utf8(&scheme).ok().and_then(default_port).map(decimal),
            digits => Some(without_zeros(digits).to_vec()),
        };
        Self { scheme, host: host.to_ascii_lowercase(), port: port.unwrap_or_default() }
    }

    /// The same without its scheme, for files that apply to a host and port.
    pub(crate) fn without_scheme(mut self) -> Self {
        self.scheme.clear();
        self
    }

    pub(crate) fn has_host(&self) -> bool {
        !self.host.is_empty()
    }

    /// Whether an authority in a rule names this host and port, in a reference without scheme.
    ///
    /// As in Perl (REP-AGENT-41): the host is percent-decoded, a port is compared as written, and a
    /// colon without a port is part of the host.
    pub(crate) fn is_named_by(&self, authority: &[u8]) -> bool {
        let host = without_credentials(authority);
        let (host, port) = match split_port(host) {
            (_, []) => (host, &[][..]),
            parts => parts,
        };
        let scheme = core::str::from_utf8(&self.scheme).ok();
        let default = scheme.and_then(default_port).map(decimal).unwrap_or_default();
        let port = if port.is_empty() { &*default } else { port };
        Octets::new(host, Form::DECODED)
            .map(|octet| octet.to_ascii_lowercase())
            .eq(self.host.iter().copied())
            && port == &*self.port
    }
}

fn without_credentials(authority: &[u8]) -> &[u8] {
    authority.rsplit(|&octet| octet == b'@').next().unwrap_or_default()
}

/// Removes `:digits` from the end, also a colon without digits.
fn split_port(host: &[u8]) -> (&[u8], &[u8]) {
    match host.iter().rposition(|&octet| octet == b':') {
        Some(colon) if host[colon + 1..].iter().all(u8::is_ascii_digit) => {
            (&host[..colon], &host[colon + 1..])
        }
        _ => (host, &[]),
    }
}

fn decimal(port: u16) -> Vec<u8> {
    alloc::format!("{port}").into_bytes()
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    let start = digits.iter().position(|&digit| digit != b'0');
    // Port 0 is also a port.
    &digits[start.unwrap_or(digits.len().saturating_sub(1))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, other: &str, same: bool) {
        let site = |url: &str| Site::of(url.as_bytes()).expect("has an authority");
        assert_eq!(site(url) == site(other), same, "{url} {other}");
    }

    #[test]
    fn scheme_host_and_port_make_a_site() {
        check("http://h/a", "HTTP://H:80/b?c", true);
        check("https://u:p@h/", "https://h:443", true);
        check("http://h:/", "http://h:080/", true);
        check("http://[::1]:80/", "http://[::1]/", true);
        check("http://h/", "https://h/", false);
        check("http://h:81/", "http://h/", false);
        check("gopher://h:0/", "gopher://h/", false);
        check("http://h:000/", "http://h:0/", true);
        check("http://h\\@evil/", "http://h/", true);
        check("http://evil@h\\x/", "http://h/", true);
        check("http://h:x/", "http://h/", false);
        check("gopher://h:70/", "gopher://h/", false);
        assert_eq!(Site::of(b"/x"), None);
        assert_eq!(Site::of(b"mailto:x"), None);
    }

    #[test]
    fn the_scheme_may_be_ignored() {
        let site = |url: &str| Site::of(url.as_bytes()).expect("has an authority").without_scheme();
        assert_eq!(site("http://h:443/"), site("https://h/"));
        assert_ne!(site("http://h/"), site("https://h/"));
    }

    #[test]
    fn an_authority_in_a_rule_can_name_the_same_site() {
        let site = Site::of(b"https://h.example/robots.txt").expect("has an authority");
        for authority in ["h.example", "x@H.Example:443", "%68.example"] {
            assert!(site.is_named_by(authority.as_bytes()), "{authority}");
        }
        for authority in ["", "i.example", "h.example:80", "h.example:", "h.example:0443"] {
            assert!(!site.is_named_by(authority.as_bytes()), "{authority}");
        }
        assert!(!Site::of(b"http:///x").expect("has an authority").has_host());
    }
}
