//! From the text of a URL to a target (REP-MATCH-1, REP-MATCH-5, REP-ACCESS-8).

use verger::Dialect;
use verger::dialect::{Schemes, UrlSplit};

use super::form::{Side, normal};

/// The target in the dialect's normal form; `None` when the URL has no robots.txt.
pub(crate) fn target(url: &[u8], dialect: &Dialect) -> Option<Vec<u8>> {
    let path = match dialect.url_split {
        UrlSplit::Google => by_google(url),
        _ => generic(url, dialect.schemes)?,
    };
    let rooted = if path.starts_with(b"/") { path } else { [b"/", &path[..]].concat() };
    Some(normal(&rooted, Side::Target, dialect))
}

fn generic(url: &[u8], schemes: Schemes) -> Option<Vec<u8>> {
    let url = before(url, b"#");
    let Some((scheme, rest)) = scheme(url) else {
        return Some(url.to_vec());
    };
    let is_http = scheme == "http" || scheme == "https";
    let (has_host, path) = match rest.strip_prefix(b"//") {
        Some(rest) => {
            let authority = before(rest, b"/?");
            (!authority.is_empty(), &rest[authority.len()..])
        }
        None => (false, rest),
    };
    let has_robots = match schemes {
        Schemes::Http => is_http,
        // Of schemes that are known to have hosts, a URL without one is broken and not exempt.
        _ => is_http || scheme == "ftp" || has_host,
    };
    has_robots.then(|| path.to_vec())
}

/// The scheme in lower case, and what stands behind its colon.
fn scheme(url: &[u8]) -> Option<(String, &[u8])> {
    let scheme = before(url, b":");
    let is_octet = |octet: &u8| octet.is_ascii_alphanumeric() || b"+-.".contains(octet);
    let is_scheme = scheme.len() < url.len()
        && scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(is_octet);
    let name = String::from_utf8_lossy(scheme).to_ascii_lowercase();
    is_scheme.then(|| (name, &url[scheme.len() + 1..]))
}

/// The port of a scheme in lower case when a URL names none (REP-ACCESS-3, REP-ACCESS-4).
pub(crate) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

/// REP-MATCH-5, sentence by sentence.
fn by_google(url: &[u8]) -> Vec<u8> {
    let text = url.strip_prefix(b"//").unwrap_or(url);
    let mut start = before(text, b"/?;").len();
    let scheme = text.windows(3).position(|three| three == b"://");
    if let Some(scheme) = scheme.filter(|&scheme| scheme < start) {
        let from = scheme + 3;
        start = from + before(&text[from..], b"/?;").len();
    }
    let hash = before(text, b"#").len();
    if start == text.len() || hash < start {
        return b"/".to_vec();
    }
    // What is handed on is a C string.
    before(&text[start..hash], b"\0").to_vec()
}

/// The text before the first of some octets.
fn before<'t>(text: &'t [u8], stops: &[u8]) -> &'t [u8] {
    text.split(|octet| stops.contains(octet)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, url: &str, expected: Option<&str>) {
        let found = target(url.as_bytes(), &dialect);
        let shown = found.as_deref().map(String::from_utf8_lossy);
        assert_eq!(shown.as_deref(), expected, "{url}");
    }

    #[test]
    fn urls_are_cut_by_the_dialect() {
        check(Dialect::RFC9309, "https://h?a#b", Some("/?a"));
        check(Dialect::RFC9309, "mailto:x", None);
        check(Dialect::RFC9309, "http:x", Some("/x"));
        check(Dialect::RFC9309, "x:80/y", None);
        check(Dialect::BOOK, "ftp://h/", None);
        check(Dialect::GOOGLE, "https://h;p", Some("/;p"));
        check(Dialect::GOOGLE, "mailto:x", Some("/"));
        check(Dialect::GOOGLE, "//a/b", Some("/b"));
        check(Dialect::GOOGLE, "a#b/c", Some("/"));
    }
}
