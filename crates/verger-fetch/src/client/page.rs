//! Polite fetches of pages.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use tracing::Instrument as _;
use url::Url;
use verger_page::{Combine, PageDirectives};

use super::{CheckError, RobotsClient, TurnError, telemetry};
use crate::decision::Decision;
use crate::failure::{Broken, Failure};
use crate::fetch::{self, FetchReport, Request, is_downgrade, sent_url_and_origin};

/// A fetched page with its decision, response and directives.
pub struct FetchedPage {
    decision: Decision,
    fetched: FetchReport,
    waited: Duration,
    statements: OnceLock<Statements>,
}

/// The directives of a page.
struct Statements {
    page: verger_page::Page,
    #[cfg(feature = "html")]
    html: Option<verger_page::Html>,
}

impl RobotsClient {
    /// Fetches a page politely: checks robots.txt, waits for the turn ([`turn`](Self::turn)),
    /// fetches, and follows redirects. Every hop is checked by its own robots.txt and waits for a
    /// turn at its origin.
    ///
    /// A failed fetch of an allowed page is no error; see [`FetchedPage::failure`].
    ///
    /// # Errors
    ///
    /// Those of [`turn`](Self::turn), also for the target of a redirect; [`TurnError::decision`]
    /// has its URL. Also:
    ///
    /// - [`TurnError::Scheme`] if the URL is neither http nor https. robots.txt is not fetched.
    ///
    /// # Complexity
    ///
    /// At most one request more than [`REDIRECTS`](crate::limits::REDIRECTS), plus those for
    /// robots.txt. Memory: [`PAGE`](crate::limits::PAGE) before and after decoding.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use verger::Crawler;
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    /// use verger_page::Combine;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleBot"), identity).build()?;
    /// let page = client.get("https://shop.example/").await?;
    /// if page.is_success() && !page.directives(&Combine::GOOGLE).noindex() {
    ///     println!("{} bytes", page.body().len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get(&self, url: &str) -> Result<FetchedPage, TurnError> {
        self.follow(url).instrument(telemetry::page_span(url)).await
    }

    /// Follows redirects, hop by hop.
    async fn follow(&self, url: &str) -> Result<FetchedPage, TurnError> {
        let redirects = self.0.fetcher.limits.redirects;
        let mut hops: Vec<fetch::Hop> = Vec::new();
        let (mut waited, mut is_downgraded) = (Duration::ZERO, false);
        let mut next = url.to_owned();
        // A redirect never leads to another scheme.
        let (sent, _) = sent_url_and_origin(url).map_err(CheckError::from)?;
        if !matches!(sent.scheme(), "http" | "https") {
            return Err(TurnError::Scheme);
        }
        loop {
            let permit = self.turn(&next).await?;
            let decision = permit.decision().clone();
            waited += permit.waited();
            let mut fetched = {
                let busy = |limit| TurnError::Busy { url: next.clone(), limit };
                let slot = self.0.slot().await.map_err(busy)?;
                let page = Request::page(decision.url().clone());
                let request = Request { slot: Some(&slot), ..page };
                self.0.fetcher.fetch(&request).await
            };
            telemetry::fetched("page", &fetched);
            self.0.note_answers(&fetched, self.0.clock.now());
            let stored = match (&fetched.failure, fetched.status) {
                // No connection to the address was free.
                (&Some(Failure::Busy(limit)), _) => {
                    return Err(TurnError::Busy { url: next, limit });
                }
                (Some(Failure::Network(error)), Some(_)) if error.is_silence() => {
                    permit.report_silence()
                }
                // An unusable response is a response too.
                (_, Some(status)) => {
                    let lines = fetched.headers.retry_after.iter().map(Vec::as_slice);
                    permit.report_lines(status, lines)
                }
                (Some(failure), None) if !failure.is_fault() => permit.report_silence(),
                // The fault is the crawler's or its proxy's: the server received no request
                // (REP-CACHE-28).
                (_, None) => {
                    drop(permit);
                    None
                }
            };
            if let Some(stored) = stored {
                // The runtime may end right after this answer, so the write is awaited. It
                // continues if the caller gives up.
                let _ = stored.await;
            }
            hops.append(&mut fetched.hops);
            let leaves_https = |next: &Url| is_downgrade(&fetched.final_url, next);
            is_downgraded |= fetched.location.as_ref().is_some_and(leaves_https);
            match &fetched.location {
                // REP-ACCESS-28, for pages as for robots.txt.
                Some(next)
                    if leaves_https(next) && !self.0.read_options.profile().follow_downgrades =>
                {
                    fetched.failure = Some(Failure::BrokenRedirect(Broken::Downgrade));
                }
                Some(location) if hops.len() <= redirects => {
                    location.as_str().clone_into(&mut next);
                    continue;
                }
                Some(_) => fetched.failure = Some(Failure::RedirectLimit),
                None => {}
            }
            (fetched.hops, fetched.downgraded) = (hops, is_downgraded);
            let statements = OnceLock::new();
            return Ok(FetchedPage { decision, fetched, waited, statements });
        }
    }
}

