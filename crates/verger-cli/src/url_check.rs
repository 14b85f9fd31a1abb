//! Validation of URLs, with suggestions for mistakes.
//!
//! The engine decides whether a text is a URL or a path (REP-AMB-62). A URL of the web must also
//! have a host and port to which a request can be sent. The text is never changed.

use std::fmt::Display;
use std::path::Path;

use verger::dialect::UrlSplit;
use verger::{Dialect, Origin, quoted, without_credentials};
use verger_lint::similar_names;

use crate::error::Error;
use crate::sentence::joined;

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
    if dialect.reads_url(text) {
        let error = |why| Error::new(format!("bad URL {}: {why}", quoted(text)));
        return host_error(text, dialect).map_or(Ok(()), |why| Err(error(why)));
    }
    let why = "expected a URL with scheme and host, or a path that begins with `/`";
    let hint = suggestion(text, &suggestions(text));
    let mut error = Error::new(format!("bad URL {}: {why}", quoted(text))).with_optional_hint(hint);
    error.is_not_a_url = true;
    Err(error)
}

/// Rejects a text that is neither a URL nor a path, for a question that needs a site.
pub(crate) fn check_for_site(text: &[u8]) -> Result<(), Error> {
    check(text, &Dialect::RFC9309).map_err(|error| {
        if !error.is_not_a_url {
            return error;
        }
        let text = &*without_credentials(text);
        let mut error = bad_url(text, &"expected a URL with scheme and host");
        error.is_not_a_url = true;
        error
    })
}

/// The schemes whose URLs have a host.
const WITH_HOST: [&str; 5] = ["ftp", "http", "https", "ws", "wss"];

/// The error in the host or port of a URL of the web. The engine ignores both, but no client could
/// send such a request.
fn host_error(text: &[u8], dialect: &Dialect) -> Option<String> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let colon = text.iter().position(|byte| !is_scheme(byte))?;
    let rest = text[colon..].strip_prefix(b"://")?;
    let is_web = WITH_HOST.iter().any(|it| text[..colon].eq_ignore_ascii_case(it.as_bytes()));
    if !is_web || dialect.url_split != UrlSplit::Generic {
        return None;
    }
    let until_path = &text[..text.len() - rest.len() + end_of(rest, b"/?#")];
    match str::from_utf8(until_path).map(Origin::of) {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("expected a host in UTF-8, but found other bytes".to_owned()),
    }
}

/// URLs and paths that were probably meant by a text that is neither.
fn suggestions(text: &[u8]) -> Vec<Vec<u8>> {
    let bare = text.trim_ascii();
    let (host, path) = bare.split_at(end_of(bare, b"/?#"));
    let meant = match host.strip_suffix(b":") {
        _ if bare.len() < text.len() && Dialect::RFC9309.reads_url(bare) => vec![bare.to_vec()],
        _ if host.is_empty() || !host.iter().all(u8::is_ascii_graphic) => Vec::new(),
        // `htpps:/shop.example`, and a host without its port.
        Some(scheme) => {
            match similar_names(&String::from_utf8_lossy(scheme), ["https", "http"]).first() {
                Some(known) => vec![[known.as_bytes(), b":/", path].concat()],
                None => vec![[b"https://", scheme, path].concat(), path.to_vec()],
            }
        }
        None if host.contains(&b'.') || host.contains(&b':') || host == b"localhost" => {
            // A server on another port often uses http.
            let web =
                [&b"https://"[..], b"http://"].into_iter().take(1 + usize::from(has_port(bare)));
            let urls = web.map(|scheme| [scheme, bare].concat());
            urls.chain([path.to_vec()]).collect()
        }
        None => vec![[b"/", bare].concat()],
    };
    let is_valid = |url: &Vec<u8>| {
        Dialect::RFC9309.reads_url(url) && host_error(url, &Dialect::RFC9309).is_none()
    };
    meant.into_iter().filter(is_valid).collect()
}

fn suggestion(text: &[u8], urls: &[Vec<u8>]) -> Option<String> {
    let urls: Vec<String> = urls.iter().map(quoted).collect();
    Some(format!("{}: did you mean {}?", quoted(text), joined(&urls, "or")?))
}

/// Suggestions of URLs with a site for a text that is not a URL.
pub(crate) fn hint_for(text: &[u8]) -> Option<String> {
    check(text, &Dialect::RFC9309).err()?;
    let mut urls = suggestions(&without_credentials(text));
    urls.retain(|url| str::from_utf8(url).is_ok_and(|url| matches!(Origin::of(url), Ok(Some(_)))));
    suggestion(text, &urls)
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
    fn a_text_that_is_not_a_url_is_refused_with_suggestions() {
        let neither = "or a path that begins with `/`";
        for (text, meant) in [
            ("shop.example/x?y", "`https://shop.example/x?y` or `/x?y`"),
            ("shop.example", "`https://shop.example`"),
            ("cart", "`/cart`"),
            ("cart/x", "`/cart/x`"),
            ("host:80/x", "`https://host:80/x`, `http://host:80/x` or `/x`"),
            ("localhost:80", "`https://localhost:80` or `http://localhost:80`"),
            ("intranet:8080", "`https://intranet:8080` or `http://intranet:8080`"),
            ("host:80x/x", "`/x`"),
            ("shop.example:/x", "`https://shop.example/x` or `/x`"),
            ("shop.example:", "`https://shop.example`"),
            ("htpps:/shop.example/x", "`https://shop.example/x`"),
            ("intranet:/x", "`https://intranet/x` or `/x`"),
        ] {
            means(text, neither, meant);
        }
        for (text, meant) in
            [(" /x", "`/x`"), ("shop.example ", "`https://shop.example`"), ("cart ", "`/cart`")]
        {
            means(text, neither, meant);
        }
        for text in ["", " ", "#x", "shop.example\nx: y", "host:80x", "shop.example:x", "http:x"] {
            refuses(text, neither, None);
        }
        for text in ["User-agent: *", "HTTPS:", "http:///x", "https://?x", "geo:48.2,16.3"] {
            refuses(text, neither, None);
        }
        refuses(b"\x1b[2J", neither, None);
        // Part of a path.
        accepts(Dialect::RFC9309, "/x ");
    }

    #[test]
    fn a_path_is_neither_expected_nor_suggested_for_a_site() {
        for (text, meant) in
            [("shop.example/x", Some("`https://shop.example/x`")), ("cart", None), ("#x", None)]
        {
            let error = check_for_site(text.as_bytes()).unwrap_err();
            let expected = format!("bad URL `{text}`: expected a URL with scheme and host");
            assert_eq!(error.to_string(), expected);
            let hint = meant.map(|meant| format!("`{text}`: did you mean {meant}?"));
            assert_eq!(error.hint(), hint.as_deref());
        }
    }

    #[test]
    fn a_url_of_the_web_needs_a_host_and_a_port_of_the_network() {
        refuses("https://h:99999/", "expected a port up to 65535", None);
        refuses("https://[::1/", "the host is neither", None);
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
        let expected = "` https://shop.example `: did you mean `https://shop.example`?";
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
