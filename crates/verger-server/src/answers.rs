//! Answers to questions: by prepared decisions, otherwise by the robots client.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use verger::access::{Kind, Timestamp};
use verger::{Dialect, Origin, Reason};
use verger_fetch::client::{CheckError, RobotsClient};
use verger_fetch::decision::{Decision, RecordSource};
use verger_fetch::failure::Failure;
use verger_json::{Answer, AnswerError, Foreign, Id, NamedCrawler};

use crate::asked_url::AskedUrl;
use crate::limits::{GOING_ON, PENDING_RETRY, PREPARED_AGE, PREPARED_AGE_IN_MEMORY};
use crate::prepared::{Cache, Prepared, SiteId, Validity};
use crate::question::{Question, QuestionCrawler};
use crate::response::write_json;
use crate::schemas::Unanswered;
use crate::stopping::Stopping;
use crate::telemetry::{Metrics, Tier};

/// The part of the service that answers.
#[derive(Debug)]
pub(crate) struct Answers {
    pub(crate) client: RobotsClient,
    default_dialect: Dialect,
    pub(crate) prepared: Arc<Cache>,
    pub(crate) metrics: Metrics,
    /// Maximum age of a prepared decision.
    prepared_age: Duration,
    going_on: Arc<Semaphore>,
    stopping: Stopping,
}

/// A question about one URL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) id: Option<&'a Id>,
    pub(crate) crawler: &'a QuestionCrawler<'a>,
    pub(crate) url: &'a AskedUrl<'a>,
    pub(crate) dialect: Dialect,
    pub(crate) explain: bool,
}

/// The kind of an answer that was written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Written {
    /// A decision, with its validity for caches if it has a valid record.
    Decided(Option<Validity>),
    /// The guard refuses the destination.
    Refused,
    /// The fetch takes longer than the wait; it goes on.
    Pending,
    /// A limit was reached.
    Busy,
    /// Not a URL.
    Invalid,
}

impl Answers {
    /// Answers by this client. `is_memory`: no other process changes the store.
    pub(crate) fn new(
        client: RobotsClient,
        dialect: Dialect,
        cache_bytes: usize,
        is_memory: bool,
        stopping: Stopping,
    ) -> Self {
        Self {
            client,
            default_dialect: dialect,
            prepared: Arc::new(Cache::new(cache_bytes)),
            metrics: Metrics::new(),
            prepared_age: if is_memory { PREPARED_AGE_IN_MEMORY } else { PREPARED_AGE },
            going_on: Arc::new(Semaphore::new(GOING_ON)),
            stopping,
        }
    }

    /// The time now.
    pub(crate) fn now(&self) -> Timestamp {
        self.client.now()
    }

    pub(crate) fn dialect(&self, asked: Option<Dialect>) -> Dialect {
        asked.unwrap_or(self.default_dialect)
    }

    /// The question about one of its URLs.
    pub(crate) fn ask<'q>(&self, question: &'q Question<'_>, url: &'q AskedUrl<'_>) -> Ask<'q> {
        Ask {
            id: question.id.as_ref(),
            crawler: &question.crawler,
            url,
            dialect: self.dialect(question.dialect),
            explain: question.explain,
        }
    }

    /// Writes the answer if its decision is prepared. The caller counts it by its reason.
    pub(crate) fn write_prepared(
        &self,
        ask: Ask<'_>,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> Option<(Reason, Validity)> {
        if ask.explain {
            return None;
        }
        let prepared = self.prepared.get(ask.url.origin(), ask.crawler, &ask.dialect, now)?;
        let reason = prepared.write(out, ask.id, ask.url, now)?;
        Some((reason, prepared.validity))
    }

    /// Writes the answer to a question, after waiting at most this time for a fetch.
    pub(crate) async fn write(&self, ask: Ask<'_>, wait: Duration, out: &mut Vec<u8>) -> Written {
        if let Some((reason, validity)) = self.write_prepared(ask, self.now(), out) {
            self.metrics.answered(reason, Tier::Prepared);
            return Written::Decided(Some(validity));
        }
        let named = ask.crawler.named(&ask.dialect);
        let checked = self.check(ask, &named, wait).await;
        self.write_checked(ask, &named, checked, out)
    }

