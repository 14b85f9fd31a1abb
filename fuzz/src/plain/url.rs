//! From the text of a URL to a target (REP-MATCH-1, REP-MATCH-5, REP-ACCESS-8).

use verger::dialect::{Schemes, UrlSplit};
use verger::{Dialect, Reason};

use super::form::{Side, normal};

/// The target in the dialect's normal form, or the reason why there is none.
pub(crate) fn target(url: &[u8], dialect: &Dialect) -> Result<Vec<u8>, Reason> {
    let path = match dialect.url_split {
        UrlSplit::Google => by_google(url),
        _ => generic(url, dialect.schemes)?,
    };
    let rooted = if path.starts_with(b"/") { path } else { [b"/", &path[..]].concat() };
    Ok(normal(&rooted, Side::Target, dialect))
}

fn generic(url: &[u8], schemes: Schemes) -> Result<Vec<u8>, Reason> {
    let url = before(url, b"#");
    if url.starts_with(b"/") || url.starts_with(b"?") {
        return Ok(url.to_vec());
    }
    let (scheme, rest) = scheme(url).ok_or(Reason::NotAUrl)?;
    let after = rest.strip_prefix(b"//").unwrap_or_default();
    let authority = before(after, b"/?");
    let host = authority.rsplit(|&octet| octet == b'@').next().unwrap_or_default();
    if host.is_empty() || host[0] == b':' {
        let is_hostless = HOSTLESS.contains(&scheme.as_str());
        return Err(if is_hostless { Reason::NoRobotsForScheme } else { Reason::NotAUrl });
    }
    if schemes == Schemes::Http && scheme != "http" && scheme != "https" {
        return Err(Reason::NoRobotsForScheme);
    }
    Ok(after[authority.len()..].to_vec())
}

/// REP-AMB-62.
const HOSTLESS: [&str; 9] =
    ["about", "blob", "cid", "data", "file", "javascript", "mailto", "tel", "urn"];

/// The scheme in lower case, and the text after its colon.
fn scheme(url: &[u8]) -> Option<(String, &[u8])> {
    let scheme = before(url, b":");
    let is_octet = |octet: &u8| octet.is_ascii_alphanumeric() || b"+-.".contains(octet);
    let is_scheme = scheme.len() < url.len()
        && scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(is_octet);
    let name = String::from_utf8_lossy(scheme).to_ascii_lowercase();
    is_scheme.then(|| (name, &url[scheme.len() + 1..]))
}

/// The default port of a scheme in lower case (REP-ACCESS-3, REP-ACCESS-4).
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
    // The path is passed on as a C string.
    before(&text[start..hash], b"\0").to_vec()
}

/// The text before the first of these octets.
fn before<'t>(text: &'t [u8], stops: &[u8]) -> &'t [u8] {
    text.split(|octet| stops.contains(octet)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, url: &str, expected: Option<&str>) {
        let found = target(url.as_bytes(), &dialect).ok();
        let shown = found.as_deref().map(String::from_utf8_lossy);
        assert_eq!(shown.as_deref(), expected, "{url}");
    }

    #[test]
    fn targets_of_urls_depend_on_the_dialect() {
        check(Dialect::RFC9309, "https://h?a#b", Some("/?a"));
        check(Dialect::RFC9309, "mailto:x", None);
        check(Dialect::RFC9309, "http:x", None);
        check(Dialect::RFC9309, "x:80/y", None);
        check(Dialect::BOOK, "ftp://h/", None);
        check(Dialect::GOOGLE, "https://h;p", Some("/;p"));
        check(Dialect::GOOGLE, "mailto:x", Some("/"));
        check(Dialect::GOOGLE, "//a/b", Some("/b"));
        check(Dialect::GOOGLE, "a#b/c", Some("/"));
    }
}
