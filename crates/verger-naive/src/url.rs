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
