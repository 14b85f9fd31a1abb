//! Answers to questions: from the prepared ones, otherwise from the robots client.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use serde::Serialize;
use verger::access::{Kind, Profile};
use verger::{Dialect, Origin, Reason};
use verger_fetch::client::{CheckError, RobotsClient};
use verger_fetch::decision::{Decision, Source};
use verger_fetch::record::Failure;
use verger_json::{Answer, AnswerError, CrawlerKeys, Foreign, Id, NamedCrawler};

use crate::asked_url::AskedUrl;
use crate::counted::Counted;
use crate::json_text::write_json;
use crate::limits::{GOING_ON, PENDING_RETRY, PREPARED_AGE, PREPARED_AGE_IN_MEMORY};
use crate::prepared::{Cache, FetchId, Key, Marks, Prepared, Times};
use crate::question::QuestionCrawler;
use crate::stopping::Stopping;
use crate::telemetry::{Metrics, Tier};

/// The part of the service that answers.
#[derive(Debug)]
pub(crate) struct Answers {
    /// One client for each published access profile, in the order of [`Profile::ALL`].
    clients: Vec<RobotsClient>,
    default_profile: usize,
    default_dialect: Dialect,
    pub(crate) prepared: Arc<Cache>,
    pub(crate) metrics: Metrics,
    /// Maximum age of a prepared answer.
    prepared_age: Duration,
    going_on: Arc<AtomicUsize>,
    stopping: Stopping,
}

/// A question about one URL.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) id: Option<&'a Id>,
    pub(crate) crawler: &'a QuestionCrawler<'a>,
    /// [`QuestionCrawler::write_keys`] of the crawler.
    pub(crate) keys: &'a [u8],
    pub(crate) url: &'a AskedUrl<'a>,
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
        stopping: Stopping,
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
            metrics: Metrics::new(),
            prepared_age,
            going_on: Arc::default(),
            stopping,
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
        let (sent_url, origin) = ask.url.sent()?;
        let key = Key {
            origin: &origin,
            crawler: ask.keys,
            dialect: ask.dialect.name,
            profile: ask.profile,
        };
        let (prepared, is_valid) = self.prepared.get(&key, now)?;
        if !is_valid {
            return None;
        }
        let (_, reason) = prepared.write(out, ask.id, ask.url, &sent_url, now)?;
        self.metrics.answered(reason, Tier::Prepared);
        Some(Written::Decided(Some((prepared.times, prepared.tag))))
    }

    /// Writes the answer to a question, after waiting at most this time for a fetch.
    pub(crate) async fn write(&self, ask: &Ask<'_>, wait: Duration, out: &mut Vec<u8>) -> Written {
        if let Some(written) = self.write_prepared(ask, self.now(), out) {
            return written;
        }
        let named = ask.crawler.named(&ask.dialect);
        let checked = self.check(ask, &named, wait).await;
        self.write_checked(ask, &named, checked, out)
    }

    /// Checks the URL of a question, and waits at most this time. The check goes on afterwards, so
    /// that its fetch begins in any case, and prepares the next answer.
    pub(crate) async fn check(
        &self,
        ask: &Ask<'_>,
        named: &NamedCrawler,
        wait: Duration,
    ) -> Checked {
        let marks = self.prepared.marks(&ask.url.origin());
        let (client, crawler) = (self.clients[ask.profile].clone(), named.shared_crawler());
        let (dialect, url) = (ask.dialect, ask.url.as_str().to_owned());
        let mut check = Box::pin(async move { client.check_as(&crawler, &dialect, &url).await });
        tokio::select! {
            biased;
            checked = &mut check => return Checked { result: Some(checked), marks },
            () = self.stopping.pause(wait) => {}
        }
        let preparation = self.preparation(ask, named, marks);
        if let Some(counted) = Counted::below(GOING_ON, Arc::clone(&self.going_on)) {
            tokio::spawn(async move {
                if let Ok(decision) = check.await {
                    preparation.prepare(&decision);
                }
                drop(counted);
            });
        }
        Checked { result: None, marks }
    }

    fn preparation(&self, ask: &Ask<'_>, named: &NamedCrawler, marks: Marks) -> Preparation {
        Preparation {
            cache: Arc::clone(&self.prepared),
            named: named.clone(),
            keys: ask.keys.to_vec(),
            dialect: ask.dialect.name,
            profile: ask.profile,
            age: self.prepared_age,
            marks,
        }
    }

    /// Writes the result of a check, and prepares the next answer.
    pub(crate) fn write_checked(
        &self,
        ask: &Ask<'_>,
        named: &NamedCrawler,
        checked: Checked,
        out: &mut Vec<u8>,
    ) -> Written {
        let Checked { result, marks } = checked;
        let decision = match result {
            Some(Ok(decision)) => decision,
            Some(Err(CheckError::InvalidUrl(error))) => {
                let url =
                    Some(ask.url.as_str().as_bytes()).filter(|_| !error.to_string().is_empty());
                let error = AnswerError::new(url, None, error.to_string())
                    .with_reason(Some(Reason::NotAUrl))
                    .with_id(ask.id);
                write_json(out, &error);
                self.metrics.answered(Reason::NotAUrl, Tier::None);
                return Written::Invalid;
            }
            Some(Err(_)) => {
                self.metrics.busy.increment(1);
                write_unanswered(ask, named, "busy", out);
                return Written::Busy;
            }
            None => {
                self.metrics.pending.increment(1);
                write_unanswered(ask, named, "pending", out);
                return Written::Pending;
            }
        };
        let tier = match decision.source() {
            Source::Fetch => Tier::Fetch,
            Source::Store => Tier::Store,
            _ => Tier::None,
        };
        self.metrics.answered(decision.reason(), tier);
        let robots = decision.robots();
        let sent_url = decision.url().as_str();
        let is_by_rules = decision.access().kind() == Kind::Rules;
        let explanation =
            (ask.explain && is_by_rules).then(|| robots.explain(decision.crawler(), sent_url));
        let answer =
            Answer::new(ask.url.as_str().as_bytes(), named.keys(), robots, decision.verdict())
                .with_id(ask.id)
                .with_decision(Some(&decision))
                .with_explanation(explanation.as_ref());
        write_json(out, &answer);
        if matches!(decision.fault(), Some(Failure::Refused(_))) {
            return Written::Refused;
        }
        Written::Decided(self.preparation(ask, named, marks).prepare(&decision))
    }

    /// Removes the prepared answers of an origin, after a change of its record.
    pub(crate) fn forget(&self, origin: &Origin) {
        self.prepared.forget(&origin.to_string());
    }
}

