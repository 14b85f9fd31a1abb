//! Observed responses of a site, for rules of category `live`.
//!
//! A client fetches robots.txt, perhaps as several crawlers, and perhaps some pages. No network
//! code is here.

use std::time::Duration;

use verger::Span;

/// Observed responses of a site.
///
/// # Examples
///
/// ```
/// use verger_lint::{Observation, Settings, lint_responses};
///
/// let mut observation = Observation::new("https://shop.example/robots.txt", 503);
/// observation.content_type = Some("text/plain".to_owned());
/// let report = lint_responses(&observation, &Settings::default());
/// assert_eq!(report.findings[0].rule.code, "unavailable");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observation {
    /// The URL of the robots.txt.
    pub url: String,
    /// The status code of the last response; `None` if there was none: no connection, no valid
    /// response, or too many redirects.
    pub status: Option<u16>,
    /// The reason why the last request brought no file, for people.
    pub failure: Option<String>,
    /// The targets of the redirects to it, in order. They may be relative, as in the header.
    pub redirects: Vec<String>,
    /// The value of `Content-Type`.
    pub content_type: Option<String>,
    /// The time for which a cache may use the response, from `Cache-Control: max-age` or `Expires`;
    /// `None` without either.
    pub fresh_for: Option<Duration>,
    /// The body of the last response.
    pub body: Vec<u8>,
    /// The answers to the same request with the User-Agent headers of crawlers.
    pub answers: Vec<CrawlerResponse>,
    /// Responses to requests for pages, as a crawler.
    pub pages: Vec<PageResponse>,
}

/// The robots.txt that a site sends to one crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a response is a status and a body")]
pub struct CrawlerResponse {
    /// The product token of the crawler.
    pub crawler: String,
    /// The status code; `None` if there was no response.
    pub status: Option<u16>,
    /// The body.
    pub body: Vec<u8>,
}

/// The response to a request for a page that the robots.txt for this crawler allows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "these are the facts of the request")]
pub struct PageResponse {
    /// The product token of the crawler.
    pub crawler: String,
    /// The URL.
    pub url: String,
    /// The status code for the crawler; `None` if there was no response.
    pub status: Option<u16>,
    /// The status code for a browser, if a second request was made.
    pub status_for_browser: Option<u16>,
}

impl Observation {
    /// An observation of a status and nothing else.
    pub fn new(url: impl Into<String>, status: impl Into<Option<u16>>) -> Self {
        Self {
            url: url.into(),
            status: status.into(),
            failure: None,
            redirects: Vec::new(),
            content_type: None,
            fresh_for: None,
            body: Vec::new(),
            answers: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// Whether crawlers got a file.
    pub(crate) fn is_success(&self) -> bool {
        self.failure.is_none() && self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// Whether there are more redirects than crawlers need to follow, also one that was not
    /// followed.
    pub(crate) fn has_many_redirects(&self) -> bool {
        let is_redirect = self.status.is_some_and(|status| (300..400).contains(&status));
        self.redirects.len() + usize::from(is_redirect) > FOLLOWED
    }
}

/// The place of findings about a response: none.
pub(crate) const RESPONSE: Span = Span { start: 0, end: 0 };

/// The redirects that crawlers need to follow: RFC 9309 section 2.3.1.2.
pub(crate) const FOLLOWED: usize = 5;
