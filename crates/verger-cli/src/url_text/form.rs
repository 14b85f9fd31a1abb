//! The outer form of a URL, and doubts about it.

use crate::quote::brief;

/// RFC 3986 section 3.1. Returns what stands before the colon and behind it.
pub(super) fn split_scheme(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let colon = text.iter().position(|byte| !is_scheme(byte))?;
    let begins = text.first().is_some_and(u8::is_ascii_alphabetic);
    (begins && text[colon] == b':').then(|| (&text[..colon], &text[colon + 1..]))
}

/// The schemes whose URLs have a host and a robots.txt.
pub(super) fn needs_host(scheme: &[u8]) -> bool {
    ["http", "https", "ftp", "ws", "wss"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()))
}

/// Why a text is no URL that has a colon and nothing like `//` behind it: what stands before the colon may be
/// something else than a scheme.
pub(super) fn doubt(scheme: &[u8], rest: &[u8]) -> String {
    let expected = "expected `https://` or another scheme, but found a host";
    match rest.first() {
        // A misspelt port, too. `geo:48.2,16.3` has none.
        Some(b'0'..=b'9') if rest[..end_of(rest, b"/?#")].iter().all(u8::is_ascii_alphanumeric) => {
            format!("{expected} and a port")
        }
        _ if scheme.contains(&b'.') => expected.to_owned(),
        Some(b'/') => format!("expected `//` behind `{}:`, but found `/`", brief(scheme)),
        Some(first) if first.is_ascii_whitespace() => {
            format!("expected a URL, but found white space behind `{}:`", brief(scheme))
        }
        _ => format!("expected `//` behind `{}:`, but found something else", brief(scheme)),
    }
}

/// Whether a text begins with a host and a port.
pub(crate) fn has_port(text: &[u8]) -> bool {
    let host = &text[..end_of(text, b"/?#")];
    let port = host.rsplit(|&byte| byte == b':').next().filter(|port| port.len() < host.len());
    port.is_some_and(|port| !port.is_empty() && port.iter().all(u8::is_ascii_digit))
}

pub(super) fn end_of(text: &[u8], ends: &[u8]) -> usize {
    text.iter().position(|byte| ends.contains(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_digits_behind_the_last_colon_of_a_host() {
        for text in ["127.0.0.1:8101", "h:80/x", "[::1]:80?q", "h:1#x"] {
            assert!(has_port(text.as_bytes()), "{text}");
        }
        for text in ["80", "h", "h:", "h:x", "h/x:80", "[::1]", "h:80x", ""] {
            assert!(!has_port(text.as_bytes()), "{text}");
        }
    }
}
