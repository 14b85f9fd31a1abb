//! URL text to target (section 6 of the access text).

use super::bug::Bug;

/// The target of a URL text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Path and query as written, beginning with `/`.
    Path(Vec<u8>),
    /// The scheme has no host.
    NoRobots,
    /// The text is not intelligible as a URL.
    NotAUrl,
}

/// REP-AMB-62: schemes without a host, and so without a robots.txt.
const HOSTLESS: &str = "file mailto data javascript about blob tel urn cid";

/// Extracts the target from a URL text, without changing it.
pub(crate) fn target(url: &[u8], bug: Option<Bug>) -> Target {
    // REP-MATCH-1: the fragment is removed first.
    let url = until(url, b"#");
    // Already a target.
    if url.starts_with(b"/") || url.starts_with(b"?") {
        return finished(url, bug);
    }
    let Some((scheme, rest)) = scheme_and_rest(&url) else {
        return Target::NotAUrl;
    };
    if let Some(rest) = rest.strip_prefix(b"//") {
        // The authority ends before the first of these.
        let authority = until(rest, b"/?");
        if has_host(&authority) {
            return finished(rest[authority.len()..].to_vec(), bug);
        }
    }
    let scheme = String::from_utf8_lossy(scheme).to_ascii_lowercase();
    if HOSTLESS.split(' ').any(|known| known == scheme) {
        Target::NoRobots
    } else {
        Target::NotAUrl
    }
}

/// Whether an authority has a host, besides credentials and a port.
fn has_host(authority: &[u8]) -> bool {
    let text = String::from_utf8_lossy(authority);
    let host = text.rsplit('@').next().unwrap_or_default();
    !host.is_empty() && !host.starts_with(':')
}

/// REP-MATCH-1: a target begins with `/`; an empty one, or one that begins with `?`, is completed.
fn finished(text: Vec<u8>, bug: Option<Bug>) -> Target {
    let text = if bug == Some(Bug::QueryIgnored) { until(&text, b"?") } else { text };
    let mut path = Vec::new();
    if !text.starts_with(b"/") {
        path.push(b'/');
    }
    path.extend(text);
    Target::Path(path)
}

/// The text before the first of these bytes.
fn until(text: &[u8], stops: &[u8]) -> Vec<u8> {
    text.iter().copied().take_while(|byte| !stops.contains(byte)).collect()
}

/// Splits at the colon after a scheme: a letter, then letters, digits, `+`, `-`, `.`.
fn scheme_and_rest(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = url.iter().position(|&byte| byte == b':')?;
    let scheme = &url[..colon];
    let sound = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    sound.then(|| (scheme, &url[colon + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_targets(cases: &[(&str, &str)]) {
        for (url, expected) in cases {
            let expected = Target::Path(expected.as_bytes().to_vec());
            assert_eq!(target(url.as_bytes(), None), expected, "{url}");
        }
    }

    #[test]
    fn target_begins_after_the_authority() {
        assert_targets(&[
            ("https://h/a/b?c=d#e", "/a/b?c=d"),
            ("https://h", "/"),
            ("https://h?x=1", "/?x=1"),
            ("https://h#x/y?z", "/"),
            ("https://u:p@h:8443/x", "/x"),
            ("https://[::1]/x", "/x"),
            ("HTTPS://h//a//b", "//a//b"),
            ("foo+bar-1.0://h/x", "/x"),
            ("http://h?u=http://g/y", "/?u=http://g/y"),
        ]);
    }

    #[test]
    fn nothing_else_is_changed() {
        assert_targets(&[
            ("https://h/./dot/../path", "/./dot/../path"),
            ("https://h/a\\b", "/a\\b"),
            ("https://h/a b", "/a b"),
            ("https://h\\a/b", "/b"),
            ("https://h;x/b", "/b"),
        ]);
    }

    #[test]
    fn text_that_begins_like_a_target_is_a_target() {
        assert_targets(&[
            ("/path/only", "/path/only"),
            ("?q=1", "/?q=1"),
            ("//h/x", "//h/x"),
            ("/a:b", "/a:b"),
            ("/a#b", "/a"),
        ]);
    }

    #[test]
    fn text_without_a_scheme_or_a_host_is_not_a_url() {
        let texts = [
            "",
            "#x",
            "a/b",
            "a?b",
            "1http://h/x",
            " http://h/x",
            "://h/x",
            "a/b:c",
            "ht#tp://h/x",
            "http:///x",
            "http://",
            "ftp://?x",
            "http:////x",
            "http:x",
            "Http:/x",
            "https:?x",
            "http:",
            "h:80/x",
            "foo://",
            "foo://#x",
            "a:/b",
            "https://u@/",
            "https://u@:80/",
        ];
        for text in texts {
            assert_eq!(target(text.as_bytes(), None), Target::NotAUrl, "{text}");
        }
    }

    #[test]
    fn schemes_without_hosts_have_no_robots() {
        for url in ["mailto:a@b", "file:///x", "data:,x", "TEL:112", "urn:x", "cid:y"] {
            assert_eq!(target(url.as_bytes(), None), Target::NoRobots, "{url}");
        }
    }
}
