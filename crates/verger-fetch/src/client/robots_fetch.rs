//! One fetch of robots.txt, from the request to an attempt for the record.

use std::time::Duration;

use url::Url;
use verger::access::{self, Kind, Timestamp};
use verger::{Origin, Reason};

use super::{CheckError, Inner, telemetry};
use crate::failure::{Blames, Failure, FtpStep, Incomplete, NetworkError};
use crate::fetch::{self, FetchReport, Headers, MayFollow, Preconditions, Request};
use crate::limits::LimitReached;
use crate::net::{BoxFuture, Slot};
use crate::record::{Attempt, Body, File, Lifetime, Redirect, Response, Validators};

impl Inner {
    /// Fetches robots.txt; conditionally if the record has a file.
    ///
    /// # Errors
    ///
    /// [`CheckError::Busy`]: nothing was fetched.
    pub(super) async fn fetch(
        &self,
        origin: &Origin,
        known: Option<&File>,
        slot: &Slot,
        spent: Duration,
    ) -> Result<Attempt, CheckError> {
        let Ok(url) = Url::parse(&origin.robots_url()) else {
            // The origin is not a URL, for example because of a host with an unusual scheme.
            let fault = access::Outcome::LocalFault;
            let response = Response::new(self.clock.now(), fault, origin.robots_url());
            let response = Response { failure: Some(Failure::NoUrl), ..response };
            return Ok(Attempt::new(response));
        };
        let profile = self.read_options.profile();
        let preconditions = known.and_then(preconditions);
        let request = Request {
            preconditions: preconditions.as_ref(),
            redirects: profile.redirects.into(),
            follows_downgrades: profile.follow_downgrades,
            may_follow: profile.disallowed_hop.map(|_| self as _),
            slot: Some(slot),
            spent,
            ..Request::new(url)
        };
        let fetched = self.fetcher.fetch(&request).await;
        telemetry::fetched("robots", &fetched);
        let now = self.clock.now();
        self.note_answers(&fetched, now);
        let is_proof = fetched.hops.first().is_some_and(|hop| hop.is_proof);
        let mut attempt =
            attempt(fetched, self.read_options.body_limit(), now).map_err(CheckError::Busy)?;
        // Other clients of the store may not use the proxy.
        attempt.proves_network =
            attempt.response.status.is_none() || is_proof && !self.fetcher.is_proxied;
        attempt.renews = known.map(|file| *file.body.sha256());
        if attempt.response.is_unclear {
            attempt.other_answer = self.other_answer(origin.host(), now).await;
        }
        let own_limit = self.fetcher.limits.redirects < usize::from(profile.redirects);
        if attempt.response.outcome == access::Outcome::RedirectLimit && own_limit {
            attempt.is_local = true;
        }
        Ok(attempt)
    }

    /// Records the hosts whose answers show that the network of this client works.
    pub(super) fn note_answers(&self, fetched: &FetchReport, now: Timestamp) {
        for hop in fetched.hops.iter().filter(|hop| hop.is_proof) {
            self.host_answers.note(hop.url.host_str().unwrap_or_default(), now);
        }
    }

    /// Time of the last answer of another host to this client or one that shares its store.
    async fn other_answer(&self, host: &str, now: Timestamp) -> Option<Timestamp> {
        let here = self.host_answers.other_than(host, now);
        if self.fetcher.is_proxied {
            // The answers of other clients do not show that the proxy works.
            return here;
        }
        let shared = self.origins.last_answer(host).await.ok().flatten();
        here.max(shared.filter(|&shared| shared <= now))
    }
}

/// REP-ACCESS-22 by known records only: a hop causes no fetch.
impl MayFollow for Inner {
    fn may_follow<'a>(&'a self, next: &'a Url) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            // REP-AMB-47: robots.txt at its standard path is exempt.
            if next.path() == "/robots.txt" && next.query().is_none() {
                return true;
            }
            let Ok(Some(origin)) = Origin::of(next.as_str()) else { return true };
            let records = self.find(&origin).await.records;
            let Some(record) = records.answer() else { return true };
            let access = self.access(&record);
            let Some(robots) = self.origins.parsed(&record, &self.read_options, &self.dialect)
            else {
                return true;
            };
            if access.kind() != Kind::Rules {
                return true;
            }
            let verdict = robots.check(self.crawler.as_ref(), next.as_str());
            verdict.is_allowed() || verdict.reason() != Reason::Rule
        })
    }
}

/// The validators of a file, for its URL.
fn preconditions(file: &File) -> Option<Preconditions> {
    let url = Url::parse(&file.final_url).ok()?;
    let Validators { etag, last_modified } = &file.validators;
    Preconditions::new(url, etag.as_deref(), last_modified.as_deref())
}

