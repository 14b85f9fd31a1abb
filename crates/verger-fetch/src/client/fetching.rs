//! From a fetch to the next record.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, Ordering};

use url::Url;
use verger::access::{self, Kind, Meaning, State};
use verger::{Origin, Reason};

use super::telemetry::{self, What};
use super::{CheckError, Inner};
use crate::fetch::{self, Headers, MayFollow, Request, Validators};
use crate::net::{BoxFuture, Incomplete, NetworkError, Slot};
use crate::record::{self, Answer, Body, Hop, Record};

/// Of whom a record speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Of the site.
    Site,
    /// Of our guard, which let nothing be asked: another client may have another one.
    Ours,
}

impl Inner {
    /// One fetch, and what is known behind it. The record is that of the origin that was asked first,
    /// wherever redirects led (REP-CACHE-3).
    ///
    /// # Errors
    ///
    /// [`CheckError::Busy`]: there was no fetch, and nothing is known that was not.
    pub(super) async fn fetch(
        &self,
        origin: &Origin,
        before: Option<&Record>,
        slot: &Slot,
    ) -> Result<(Record, Whose), CheckError> {
        let mut state = before.map_or(State::UNKNOWN, Record::state);
        let Ok(url) = Url::parse(&origin.robots_url()) else {
            // An origin that is no URL, as one with a host of a strange scheme.
            let answer = Answer {
                final_url: origin.robots_url(),
                failure: Some("the URL of robots.txt cannot be asked for".to_owned()),
                ..Answer::default()
            };
            let refused = access::Outcome::Refused.into();
            return Ok((self.record_of(origin, before, state, refused, answer), Whose::Ours));
        };
        let validators = before.filter(|_| state.has_copy()).and_then(validators);
        let known = KnownRules { inner: self, has_judged: AtomicBool::new(false) };
        let mut request = Request::new(url)
            .with_slot(slot)
            .with_redirects(self.profile.redirects.into())
            .with_downgrades(self.profile.follow_downgrades);
        if self.profile.disallowed_hop.is_some() {
            request = request.with_may_follow(&known);
        }
        if let Some(validators) = &validators {
            request = request.with_validators(validators);
        }
        let fetched = self.fetcher.fetch(&request).await;
        telemetry::fetched(What::Robots, &fetched);
        let now = self.clock.now();
        let outcome = outcome(&fetched).ok_or(CheckError::Busy)?;
        let has_answered = !matches!(outcome, access::Outcome::Network | access::Outcome::Refused);
        let report = if has_answered {
            access::Fetched::of(outcome, pairs(&fetched.headers), now)
        } else {
            outcome.into()
        };
        if !state.has_copy() && outcome == access::Outcome::NotModified {
            state = State::UNKNOWN;
        }
        let whose = if outcome == access::Outcome::Refused { Whose::Ours } else { Whose::Site };
        let mut record = self.record_of(origin, before, state, report, answer(fetched));
        if known.has_judged.into_inner() {
            record = record.judged_by(&self.judged_for_crawler);
        }
        Ok((record, whose))
    }

    fn record_of(
        &self,
        origin: &Origin,
        before: Option<&Record>,
        state: State,
        report: access::Fetched,
        answer: Answer,
    ) -> Record {
        let now = self.clock.now();
        let next = state.after(&self.profile, report, now, self.jitter(origin, &state));
        let is_new = report.outcome != access::Outcome::NotModified
            && self.profile.meaning(report.outcome) == Meaning::Rules;
        let answer = match before {
            // The copy counts on: renewed, or kept through an outage.
            Some(before) if !is_new && next.has_copy() => {
                let is_renewed = report.outcome == access::Outcome::NotModified;
                let kept = before.answer().clone();
                let failure = if is_renewed { None } else { answer.failure };
                Answer { status: answer.status, failure, ..kept }
            }
            _ if is_new => answer,
            _ => Answer { body: Body::default(), truncated: false, html: false, ..answer },
        };
        let answer = Answer { access_profile: self.judged_by.clone(), ..answer };
        Record::new(origin.clone(), next, now.seconds(), answer)
    }

