//! Validation of URLs, with suggestions for mistakes.
//!
//! # Flow
//!
//! The engine finds a target in any text: it would answer for `shop.example/cart` as for the path
//! `/shop.example/cart`. So this module accepts only paths, which begin with `/` or `?`, and
//! absolute URLs. A URL of the web must also have a host. Almost any text with a colon has the form
//! of an absolute URL of an unknown scheme, which has no robots.txt. So without `//`, likely
//! mistakes are rejected: `shop.example:80/x`, `htpps:/shop.example/x`, `User-agent: x`. The text
//! is never changed. Path and query can contain any byte.
//!
//! # Scope
//!
//! Dialects that find a path in any string, as Google's library does (REP-MATCH-5), accept any
//! string.

use std::fmt::Display;
use std::path::Path;

use verger::dialect::UrlSplit;
use verger::{Dialect, Origin, without_credentials};

use crate::error::Error;
use crate::sentence::{brief, nearest, one_of, quoted};

/// Whether a name is a URL from which something can be fetched, and not that of a file.
pub(crate) fn is_url(name: &Path) -> bool {
    let text = name.to_string_lossy();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https" | "ftp")) && !name.exists()
}

/// Rejects a text that is not a URL in this dialect.
pub(crate) fn check(text: &[u8], dialect: &Dialect) -> Result<(), Error> {
    // Errors quote the text.
    let text = &*without_credentials(text);
    let mark = |error: Error| if dialect.reads_url(text) { error } else { error.with_not_a_url() };
    check_trimmed(text, dialect).map_err(mark)
}

/// Checks a text, and suggests the text without surrounding white space.
fn check_trimmed(text: &[u8], dialect: &Dialect) -> Result<(), Error> {
    let Err(error) = check_form(text, dialect) else { return Ok(()) };
    let bare = text.trim_ascii();
    if bare.is_empty() || bare.len() == text.len() {
        return Err(error);
    }
    let shown = quoted(text);
    let error =
        Error::new(format!("bad URL {shown}: expected no white space around it, but found some"));
    let hint = match check_form(bare, dialect) {
        Ok(()) => Some(format!("{shown}: did you mean {}?", quoted(bare))),
        Err(inner) => inner.hint().map(str::to_owned),
    };
    Err(error.with_optional_hint(hint))
}

fn check_form(text: &[u8], dialect: &Dialect) -> Result<(), Error> {
    let bad = |why: &str| Error::new(format!("bad URL {}: {why}", quoted(text)));
    if dialect.reads_url(text) {
        return host_error(text, dialect).map_or(Ok(()), |why| Err(bad(&why)));
    }
    if text.is_empty() {
        return Err(Error::new("bad URL: expected a URL or a path, but found an empty text"));
    }
    let Some((scheme, rest)) = split_scheme(text) else {
        let why = "expected `https://` or another scheme, or a path that begins with `/`, but found neither";
        return Err(bad(why).with_optional_hint(suggest_scheme(text)));
    };
    let shown = brief(scheme);
    if rest.starts_with(b"//") {
        return Err(bad(&format!("expected a host after `{shown}://`, but found none")));
    }
    if needs_host(scheme) {
        let found = match rest.get(..rest.len().min(2)) {
            None | Some([]) => "nothing".to_owned(),
            Some(found) => quoted(found),
        };
        return Err(bad(&format!("expected `//` after `{shown}:`, but found {found}")));
    }
    let why = scheme_error(scheme, rest);
    Err(bad(&why).with_optional_hint(suggest(text, scheme, rest, dialect)))
}

/// Suggestions for a text with an unlikely scheme.
fn suggest(text: &[u8], scheme: &[u8], rest: &[u8], dialect: &Dialect) -> Option<String> {
    let shown = quoted(text);
    if rest.first().is_some_and(u8::is_ascii_whitespace) {
        return Some(format!(
            "{shown} looks like a line of a robots.txt; `--robots` reads a robots.txt, `--urls-from` a list of \
             URLs"
        ));
    }
    let path = &rest[end_of(rest, b"/?#")..];
    let has_port = path.len() < rest.len();
    let known = nearest(&String::from_utf8_lossy(scheme), ["https", "http"]);
    let meant = match (known.first(), has_port) {
        (Some(known), false) => vec![[known.as_bytes(), b":/", rest].concat()],
        (_, false) => vec![[b"https://", scheme, rest].concat(), path.to_vec()],
        (_, true) => [with_web_schemes(text), vec![path.to_vec()]].concat(),
    };
    did_you_mean(text, meant.iter().filter(|text| check_form(text, dialect).is_ok()))
}

