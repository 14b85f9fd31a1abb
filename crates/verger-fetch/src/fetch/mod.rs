//! Fetches of robots.txt through all redirects, and single requests for pages, within limits and
//! with an exact outcome.
//!
//! # Flow
//!
//! For every hop, the guard checks the URL, the name is resolved, the guard checks the addresses,
//! one of them is dialled, the request is sent, and the head is read. A redirect leads to the next
//! hop. The body of a 2xx is read and decoded. Every other response is an outcome.
//!
//! # Scope
//!
//! [`verger::access`] defines the meaning and lifetime of an outcome. No cookies, no credentials,
//! no Referer; no proxy unless one is set; no meta refresh (REP-ACCESS-21). A robots.txt is fetched
//! by HTTP/1.1 unless HTTP/2 is enabled: it has fewer ways to flood a client, and one small file
//! gains nothing from streams. For pages HTTP/2 is offered, as in browsers.

pub(crate) mod builder;
mod coding;
#[cfg(feature = "ftp")]
mod ftp;
mod http;
mod http_client;
mod identity;
mod raw;
mod recorded;
mod redirect;
mod report;
mod request;
#[cfg(all(test, feature = "brotli", feature = "dns", feature = "zstd"))]
mod tests;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use hyper::header::{HeaderValue, LOCATION, VIA};
use tokio::time::Instant;
use url::Url;
use verger::Origin;

pub(crate) use self::builder::FetcherBuilder;
pub use self::http_client::{HttpClient, HttpRequest, HttpResponse, Sign};
pub(crate) use self::identity::Preconditions;
pub use self::identity::{Identity, IdentityError};
pub use self::recorded::RecordedResponse;
pub(crate) use self::recorded::success;
pub use self::redirect::sent_url;
pub(crate) use self::redirect::sent_url_and_origin;
use self::redirect::strip;
pub(crate) use self::redirect::{is_downgrade, target};
pub use self::report::Hop;
#[cfg(feature = "html")]
pub(crate) use self::report::media_type;
pub(crate) use self::report::{FetchReport, Headers};
use self::request::Kind;
pub(crate) use self::request::{MayFollow, Request};
use crate::failure::{Broken, Failure, Incomplete, NetworkError, Phase, ProtocolError};
use crate::guard::{Guard, Scheme};
#[cfg(feature = "ftp")]
use crate::guard::{Refusal, RefusalReason};
use crate::limits::{ERROR_PAGE_BYTES, Limits};
use crate::lock;
use crate::net::{Budget, Connected, Lend as _, Route};

/// Fetches robots.txt files and pages.
///
/// Cheap to clone; clones share the limit of connections to an address. A fetch is one task:
/// dropping its future cancels it and closes its connections.
#[derive(Clone, Debug)]
pub(crate) struct Fetcher {
    pub(crate) identity: Identity,
    pub(crate) guard: Guard,
    pub(crate) limits: Limits,
    http: Arc<dyn HttpClient>,
    signer: Option<Arc<dyn Sign>>,
    is_built_in: bool,
    pub(crate) is_proxied: bool,
    /// `None` with a proxy or a custom HTTP client: neither supports FTP, and nothing may bypass
    /// the proxy.
    net: Option<crate::net::Net>,
}

/// The decoded body of a response.
#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    truncated: bool,
    wire_bytes: usize,
}

/// Cuts a body after `limit` bytes and returns whether it was longer. A following line end remains:
/// it shows that the last line is whole.
fn cut(body: &mut Vec<u8>, limit: usize) -> bool {
    let is_cut = body.len() > limit;
    let has_line_end = body.get(limit).is_some_and(|next| matches!(next, b'\n' | b'\r'));
    body.truncate(limit + usize::from(has_line_end));
    is_cut
}

impl Fetcher {
    /// Fetches a URL and returns a report. Takes at most [`TOTAL`](crate::limits::TOTAL), plus the
    /// same again while it waits for a connection to an address.
    ///
    /// If this process did not run for a while, a timeout or a closed connection says nothing about
    /// the site (REP-CACHE-28a). A robots.txt is then fetched once more.
    ///
    /// # Complexity
    ///
    /// At most one request more than [`REDIRECTS`](crate::limits::REDIRECTS). Memory: the body
    /// before and after decoding, a head, and the window of the coding.
    pub(crate) async fn fetch(&self, request: &Request<'_>) -> FetchReport {
        let start = Instant::now();
        let (mut fetched, mut is_late) = self.fetch_once(request).await;
        if is_late && request.kind == Kind::Robots {
            (fetched, is_late) = self.fetch_once(request).await;
        }
        if is_late {
            fetched.failure = Some(NetworkError::Suspended.into());
        }
        fetched.time = start.elapsed();
        fetched
    }