/// The attempt for the record, or the limit of this client that prevented a fetch.
fn attempt(
    fetched: FetchReport,
    body_limit: usize,
    now: Timestamp,
) -> Result<Attempt, LimitReached> {
    use access::Outcome;

    let is_ftp = fetched.final_url.scheme() == "ftp";
    let is_reached = fetched.hops.last().is_some_and(|hop| hop.reached);
    let was_reached = fetched.hops.iter().any(|hop| hop.reached);
    let earlier = fetched.hops.split_last().map_or(&[][..], |(_, earlier)| earlier);
    let blames = match &fetched.failure {
        &Some(Failure::Busy(limit)) => return Err(limit),
        Some(failure) if failure.is_fault() => Blames::Crawler,
        // REP-CACHE-28a: an earlier hop has just shown that the network works.
        Some(Failure::Network(_)) if earlier.iter().any(|hop| hop.is_proof) => Blames::Site,
        Some(Failure::Network(error)) => error.blames(is_reached),
        // REP-CACHE-28: perhaps the status of a proxy that did not reach the site.
        Some(Failure::Status(_)) if !was_reached => Blames::Unclear,
        // Perhaps of a portal: the proxy is asked about redirects, but not about another 3xx.
        Some(Failure::BrokenRedirect(_)) if !was_reached => Blames::Crawler,
        _ => Blames::Site,
    };
    let outcome = match &fetched.failure {
        _ if blames == Blames::Crawler => Outcome::LocalFault,
        None if fetched.is_not_modified() => Outcome::NotModified,
        // FTP has different reply codes.
        None if is_ftp => Outcome::Success,
        None => fetch::success(fetched.status.unwrap_or(200), fetched.body.is_empty()),
        &Some(Failure::Status(status)) => Outcome::Status(status),
        Some(Failure::RedirectLimit) => Outcome::RedirectLimit,
        Some(Failure::BrokenRedirect(_)) => Outcome::BrokenRedirect,
        Some(Failure::DisallowedHop) => Outcome::DisallowedHop,
        // REP-AMB-46: the profile defines the meaning of a part.
        Some(Failure::Network(NetworkError::Incomplete(Incomplete::Partial))) => {
            Outcome::Status(206)
        }
        Some(_) => Outcome::Network,
    };
    // REP-ACCESS-22: another crawler may follow it.
    let is_local = outcome == Outcome::DisallowedHop;
    let failure = match outcome {
        Outcome::AcceptedEmpty => Some(Failure::AcceptedEmpty),
        // The reply, not the status that it means.
        Outcome::Status(_) if is_ftp => {
            let (step, code) = (FtpStep::Retrieve, fetched.status);
            Some(Failure::Network(NetworkError::Ftp { step, code }))
        }
        _ => fetched.failure,
    };
    let has_answered = !matches!(outcome, Outcome::Network | Outcome::LocalFault);
    let headers = if has_answered { fetched.headers } else { Headers::default() };
    let report = access::Fetched::of(outcome, pairs(&headers), now);
    let count = fetched.hops.len().saturating_sub(1);
    let redirects: Vec<Redirect> = fetched.hops.into_iter().take(count).map(Redirect::of).collect();
    let response = Response {
        status: fetched.status,
        failure,
        is_unclear: blames == Blames::Unclear,
        lifetime: Lifetime::of(&report.freshness, now),
        retry_after: report.retry_after,
        redirects: redirects.clone(),
        downgraded: fetched.downgraded,
        ..Response::new(now, outcome, fetched.final_url.as_str())
    };
    let has_file =
        matches!(outcome, Outcome::Success | Outcome::AcceptedEmpty | Outcome::Status(200..=299));
    let etag = headers.etag.clone().filter(|_| outcome == Outcome::NotModified);
    let file = has_file.then(|| File {
        body: Body::new(fetched.body),
        outcome,
        fetched_at: now,
        lifetime: response.lifetime,
        redirects,
        final_url: fetched.final_url.into(),
        validators: Validators { etag: headers.etag, last_modified: headers.last_modified },
        media_type: headers.content_type,
        cut_at: (fetched.truncated || fetched.status == Some(206)).then_some(body_limit as u64),
        downgraded: fetched.downgraded,
        html: fetched.looks_like_html,
    });
    Ok(Attempt { file, etag, is_local, ..Attempt::new(response) })
}

impl Redirect {
    fn of(hop: fetch::Hop) -> Self {
        Self { url: hop.url.into(), status: hop.status.unwrap_or_default() }
    }
}

/// The header fields about time.
fn pairs(headers: &Headers) -> impl Iterator<Item = (&'static str, &[u8])> {
    [
        ("age", &headers.age),
        ("cache-control", &headers.cache_control),
        ("date", &headers.date),
        ("expires", &headers.expires),
        ("retry-after", &headers.retry_after),
    ]
    .into_iter()
    .flat_map(|(name, lines)| lines.iter().map(move |line| (name, line.as_slice())))
}
