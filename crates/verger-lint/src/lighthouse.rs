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

/// A problem that the audit reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// The line has no colon.
    NoColon,
    /// The key is not in Lighthouse's list.
    UnknownKey,
    /// The value of `Sitemap` is no absolute URL.
    SitemapNotUrl,
    /// The URL of `Sitemap` has a scheme other than http, https and ftp.
    SitemapScheme,
    /// A `User-agent` without value, or a rule before the first `User-agent` line.
    NoUserAgent,
    /// A pattern that begins with neither `/` nor `*`.
    PatternStart,
    /// A `$` before the end of a pattern.
    DollarInside,
}

impl Problem {
    /// All problems.
    pub const ALL: [Self; 7] = [
        Self::NoColon,
        Self::UnknownKey,
        Self::SitemapNotUrl,
        Self::SitemapScheme,
        Self::NoUserAgent,
        Self::PatternStart,
        Self::DollarInside,
    ];

    /// A short name that stays the same: `no-colon`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoColon => "no-colon",
            Self::UnknownKey => "unknown-key",
            Self::SitemapNotUrl => "sitemap-not-url",
            Self::SitemapScheme => "sitemap-scheme",
            Self::NoUserAgent => "no-user-agent",
            Self::PatternStart => "pattern-start",
            Self::DollarInside => "dollar-inside",
        }
    }

    /// The problem in words.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::NoColon => "expected a key and a colon",
            Self::UnknownKey => "Lighthouse does not know the key",
            Self::SitemapNotUrl => "expected an absolute URL of a sitemap",
            Self::SitemapScheme => "expected a sitemap with scheme http, https or ftp",
            Self::NoUserAgent => "expected the name of a user agent before rules",
            Self::PatternStart => "expected a pattern that is empty or begins with `/` or `*`",
            Self::DollarInside => "expected `$` only at the end of a pattern",
        }
    }
}

/// The problems of a text, each with its place: the line without its end.
///
/// # Complexity
///
/// One pass over the text.
///
/// # Examples
///
/// ```
/// use verger_lint::lighthouse::{Problem, audit};
///
/// let found = audit("Disallow: /\nUser-agent: *\nContent-Usage: search=y\n");
/// let found: Vec<_> = found.into_iter().map(|found| (found.line, found.problem)).collect();
/// assert_eq!(found, [(1, Problem::NoUserAgent), (3, Problem::UnknownKey)]);
/// ```
pub fn audit(text: &str) -> Vec<Found> {
    let (mut found, mut has_agent) = (Vec::new(), false);
    for (line, span) in (1..).zip(lines(text.as_bytes())) {
        let problem = match read(&text[span.range()]) {
            Err(problem) => Some(problem),
            Ok(Some(Key::UserAgent)) => {
                has_agent = true;
                None
            }
            Ok(Some(Key::Rule)) if !has_agent => Some(Problem::NoUserAgent),
            Ok(_) => None,
        };
        found.extend(problem.map(|problem| Found { line, span, problem }));
    }
    found
}

/// A problem and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The number of the line, from 1.
    pub line: usize,
    /// The line without its end.
    pub span: Span,
    /// The problem.
    pub problem: Problem,
}

/// A key that concerns other lines.
enum Key {
    UserAgent,
    Rule,
    Other,
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

/// Reads a line; `None` without a record.
fn read(line: &str) -> Result<Option<Key>, Problem> {
    let line = trim(line.split('#').next().unwrap_or_default());
    if line.is_empty() {
        return Ok(None);
    }
    let (key, value) = line.split_once(':').ok_or(Problem::NoColon)?;
    let value = trim(value);
    match &*trim(key).to_lowercase() {
        "user-agent" if value.is_empty() => Err(Problem::NoUserAgent),
        "user-agent" => Ok(Some(Key::UserAgent)),
        "allow" | "disallow" => rule(value).map_or(Ok(Some(Key::Rule)), Err),
        "sitemap" => sitemap(value).map_or(Ok(Some(Key::Other)), Err),
        "crawl-delay" | "clean-param" | "host" | "request-rate" | "visit-time" | "noindex"
        | "content-signal" => Ok(Some(Key::Other)),
        _ => Err(Problem::UnknownKey),
    }
}

fn rule(pattern: &str) -> Option<Problem> {
    if !pattern.is_empty() && !pattern.starts_with(['/', '*']) {
        return Some(Problem::PatternStart);
    }
    let dollar = pattern.find('$')?;
    (dollar + 1 < pattern.len()).then_some(Problem::DollarInside)
}

fn sitemap(value: &str) -> Option<Problem> {
    match url::Url::parse(value) {
        Err(_) => Some(Problem::SitemapNotUrl),
        Ok(url) if matches!(url.scheme(), "http" | "https" | "ftp") => None,
        Ok(_) => Some(Problem::SitemapScheme),
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
    fn check(text: &str, expected: &[(usize, Problem)]) {
        let found: Vec<_> = audit(text).iter().map(|it| (it.line, it.problem)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn lines_end_as_in_javascript() {
        check("a\rb\r\nc\n\nd", &[1, 2, 3, 5].map(|line| (line, Problem::NoColon)));
        check("", &[]);
        check("a\u{2028}b:", &[(1, Problem::UnknownKey)]);
    }

    #[test]
    fn a_line_has_one_problem_at_most() {
        check("Disallow: cart$x", &[(1, Problem::PatternStart)]);
        check("Disallow: /a$x", &[(1, Problem::DollarInside)]);
        check("Disallow: /a$\nAllow:", &[(1, Problem::NoUserAgent), (2, Problem::NoUserAgent)]);
        check("User-agent:\nDisallow: /", &[(1, Problem::NoUserAgent), (2, Problem::NoUserAgent)]);
    }

    #[test]
    fn sitemaps_are_urls_as_browsers_read_them() {
        check("Sitemap: /s.xml", &[(1, Problem::SitemapNotUrl)]);
        check("sitemap:", &[(1, Problem::SitemapNotUrl)]);
        check("Sitemap: data:x", &[(1, Problem::SitemapScheme)]);
        check("Sitemap: HTTP:example.com", &[]);
        check("\u{feff}Sitemap\u{a0}: ftp://example.com/ # x", &[]);
    }
}