/// The error in the host or port of a URL of the web. The engine ignores both, but no client could
/// send such a request.
fn host_error(text: &[u8], dialect: &Dialect) -> Option<String> {
    let (scheme, rest) = split_scheme(text)?;
    if dialect.url_split != UrlSplit::Generic || !needs_host(scheme) {
        return None;
    }
    let rest = rest.strip_prefix(b"//")?;
    let until_path = &text[..text.len() - rest.len() + end_of(rest, b"/?#")];
    match str::from_utf8(until_path).map(Origin::of) {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("expected a host in UTF-8, but found other bytes".to_owned()),
    }
}

/// Suggestions for a text without a scheme.
fn suggest_scheme(text: &[u8]) -> Option<String> {
    let (host, path) = text.split_at(end_of(text, b"/?#"));
    if host.is_empty() || !host.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let mut urls = with_web_schemes(text);
    if urls.is_empty() {
        urls.push([b"/", text].concat());
    } else if let [b'/' | b'?', ..] = path {
        urls.push(path.to_vec());
    }
    did_you_mean(text, urls.iter())
}

fn did_you_mean<'u>(text: &[u8], urls: impl Iterator<Item = &'u Vec<u8>>) -> Option<String> {
    Some(format!(
        "{}: did you mean {}?",
        quoted(text),
        one_of(&urls.map(quoted).collect::<Vec<_>>())?
    ))
}

/// URLs for a text that begins with a host; none for any other text. A server on another port often
/// uses http.
fn with_web_schemes(text: &[u8]) -> Vec<Vec<u8>> {
    let host = &text[..end_of(text, b"/?#")];
    let is_host = host.contains(&b'.') || host.contains(&b':') || host == b"localhost";
    let schemes: &[&[u8]] = match is_host && host.iter().all(u8::is_ascii_graphic) {
        false => &[],
        true if has_port(text) => &[b"https://", b"http://"],
        true => &[b"https://"],
    };
    schemes.iter().map(|scheme| [scheme, text].concat()).collect()
}

/// The origin of a URL.
pub(crate) fn origin_of(url: &[u8]) -> Result<Origin, Error> {
    match Origin::of(text_of(url)?) {
        Ok(Some(origin)) => Ok(origin),
        Ok(None) => Err(bad_url(url, &"URLs of this scheme have no robots.txt")),
        Err(error) => Err(bad_url(url, &error)),
    }
}

/// The text of a URL with a site; a path has none.
pub(crate) fn text_of(url: &[u8]) -> Result<&str, Error> {
    if url.starts_with(b"/") || url.starts_with(b"?") {
        let path = quoted(url);
        let error = Error::new(format!("expected a URL, but found the path {path}"));
        return Err(error.with_hint("a site is needed, as in `https://shop.example/x`"));
    }
    str::from_utf8(url).map_err(|_| bad_url(url, &"expected UTF-8, but found other bytes"))
}

/// An error about a URL, with suggestions.
pub(crate) fn bad_url(url: &[u8], reason: &dyn Display) -> Error {
    Error::new(format!("bad URL {}: {reason}", quoted(url))).with_optional_hint(hint_for(url))
}

/// Suggestions of URLs with a site for a text that is not a URL.
pub(crate) fn hint_for(text: &[u8]) -> Option<String> {
    check(text, &Dialect::RFC9309).err()?;
    let is_site = |url: &&Vec<u8>| str::from_utf8(url).is_ok_and(|url| Origin::of(url).is_ok());
    let bare = text.trim_ascii();
    let own = (bare.len() < text.len() && check(bare, &Dialect::RFC9309).is_ok()).then_some(bare);
    let meant = match own {
        Some(url) => vec![url.to_vec()],
        None => suggest_sites(bare),
    };
    did_you_mean(bare, meant.iter().filter(is_site))
}

fn suggest_sites(text: &[u8]) -> Vec<Vec<u8>> {
    let Some((scheme, rest @ [b'/', ..])) = split_scheme(text) else {
        return with_web_schemes(text);
    };
    let start = match nearest(&String::from_utf8_lossy(scheme), ["https", "http"]).first() {
        Some(known) => [known.as_bytes(), b":/"].concat(),
        None => [b"https://", scheme].concat(),
    };
    vec![[&start, rest].concat()]
}

