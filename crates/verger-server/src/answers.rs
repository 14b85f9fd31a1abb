//! Answers to questions: from the prepared ones, otherwise from the robots client.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Serialize;
use tokio::time::timeout;
use verger::access::{Kind, Profile};
use verger::{Dialect, Origin, Reason};
use verger_fetch::client::{CheckError, RobotsClient};
use verger_fetch::decision::{Decision, Source};
use verger_fetch::record::Failure;
use verger_json::{Answer, AnswerError, CrawlerKeys, Foreign, Id, NamedCrawler, Values};

use crate::limits::{GOING_ON, PENDING_RETRY, PREPARED_AGE, PREPARED_AGE_IN_MEMORY};
use crate::prepared::{Cache, Prepared, Times, plain, sent};
use crate::question::Asker;
use crate::telemetry::{Numbers, Tier};

/// The part of the service that answers.
#[derive(Debug)]
pub(crate) struct Answers {
    /// One client for each published access profile, in the order of [`Profile::ALL`].
    clients: Vec<RobotsClient>,
    default_profile: usize,
    default_dialect: Dialect,
    pub(crate) prepared: Arc<Cache>,
    pub(crate) numbers: Numbers,
    /// Maximum age of a prepared answer.
    prepared_age: Duration,
    going_on: Arc<AtomicUsize>,
}

/// A question about one URL.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) id: Option<&'a Id>,
    pub(crate) crawler: &'a Asker<'a>,
    /// [`Asker::write_keys`] of the crawler.
    pub(crate) keys: &'a [u8],
    pub(crate) url: &'a str,
    pub(crate) dialect: Dialect,
    /// Number of the access profile.
    pub(crate) profile: usize,
    pub(crate) explain: bool,
}

/// The kind of an answer that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// A decision, with times and tag for caches if it has a valid record.
    Decided(Option<(Times, u64)>),
    /// The guard refuses the destination.
    Refused,
    /// The fetch takes longer than the wait; it goes on.
    Pending,
    /// A limit was reached.
    Busy,
    /// Not a URL.
    Invalid,
}

/// An answer without a decision: nothing may be fetched for now.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the key of the contract")]
struct Unanswered<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(flatten)]
    url: Foreign<&'a [u8]>,
    #[serde(flatten)]
    crawler: CrawlerKeys<'a>,
    dialect: &'static str,
    allowed: bool,
    reason: &'static str,
    unanswered: bool,
    retry_after: u64,
}

impl Answers {
    /// Answers by this client, whose access profile is the default. `is_memory`: no other process
    /// changes the store.
    pub(crate) fn new(
        client: &RobotsClient,
        dialect: Dialect,
        cache_bytes: usize,
        is_memory: bool,
    ) -> Self {
        let prepared_age = if is_memory { PREPARED_AGE_IN_MEMORY } else { PREPARED_AGE };
        let default = *client.read_options().profile();
        let profiles = Profile::ALL.iter().map(for_many_crawlers);
        let clients: Vec<_> = profiles.map(|profile| client.with_access(profile)).collect();
        let at = Profile::ALL.iter().position(|profile| profile.name() == default.name());
        Self {
            clients,
            default_profile: at.unwrap_or_default(),
            default_dialect: dialect,
            prepared: Arc::new(Cache::new(cache_bytes)),
            numbers: Numbers::new(),
            prepared_age,
            going_on: Arc::default(),
        }
    }