    /// Checks the URL of a question, and waits at most this time. The check goes on afterwards, so
    /// that its fetch begins in any case.
    pub(crate) async fn check(
        &self,
        ask: Ask<'_>,
        named: &NamedCrawler,
        wait: Duration,
    ) -> Checked {
        let origin = ask.url.origin();
        let site = self.prepared.begin(origin);
        let (client, crawler) = (self.client.clone(), named.shared_crawler());
        let (dialect, url) = (ask.dialect, ask.url.text().to_owned());
        let mut check = Box::pin(async move {
            let decision = client.check_as(crawler, &dialect, &url).await?;
            Ok(client.guarded(decision))
        });
        tokio::select! {
            biased;
            checked = &mut check => return Checked { result: Some(checked), site },
            () = self.stopping.pause(wait) => {}
        }
        if let Ok(place) = Arc::clone(&self.going_on).try_acquire_owned() {
            let (prepared, origin) = (Arc::clone(&self.prepared), origin.to_owned());
            tokio::spawn(async move {
                if check
                    .await
                    .is_ok_and(|decision: Decision| decision.source() == RecordSource::Fetch)
                {
                    prepared.forget(&origin);
                }
                drop(place);
            });
        }
        Checked { result: None, site }
    }

    /// Writes the result of a check, and prepares the next answer.
    pub(crate) fn write_checked(
        &self,
        ask: Ask<'_>,
        named: &NamedCrawler,
        checked: Checked,
        out: &mut Vec<u8>,
    ) -> Written {
        let Checked { result, site } = checked;
        let (url, origin) = (ask.url.text().as_bytes(), ask.url.origin());
        let decision = match result {
            Some(Ok(decision)) => decision,
            Some(Err(CheckError::InvalidUrl(error))) => {
                let error = AnswerError::new(Some(url), None, error.to_string())
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
            RecordSource::Fetch => Tier::Fetch,
            RecordSource::Store => Tier::Store,
            _ => Tier::None,
        };
        self.metrics.answered(decision.reason(), tier);
        let robots = decision.robots();
        let is_by_rules = decision.access().kind() == Kind::Rules;
        let explanation = (ask.explain && is_by_rules)
            .then(|| robots.explain(decision.crawler(), decision.url().as_str()));
        let answer = Answer::new(url, named.keys(), robots, decision.verdict())
            .with_id(ask.id)
            .with_decision(Some(&decision))
            .with_explanation(explanation.as_ref());
        write_json(out, &answer);
        if matches!(decision.fault(), Some(Failure::Refused(_))) {
            return Written::Refused;
        }
        let prepared = Prepared::of(ask.crawler, named, &decision, self.prepared_age);
        let validity = prepared.as_ref().map(|prepared| prepared.validity);
        if decision.source() == RecordSource::Fetch {
            // The record is new. Concurrent decisions about the previous one are not used.
            self.prepared.forget(origin);
        } else if let Some(prepared) = prepared {
            self.prepared.put(origin, &site, prepared);
        }
        Written::Decided(validity)
    }

    /// Removes the prepared decisions about an origin, after a change of its record.
    pub(crate) fn forget(&self, origin: &Origin) {
        self.prepared.forget(&origin.to_string());
    }
}

/// A result of [`Answers::check`].
#[derive(Debug)]
pub(crate) struct Checked {
    /// `None`: the check goes on.
    result: Option<Result<Decision, CheckError>>,
    /// That of before the check.
    site: SiteId,
}

impl Checked {
    pub(crate) fn decision(&self) -> Option<&Decision> {
        self.result.as_ref()?.as_ref().ok()
    }
}

fn write_unanswered(ask: Ask<'_>, named: &NamedCrawler, reason: &'static str, out: &mut Vec<u8>) {
    let answer = Unanswered {
        id: ask.id,
        url: Foreign::new("url", ask.url.text().as_bytes()),
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