/// Splits a text at the colon after a scheme (RFC 3986 section 3.1).
fn split_scheme(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let colon = text.iter().position(|byte| !is_scheme(byte))?;
    let begins = text.first().is_some_and(u8::is_ascii_alphabetic);
    (begins && text[colon] == b':').then(|| (&text[..colon], &text[colon + 1..]))
}

/// Whether URLs of a scheme have a host and a robots.txt.
fn needs_host(scheme: &[u8]) -> bool {
    ["http", "https", "ftp", "ws", "wss"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()))
}

/// The error of a text with a colon but without `//`: the part before the colon may not be a
/// scheme.
fn scheme_error(scheme: &[u8], rest: &[u8]) -> String {
    let expected = "expected `https://` or another scheme, but found a host";
    match rest.first() {
        // Also a port with letters by mistake. `geo:48.2,16.3` has no port.
        Some(b'0'..=b'9') if rest[..end_of(rest, b"/?#")].iter().all(u8::is_ascii_alphanumeric) => {
            format!("{expected} and a port")
        }
        _ if scheme.contains(&b'.') => expected.to_owned(),
        Some(b'/') => format!("expected `//` after `{}:`, but found `/`", brief(scheme)),
        Some(first) if first.is_ascii_whitespace() => {
            format!("expected a URL, but found white space after `{}:`", brief(scheme))
        }
        _ => format!("expected `//` after `{}:`, but found something else", brief(scheme)),
    }
}

/// Whether a text begins with a host and a port.
pub(crate) fn has_port(text: &[u8]) -> bool {
    let host = &text[..end_of(text, b"/?#")];
    let port = host.rsplit(|&byte| byte == b':').next().filter(|port| port.len() < host.len());
    port.is_some_and(|port| !port.is_empty() && port.iter().all(u8::is_ascii_digit))
}