    /// Fetches once. Returns whether a failure may be due to a suspension of this process.
    async fn fetch_once(&self, request: &Request<'_>) -> (FetchReport, bool) {
        let mut fetched = FetchReport {
            failure: Some(NetworkError::Timeout(Phase::Total).into()),
            status: None,
            hops: Vec::new(),
            final_url: request.url.clone(),
            location: None,
            headers: Headers::default(),
            body: Vec::new(),
            wire_bytes: 0,
            truncated: false,
            has_trailing_bytes: false,
            error_page: Vec::new(),
            downgraded: false,
            looks_like_html: false,
            time: Duration::ZERO,
        };
        let time = self.limits.total.saturating_sub(request.spent);
        let context =
            FetchContext { budget: Budget::new(time, request.slot), progress: Mutex::default() };
        // On the heap, because the future is large.
        let result = Box::pin(self.follow(request, &mut fetched, &context));
        match context.budget.limit(result).await {
            Some(result) => fetched.failure = result.err(),
            // The time ended during a request; its peer may be known.
            None => fetched.reached(context.take_progress()),
        }
        let may_be_late = fetched.failure.as_ref().is_some_and(Failure::may_be_late);
        let is_late = context.budget.has_stopped() && may_be_late;
        (fetched, is_late)
    }

    /// Whether a response of an origin to another HTTP stack came from a public address, as far as
    /// known.
    pub(crate) fn is_public(&self, origin: &Origin) -> bool {
        let url = Url::parse(&origin.robots_url());
        self.guard.is_public(None) && url.is_ok_and(|url| self.guard.check_url(&url).is_ok())
    }

    /// Follows redirects, hop by hop.
    async fn follow(
        &self,
        request: &Request<'_>,
        fetched: &mut FetchReport,
        context: &FetchContext<'_>,
    ) -> Result<(), Failure> {
        let mut url = request.url.clone();
        let redirects = request.redirects.min(self.limits.redirects);
        loop {
            fetched.final_url = url.clone();
            fetched.status = None;
            fetched.headers = Headers::default();
            fetched.hops.push(Hop::new(&url));
            // The only check of URLs, for every hop. Addresses are checked at the connection.
            self.guard.check_url(&url)?;
            let next = match Scheme::of(&url) {
                #[cfg(feature = "ftp")]
                Some(Scheme::Ftp) => return self.ftp(request, fetched, &context.budget).await,
                _ => self.hop(&url, request, fetched, context).await?,
            };
            let Some(next) = next else { return Ok(()) };
            let is_downgrade = is_downgrade(&url, &next);
            fetched.downgraded |= is_downgrade;
            // REP-ACCESS-23: a URL is requested again, because a server with state may answer
            // differently the second time.
            if fetched.hops.len() > redirects {
                return Err(Failure::RedirectLimit);
            }
            // REP-ACCESS-28.
            if is_downgrade && !request.follows_downgrades {
                return Err(Failure::BrokenRedirect(Broken::Downgrade));
            }
            // REP-ACCESS-22: the caller knows the disallowed URLs, and whether they matter.
            if let Some(may_follow) = request.may_follow
                && !may_follow.may_follow(&next).await
            {
                return Err(Failure::DisallowedHop);
            }
            url = next;
        }
    }

    /// One file by FTP.
    #[cfg(feature = "ftp")]
    async fn ftp(
        &self,
        request: &Request<'_>,
        fetched: &mut FetchReport,
        budget: &Budget<'_>,
    ) -> Result<(), Failure> {
        match &self.net {
            Some(net) if request.kind == Kind::Robots => {
                let done = ftp::fetch(net, &self.identity, fetched, budget).await;
                fetched.prove(&self.guard);
                done
            }
            _ => Err(Refusal::new("ftp", RefusalReason::Scheme).into()),
        }
    }