/// A result of [`Answers::check`].
#[derive(Debug)]
pub(crate) struct Checked {
    /// `None`: the check goes on.
    result: Option<Result<Decision, CheckError>>,
    /// Those of before the check.
    marks: Marks,
}

impl Checked {
    pub(crate) fn decision(&self) -> Option<&Decision> {
        self.result.as_ref()?.as_ref().ok()
    }
}

/// Everything for the next answer to a question but the decision.
struct Preparation {
    cache: Arc<Cache>,
    named: NamedCrawler,
    keys: Vec<u8>,
    dialect: &'static str,
    profile: usize,
    age: Duration,
    /// Those of before the check.
    marks: Marks,
}

impl Preparation {
    /// Prepares the next answer. Returns the times and the tag of this one for caches.
    fn prepare(&self, decision: &Decision) -> Option<(Times, u64)> {
        let Self { cache, named, keys, dialect, profile, age, marks } = self;
        let origin = decision.record()?.origin().to_string();
        let key = Key { origin: &origin, crawler: keys, dialect, profile: *profile };
        let before = cache.get(&key, decision.decided_at().seconds()).map(|(before, _)| before);
        let prepared = Prepared::of(decision, named, &key, *age, before.as_deref());
        let cached = prepared.as_ref().map(|prepared| (prepared.times, prepared.tag));
        let prepared = prepared.map(Arc::new);
        if decision.source() == Source::Fetch {
            cache.put_fetched(&key, FetchId::of(decision), prepared, *marks);
        } else if let Some(prepared) = prepared {
            cache.put(&key, prepared, *marks);
        }
        cached
    }
}

fn write_unanswered(ask: &Ask<'_>, named: &NamedCrawler, reason: &'static str, out: &mut Vec<u8>) {
    let answer = Unanswered {
        id: ask.id,
        url: Foreign::new("url", ask.url.as_str().as_bytes()),
        crawler: named.keys(),
        dialect: ask.dialect.name,
        allowed: false,
        reason,
        unanswered: true,
        retry_after: PENDING_RETRY,
    };
    write_json(out, &answer);
}

/// Typical bytes of an answer.
pub(crate) const ANSWER_BYTES: usize = 1_024;

/// An access profile for questions of many crawlers: no redirect is checked by the rules of one of
/// them ([`RobotsClient::check_as`]).
pub(crate) fn for_many_crawlers(profile: &Profile) -> Profile {
    let mut profile = *profile;
    profile.disallowed_hop = None;
    profile
}