impl FetchedPage {
    /// Why the page was allowed; after redirects, the last page.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The final URL.
    pub const fn url(&self) -> &Url {
        &self.fetched.final_url
    }

    /// The failure of the fetch; `None` if there is a whole 2xx response.
    pub const fn failure(&self) -> Option<&Failure> {
        self.fetched.failure.as_ref()
    }

    /// Whether there is a whole 2xx response.
    pub const fn is_success(&self) -> bool {
        self.fetched.failure.is_none()
    }

    /// The last status; `None` without a response.
    pub const fn status(&self) -> Option<u16> {
        self.fetched.status
    }

    /// Every request in order, except those for robots.txt.
    pub fn hops(&self) -> &[fetch::Hop] {
        &self.fetched.hops
    }

    /// Whether a redirect led from https to http, where anyone on the network path can change the
    /// response.
    pub const fn is_downgraded(&self) -> bool {
        self.fetched.downgraded
    }

    /// The header fields of the last response: names in lower case, unchanged values.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let fields = self.hops().last().map(|hop| hop.fields.as_slice()).unwrap_or_default();
        fields.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// The value of the first header field with this name, which must be in lower case.
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        self.fields().find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// The decoded body; empty unless the response was a success.
    pub fn body(&self) -> &[u8] {
        &self.fetched.body
    }

    /// The first 16 KiB of the decoded body of a response with a status from 400, such as a
    /// challenge or an explanation; empty if they did not arrive within two seconds.
    pub fn error_page(&self) -> &[u8] {
        &self.fetched.error_page
    }

    /// Whether the body was longer than [`PAGE`](crate::limits::PAGE).
    pub const fn is_truncated(&self) -> bool {
        self.fetched.truncated
    }

    /// Whether bytes after the compressed data were ignored.
    pub const fn has_trailing_bytes(&self) -> bool {
        self.fetched.has_trailing_bytes
    }

    /// Total wait for turns.
    pub const fn waited(&self) -> Duration {
        self.waited
    }

    /// The directives of the page for the crawler that fetched it, combined by a vendor's rules.
    pub fn directives(&self, combine: &Combine) -> PageDirectives<'_> {
        self.statements().directives(self.decision.crawler(), combine)
    }

    /// All directives in header fields and, with feature `html`, in meta elements. The page is
    /// parsed at the first call.
    ///
    /// # Complexity
    ///
    /// The first call: linear in head and body.
    pub fn statements(&self) -> &verger_page::Page {
        &self.parsed().page
    }

    /// The result of the HTML reader; `None` if the body is not HTML. Parsed like
    /// [`statements`](Self::statements).
    #[cfg(feature = "html")]
    pub fn html(&self) -> Option<&verger_page::Html> {
        self.parsed().html.as_ref()
    }

    fn parsed(&self) -> &Statements {
        self.statements.get_or_init(|| {
            let mut page = verger_page::Page::new();
            for (name, value) in self.fields() {
                page.read_header(name, value);
            }
            #[cfg(feature = "html")]
            let html = self.is_html().then(|| {
                let mut reader = verger_page::HtmlReader::new(page.content_type());
                reader.feed(self.body());
                reader.finish()
            });
            #[cfg(feature = "html")]
            if let Some(html) = &html {
                page.read_html(html);
            }
            Statements {
                page,
                #[cfg(feature = "html")]
                html,
            }
        })
    }

    /// Whether browsers would read the body as HTML: by its media type, else by its content.
    #[cfg(feature = "html")]
    fn is_html(&self) -> bool {
        let Some(declared) = &self.fetched.headers.content_type else {
            return self.fetched.looks_like_html;
        };
        let kind = fetch::media_type(declared);
        [&b"text/html"[..], b"application/xhtml+xml"].iter().any(|it| kind.eq_ignore_ascii_case(it))
    }
}

impl fmt::Debug for FetchedPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchedPage")
            .field("url", &self.url().as_str())
            .field("failure", &self.fetched.failure)
            .field("bytes", &self.fetched.body.len())
            .finish_non_exhaustive()
    }
}