    /// Another number for every origin and every failure.
    fn jitter(&self, origin: &Origin, state: &State) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, origin, state.failures()).hash(&mut hasher);
        hasher.finish()
    }
}

/// REP-ACCESS-22, as far as records are kept that say so: nothing is fetched to know it.
struct KnownRules<'a> {
    inner: &'a Inner,
    /// Whether rules were asked: another crawler may be led elsewhere.
    has_judged: AtomicBool,
}

impl MayFollow for KnownRules<'_> {
    fn may_follow<'a>(&'a self, next: &'a Url) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let Self { inner, has_judged } = self;
            // REP-AMB-47: robots.txt itself is exempt in its place.
            if next.path() == "/robots.txt" && next.query().is_none() {
                return true;
            }
            let Ok(Some(origin)) = Origin::of(next.as_str()) else { return true };
            let Some(record) = inner.known(&origin).await else { return true };
            let access = inner.access(&record);
            let Some(robots) = inner.parsed.of(&record) else { return true };
            if access.kind() != Kind::Rules {
                return true;
            }
            has_judged.store(true, Ordering::Relaxed);
            let verdict = robots.check(inner.crawler.as_ref(), next.as_str());
            verdict.is_allowed() || verdict.reason() != Reason::Rule
        })
    }
}

/// What asks on a condition: of the URL that gave the copy.
fn validators(record: &Record) -> Option<Validators> {
    let answer = record.answer();
    let record::Validators { etag, last_modified } = &answer.validators;
    let url = Url::parse(&answer.final_url).ok()?;
    Validators::new(url, etag.as_deref(), last_modified.as_deref())
}

/// What happened, as the engine tells it; `None`: nothing, the fetch had no place at an address.
fn outcome(fetched: &fetch::Fetched) -> Option<access::Outcome> {
    let is_ftp = fetched.final_url.scheme() == "ftp";
    Some(match &fetched.outcome {
        // FTP's replies have numbers of their own.
        fetch::Outcome::Success if is_ftp => access::Outcome::Success,
        fetch::Outcome::Success => {
            fetched.status.map_or(access::Outcome::Success, |status| match status {
                200 => access::Outcome::Success,
                status => access::Outcome::Status(status),
            })
        }
        &fetch::Outcome::Status(status) => access::Outcome::Status(status),
        fetch::Outcome::NotModified => access::Outcome::NotModified,
        fetch::Outcome::RedirectLimit => access::Outcome::RedirectLimit,
        fetch::Outcome::BrokenRedirect(_) => access::Outcome::BrokenRedirect,
        fetch::Outcome::DisallowedHop => access::Outcome::DisallowedHop,
        // REP-AMB-46: what a part means is for the profile to say.
        fetch::Outcome::Network(NetworkError::Incomplete(Incomplete::Partial)) => {
            access::Outcome::Status(206)
        }
        fetch::Outcome::Network(_) => access::Outcome::Network,
        fetch::Outcome::Refused(_) => access::Outcome::Refused,
        fetch::Outcome::Busy => return None,
    })
}

/// What is kept of it.
fn answer(fetched: fetch::Fetched) -> Answer {
    let failure = match &fetched.outcome {
        fetch::Outcome::Success | fetch::Outcome::NotModified => None,
        other => Some(other.to_string()),
    };
    let redirects = fetched.hops.len().saturating_sub(1);
    let hops = fetched.hops.into_iter().take(redirects);
    let headers = fetched.headers;
    Answer {
        status: fetched.status,
        hops: hops
            .map(|hop| Hop { url: hop.url.into(), status: hop.status.unwrap_or_default() })
            .collect(),
        final_url: fetched.final_url.into(),
        validators: record::Validators { etag: headers.etag, last_modified: headers.last_modified },
        media_type: headers.content_type,
        // `record_of` says who judges.
        access_profile: String::new(),
        failure,
        truncated: fetched.truncated,
        downgraded: fetched.downgraded,
        html: fetched.looks_like_html,
        body: Body::new(fetched.body),
    }
}

/// The headers that speak of time.
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