    /// The time now in seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        self.client().now().seconds()
    }

    /// The client of the default access profile.
    pub(crate) fn client(&self) -> &RobotsClient {
        &self.clients[self.default_profile]
    }

    pub(crate) fn dialect(&self, asked: Option<Dialect>) -> Dialect {
        asked.unwrap_or(self.default_dialect)
    }

    /// The number of an access profile.
    pub(crate) fn profile(&self, asked: Option<Profile>) -> usize {
        let is_asked =
            |asked: Profile| Profile::ALL.iter().position(|profile| profile.name() == asked.name());
        asked.and_then(is_asked).unwrap_or(self.default_profile)
    }

    /// Writes the answer if it is prepared.
    pub(crate) fn write_prepared(
        &self,
        ask: &Ask<'_>,
        now: u64,
        out: &mut Vec<u8>,
    ) -> Option<Written> {
        if ask.explain {
            return None;
        }
        let origin = plain(ask.url);
        let is_plain = origin.is_some();
        let (sent_url, origin) = if let Some(origin) = origin {
            (Cow::Borrowed(ask.url), Cow::Borrowed(origin))
        } else {
            let (sent, origin) = sent(ask.url)?;
            (Cow::Owned(sent), Cow::Owned(origin))
        };
        let (prepared, is_valid) =
            self.prepared.get(&origin, ask.keys, &ask.dialect, ask.profile, now)?;
        if !is_valid {
            return None;
        }
        let (_, reason) = prepared.write(out, ask.id, ask.url, &sent_url, is_plain, now)?;
        self.numbers.answered(reason, Tier::Prepared);
        Some(Written::Decided(Some((prepared.times, prepared.tag))))
    }

    /// Writes the answer to a question, after waiting at most this time for a fetch.
    pub(crate) async fn write(&self, ask: &Ask<'_>, wait: Duration, out: &mut Vec<u8>) -> Written {
        if let Some(written) = self.write_prepared(ask, self.now(), out) {
            return written;
        }
        let named = ask.crawler.named();
        let checked = self.check(&named, &ask.dialect, ask.profile, ask.url, wait).await;
        self.write_checked(ask, &named, checked, out)
    }

    /// Checks a URL, and waits at most this time. The check goes on afterwards, so that its fetch
    /// begins in any case.
    pub(crate) async fn check(
        &self,
        crawler: &NamedCrawler,
        dialect: &Dialect,
        profile: usize,
        url: &str,
        wait: Duration,
    ) -> Option<Result<Decision, CheckError>> {
        let (client, crawler) = (self.clients[profile].clone(), crawler.shared_crawler());
        let (dialect, url) = (*dialect, url.to_owned());
        let mut check = Box::pin(async move { client.check_as(&crawler, &dialect, &url).await });
        if let Ok(checked) = timeout(wait, &mut check).await {
            return Some(checked);
        }
        let (going_on, prepared) = (Arc::clone(&self.going_on), Arc::clone(&self.prepared));
        if going_on.fetch_add(1, Ordering::Relaxed) < GOING_ON {
            tokio::spawn(async move {
                if let Ok(decision) = check.await {
                    forget_fetched(&prepared, &decision);
                }
                going_on.fetch_sub(1, Ordering::Relaxed);
            });
        } else {
            going_on.fetch_sub(1, Ordering::Relaxed);
        }
        None
    }

    /// Writes the result of a check, and prepares the next answer.
    pub(crate) fn write_checked(
        &self,
        ask: &Ask<'_>,
        named: &NamedCrawler,
        checked: Option<Result<Decision, CheckError>>,
        out: &mut Vec<u8>,
    ) -> Written {
        let decision = match checked {
            Some(Ok(decision)) => decision,
            Some(Err(CheckError::InvalidUrl(error))) => {
                let url = Some(ask.url.as_bytes()).filter(|_| !error.to_string().is_empty());
                let error = AnswerError::new(url, None, error.to_string())
                    .with_reason(Some(Reason::NotAUrl))
                    .with_id(ask.id);
                write_json(out, &error);
                self.numbers.answered(Reason::NotAUrl, Tier::None);
                return Written::Invalid;
            }
            Some(Err(_)) => {
                self.numbers.busy.increment(1);
                write_unanswered(ask, named, "busy", out);
                return Written::Busy;
            }
            None => {
                self.numbers.pending.increment(1);
                write_unanswered(ask, named, "pending", out);
                return Written::Pending;
            }
        };
        let tier = match decision.source() {
            Source::Fetch => Tier::Fetch,
            Source::Store => Tier::Store,
            _ => Tier::None,
        };
        self.numbers.answered(decision.reason(), tier);
        let robots = decision.robots();
        let sent_url = decision.url().as_str();
        let is_by_rules = decision.access().kind() == Kind::Rules;
        let explanation =
            (ask.explain && is_by_rules).then(|| robots.explain(decision.crawler(), sent_url));
        let answer = Answer::new(ask.url.as_bytes(), named.keys(), robots, decision.verdict())
            .with_id(ask.id)
            .with_decision(Some(&decision))
            .with_explanation(explanation.as_ref());
        write_json(out, &answer);
        if matches!(decision.fault(), Some(Failure::Refused(_))) {
            return Written::Refused;
        }
        let origin = decision.record().map(|record| record.origin().to_string());
        let Some(origin) = origin else { return Written::Decided(None) };
        let now = decision.decided_at().seconds();
        let key = (&*origin, ask.keys, &ask.dialect, ask.profile);
        let before = self.prepared.get(key.0, key.1, key.2, key.3, now);
        let before = before.map(|(before, _)| before);
        forget_fetched(&self.prepared, &decision);
        let prepared =
            Prepared::of(&decision, named, ask.keys, self.prepared_age, before.as_deref());
        Written::Decided(prepared.map(|prepared| {
            let cached = (prepared.times, prepared.tag);
            self.prepared.put(key.0, key.1, key.2, key.3, Arc::new(prepared));
            cached
        }))
    }

    /// Removes the prepared answers of an origin, after a change of its record.
    pub(crate) fn forget(&self, origin: &Origin) {
        self.prepared.remove(&origin.to_string());
    }
}

/// Removes the prepared answers of an origin if its record was fetched, which changed it for all
/// access profiles.
fn forget_fetched(prepared: &Cache, decision: &Decision) {
    if let (Source::Fetch, Some(record)) = (decision.source(), decision.record()) {
        prepared.remove(&record.origin().to_string());
    }
}

fn write_unanswered(ask: &Ask<'_>, named: &NamedCrawler, reason: &'static str, out: &mut Vec<u8>) {
    let answer = Unanswered {
        id: ask.id,
        url: Foreign::new("url", ask.url.as_bytes()),
        crawler: named.keys(),
        dialect: ask.dialect.name,
        allowed: false,
        reason,
        unanswered: true,
        retry_after: PENDING_RETRY,
    };
    write_json(out, &answer);
}

/// Writes JSON without a line end.
pub(crate) fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    // Writing to memory does not fail.
    let _ = Values::lines().write(out, value);
    out.pop();
}

/// An access profile for questions of many crawlers: no redirect is checked by the rules of one of
/// them ([`RobotsClient::check_as`]).
pub(crate) fn for_many_crawlers(profile: &Profile) -> Profile {
    let mut profile = *profile;
    profile.disallowed_hop = None;
    profile
}
