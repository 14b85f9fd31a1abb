//! The audit `robots-txt` of Lighthouse: the same problems on the same lines.
//!
//! # Flow
//!
//! Lighthouse reads each line alone, and reports its first problem only. It knows a short list of
//! keys, and reports any other one. This is a separate reading, which is neither RFC 9309 nor a
//! dialect; the thorough suite compares it with Lighthouse itself.
//!
//! # Scope
//!
//! The text only. The audit also fails for a response with status 500 or above.
//!
//! # References
//!
//! `core/audits/seo/robots-txt.js` of Lighthouse 13.5.0.

use verger::Span;

const NO_COLON: &str = "expected a key and a colon";
const UNKNOWN_KEY: &str = "Lighthouse does not know the key";
const SITEMAP_NOT_URL: &str = "expected an absolute URL of a sitemap";
const SITEMAP_SCHEME: &str = "expected a sitemap with scheme http, https or ftp";
const NO_USER_AGENT: &str = "expected the name of a user agent before rules";
const PATTERN_START: &str = "expected a pattern that is empty or begins with `/` or `*`";
const DOLLAR_INSIDE: &str = "expected `$` only at the end of a pattern";

/// The problems of a text: the position of the line, from 0, and a message.
///
/// # Complexity
///
/// One pass over the text.
pub(crate) fn audit(text: &str) -> Vec<(usize, &'static str)> {
    let (mut found, mut has_agent) = (Vec::new(), false);
    for (at, span) in lines(text.as_bytes()).enumerate() {
        let read = read(&text[span.range()]);
        has_agent |= matches!(read, Ok(Some(Key::UserAgent)));
        match read {
            Err(problem) => found.push((at, problem)),
            Ok(Some(Key::Rule)) if !has_agent => found.push((at, NO_USER_AGENT)),
            Ok(_) => {}
        }
    }
    found
}

/// A key that concerns other lines.
enum Key {
    UserAgent,
    Rule,
}

/// The lines of a text: they end with CR, LF or CRLF. A text that ends with one has an empty last
/// line.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = Span> {
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let stop = bytes[from..].iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        let end = stop.map_or(bytes.len(), |at| from + at);
        let is_pair = bytes[end..].starts_with(b"\r\n");
        start = stop.map(|_| end + if is_pair { 2 } else { 1 });
        Some(Span { start: from, end })
    })
}

/// Reads a line; `None` if it concerns no other line.
fn read(line: &str) -> Result<Option<Key>, &'static str> {
    let line = trim(line.split('#').next().unwrap_or_default());
    if line.is_empty() {
        return Ok(None);
    }
    let (key, value) = line.split_once(':').ok_or(NO_COLON)?;
    let value = trim(value);
    match &*trim(key).to_lowercase() {
        "user-agent" if value.is_empty() => Err(NO_USER_AGENT),
        "user-agent" => Ok(Some(Key::UserAgent)),
        "allow" | "disallow" => rule(value).map_or(Ok(Some(Key::Rule)), Err),
        "sitemap" => sitemap(value).map_or(Ok(None), Err),
        "crawl-delay" | "clean-param" | "host" | "request-rate" | "visit-time" | "noindex"
        | "content-signal" => Ok(None),
        _ => Err(UNKNOWN_KEY),
    }
}

fn rule(pattern: &str) -> Option<&'static str> {
    if !pattern.is_empty() && !pattern.starts_with(['/', '*']) {
        return Some(PATTERN_START);
    }
    let dollar = pattern.find('$')?;
    (dollar + 1 < pattern.len()).then_some(DOLLAR_INSIDE)
}

fn sitemap(value: &str) -> Option<&'static str> {
    match url::Url::parse(value) {
        Err(_) => Some(SITEMAP_NOT_URL),
        Ok(url) if matches!(url.scheme(), "http" | "https" | "ftp") => None,
        Ok(_) => Some(SITEMAP_SCHEME),
    }
}

/// A text without the white space of JavaScript at its ends: that of Unicode except U+0085, and
/// U+FEFF.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c == '\u{feff}' || c.is_whitespace() && c != '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str)]) {
        let found: Vec<_> = audit(text).into_iter().map(|(at, it)| (at + 1, it)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn lines_end_as_in_javascript() {
        check("a\rb\r\nc\n\nd", &[1, 2, 3, 5].map(|line| (line, NO_COLON)));
        check("", &[]);
        check("a\u{2028}b:", &[(1, UNKNOWN_KEY)]);
    }

    #[test]
    fn a_line_has_one_problem_at_most() {
        check("Disallow: cart$x", &[(1, PATTERN_START)]);
        check("Disallow: /a$x", &[(1, DOLLAR_INSIDE)]);
        check("Disallow: /a$\nAllow:", &[(1, NO_USER_AGENT), (2, NO_USER_AGENT)]);
        check("User-agent:\nDisallow: /", &[(1, NO_USER_AGENT), (2, NO_USER_AGENT)]);
    }

    #[test]
    fn sitemaps_are_urls_as_browsers_read_them() {
        check("Sitemap: /s.xml", &[(1, SITEMAP_NOT_URL)]);
        check("sitemap:", &[(1, SITEMAP_NOT_URL)]);
        check("Sitemap: data:x", &[(1, SITEMAP_SCHEME)]);
        check("Sitemap: HTTP:example.com", &[]);
        check("\u{feff}Sitemap\u{a0}: ftp://example.com/ # x", &[]);
    }
}