fn end_of(text: &[u8], ends: &[u8]) -> usize {
    text.iter().position(|byte| ends.contains(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn accepts(dialect: Dialect, text: impl AsRef<[u8]>) {
        assert_eq!(check(text.as_ref(), &dialect), Ok(()));
    }

    #[track_caller]
    fn refuses(text: impl AsRef<[u8]>, why: &str, hint: Option<&str>) {
        let error = check(text.as_ref(), &Dialect::RFC9309).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.hint(), hint);
    }

    /// As `refuses`, with suggestions.
    #[track_caller]
    fn means(text: &str, why: &str, meant: &str) {
        refuses(text, why, Some(&format!("`{text}`: did you mean {meant}?")));
    }

    #[test]
    fn only_names_with_a_scheme_of_the_web_are_fetched() {
        for (name, expected) in [
            ("https://h/x", true),
            ("HTTP://h", true),
            ("ftp://h", true),
            ("git://h", false),
            ("https:/h", false),
            ("h.example", false),
            ("robots.txt", false),
        ] {
            assert_eq!(is_url(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn paths_and_absolute_urls_are_accepted() {
        for text in [
            "/",
            "//h/x",
            "?q",
            "https://shop.example",
            "HTTP://Shop.Example:80/a b#c",
            "https://user:secret@shop.example/",
            "https://exämple.com/ä",
            "http://[::1]:8080/",
            "ftp://h/x",
            "wss://h/",
            "gopher://h/x",
            "mailto:a@shop.example",
            "data:text/plain,x",
            "tel:112",
            "TEL:1",
            "mailto:1@shop.example",
            "javascript: f()",
            "urn:x",
            "x.y://80/",
            "file:///etc/x",
        ] {
            accepts(Dialect::RFC9309, text);
        }
        accepts(Dialect::RFC9309, b"https://h/\xff");
        accepts(Dialect::BOOK, b"/\xff");
    }

    #[test]
    fn a_text_without_a_scheme_is_refused_with_suggestions() {
        let neither = "but found neither";
        means("shop.example/x?y", neither, "`https://shop.example/x?y` or `/x?y`");
        means("shop.example", neither, "`https://shop.example`");
        means("cart", neither, "`/cart`");
        means("cart/x", neither, "`/cart/x`");
        means("1http://h/x", neither, "`https://1http://h/x` or `//h/x`");
        refuses("#x", neither, None);
        refuses(b"\x1b[2J", neither, None);
        refuses("shop.example\nx: y", neither, None);
        refuses("", "but found an empty text", None);
    }

    #[test]
    fn white_space_around_a_url_is_named_as_the_cause() {
        let around = "expected no white space around it, but found some";
        means(" /x", around, "`/x`");
        refuses(
            "shop.example ",
            around,
            Some("`shop.example`: did you mean `https://shop.example`?"),
        );
        refuses("\tcart ", around, Some("`cart`: did you mean `/cart`?"));
        refuses(" https:/x", around, None);
        refuses(" ", "but found neither", None);
        // Part of a path.
        accepts(Dialect::RFC9309, "/x ");
    }

    #[test]
    fn a_host_and_a_port_are_not_a_scheme() {
        let port = "but found a host and a port";
        means("host:80/x", port, "`https://host:80/x`, `http://host:80/x` or `/x`");
        means(
            "shop.example:8080",
            port,
            "`https://shop.example:8080` or `http://shop.example:8080`",
        );
        means("localhost:80", port, "`https://localhost:80` or `http://localhost:80`");
        means("intranet:8080", port, "`https://intranet:8080` or `http://intranet:8080`");
        means("host:80x/x", port, "`/x`");
        refuses("host:80x", port, None);
        means("shop:8080/x#y", port, "`https://shop:8080/x#y`, `http://shop:8080/x#y` or `/x#y`");
    }

    #[test]
    fn a_host_and_a_colon_are_not_a_scheme() {
        let host = "but found a host";
        let meant = "`shop.example:/x`: did you mean `https://shop.example/x` or `/x`?";
        refuses("shop.example:/x", host, Some(meant));
        means("shop.example:", host, "`https://shop.example`");
        refuses("shop.example:x", host, None);
    }

    #[test]
    fn one_slash_after_a_scheme_is_too_few() {
        refuses(
            "htpps:/shop.example/x",
            "expected `//` after `htpps:`, but found `/`",
            Some("`htpps:/shop.example/x`: did you mean `https://shop.example/x`?"),
        );
        refuses(
            "intranet:/x",
            "expected `//` after `intranet:`, but found `/`",
            Some("`intranet:/x`: did you mean `https://intranet/x` or `/x`?"),
        );
        refuses(
            "Disallow:/x",
            "expected `//` after `Disallow:`",
            Some("`Disallow:/x`: did you mean `https://Disallow/x` or `/x`?"),
        );
    }

    #[test]
    fn a_line_of_a_robots_txt_is_not_a_url() {
        for text in ["User-agent: *", "Disallow: /x", "sitemap:\thttps://shop.example/s.xml"] {
            let error = check(text.as_bytes(), &Dialect::RFC9309).unwrap_err();
            assert!(error.to_string().contains("but found white space after"), "{error}");
            assert!(error.hint().unwrap().contains("looks like a line of a robots.txt"), "{error}");
        }
    }

    #[test]
    fn a_url_of_the_web_needs_a_host() {
        refuses("http:x", "expected `//` after `http:`, but found `x`", None);
        refuses("HTTPS:", "expected `//` after `HTTPS:`, but found nothing", None);
        refuses("http:/x", "expected `//` after `http:`, but found `/x`", None);
        refuses("http:80/x", "expected `//` after `http:`, but found `80`", None);
        refuses("http:///x", "expected a host after `http://`, but found none", None);
        refuses("https://?x", "expected a host after `https://`, but found none", None);
        refuses("https://@/", "expected a host after `https://`, but found none", None);
        refuses("geo:48.2,16.3", "expected `//` after `geo:`, but found something else", None);
        refuses("https://h:99999/", "expected a port up to 65535", None);
        refuses("https://[::1/", "expected a host, but found a text", None);
        refuses(b"https://\xff/", "expected a host in UTF-8", None);
    }

    #[test]
    fn google_accepts_any_string() {
        for text in ["", "x", "http:x", "https://"] {
            accepts(Dialect::GOOGLE, text);
        }
    }

    #[test]
    fn only_urls_with_a_site_are_suggested_for_a_site() {
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

    #[test]
    fn a_port_is_the_digits_after_the_last_colon_of_a_host() {
        for text in ["127.0.0.1:8101", "h:80/x", "[::1]:80?q", "h:1#x"] {
            assert!(has_port(text.as_bytes()), "{text}");
        }
        for text in ["80", "h", "h:", "h:x", "h/x:80", "[::1]", "h:80x", ""] {
            assert!(!has_port(text.as_bytes()), "{text}");
        }
    }
}