    /// One request by HTTP. Returns the target of a redirect that a robots.txt follows.
    async fn hop(
        &self,
        url: &Url,
        request: &Request<'_>,
        fetched: &mut FetchReport,
        context: &FetchContext<'_>,
    ) -> Result<Option<Url>, Failure> {
        let preconditions = request.preconditions.filter(|preconditions| preconditions.url == *url);
        let body_limit = request.kind.limits(&self.limits).body;
        let (kind, identity) = (request.kind, &self.identity);
        let signer = self.signer.as_deref();
        let get = HttpRequest::new(url, kind, identity, preconditions, body_limit, context, signer);
        let sending = self.http.get(&get);
        let answer = match context.budget.slot {
            // The built-in client does this itself, and knows when data arrives.
            Some(slot) if !self.is_built_in => {
                slot.lend_during(self.limits.silence(), sending).await
            }
            _ => sending.await,
        };
        fetched.reached(context.take_progress());
        let answer = answer?;
        if answer.status < 200 {
            return Err(NetworkError::Protocol(ProtocolError::InterimStatus).into());
        }
        fetched.status(answer.status, answer.is_of_site);
        // A proxy may make any page itself, but marks those that it forwards.
        if !self.is_proxied || url.scheme() != "http" || answer.headers.contains_key(VIA) {
            fetched.prove(&self.guard);
        }
        fetched.headers = Headers::of(&answer.headers);
        if let Some(hop) = fetched.hops.last_mut().filter(|_| request.kind != Kind::Robots) {
            hop.fields = report::fields(&answer.headers);
        }
        match answer.status {
            // REP-ACCESS-24: a 304 is valid only for a conditional request.
            304 if preconditions.is_some() => return Ok(None),
            300..=399 => {
                let locations = answer.headers.get_all(LOCATION).iter().map(HeaderValue::as_bytes);
                let next =
                    target(answer.status, url, locations).map_err(Failure::BrokenRedirect)?;
                if request.kind != Kind::Robots {
                    fetched.location = Some(next);
                    return Err(Failure::Status(answer.status));
                }
                return Ok(Some(next));
            }
            200..=299 => {}
            status => {
                if request.kind == Kind::Page {
                    fetched.error_page = answer.body.unwrap_or_default();
                    fetched.error_page.truncate(ERROR_PAGE_BYTES);
                }
                return Err(Failure::Status(status));
            }
        }
        let mut bytes = answer.body?;
        let truncated = cut(&mut bytes, body_limit);
        fetched.body(Body { bytes, truncated, wire_bytes: answer.wire_bytes });
        fetched.has_trailing_bytes = answer.has_trailing_bytes;
        // REP-AMB-46: no part was requested.
        if answer.status == 206 {
            return Err(NetworkError::Incomplete(Incomplete::Partial).into());
        }
        Ok(None)
    }
}

/// The state that all hops of a fetch share.
#[derive(Debug)]
struct FetchContext<'a> {
    budget: Budget<'a>,
    progress: Mutex<Progress>,
}

/// Progress of the request of a hop.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    peer: Option<SocketAddr>,
    /// Whether the site itself was reached, not only a proxy.
    is_reached: bool,
}

impl FetchContext<'_> {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }

    fn take_progress(&self) -> Progress {
        std::mem::take(&mut *self.progress())
    }
}

impl From<&Connected> for Progress {
    fn from(connected: &Connected) -> Self {
        let &Connected { peer, route, .. } = connected;
        Self { peer: (route == Route::Direct).then_some(peer), is_reached: route != Route::Relay }
    }
}

impl FetchReport {
    fn reached(&mut self, progress: Progress) {
        if let Some(hop) = self.hops.last_mut() {
            hop.peer = progress.peer.or(hop.peer);
            hop.reached |= progress.is_reached;
        }
    }

    fn status(&mut self, status: u16, is_of_site: bool) {
        self.status = Some(status);
        if let Some(hop) = self.hops.last_mut() {
            hop.status = Some(status);
            hop.reached |= is_of_site;
        }
    }

    /// Records whether the response of the last hop shows that the crawler's network works.
    fn prove(&mut self, guard: &Guard) {
        if let Some(hop) = self.hops.last_mut() {
            let peer = hop.peer.map(|peer| peer.ip());
            hop.is_proof = hop.status.is_some() && hop.reached && guard.is_public(peer);
        }
    }

    fn body(&mut self, body: Body) {
        self.looks_like_html =
            report::looks_like_html(self.headers.content_type.as_deref(), &body.bytes);
        self.wire_bytes = body.wire_bytes;
        self.truncated = body.truncated;
        self.body = body.bytes;
    }
}
