//! Prepared decisions: the rules and the evidence for the next questions of a crawler about an
//! origin. They need neither the store nor the search for groups, pauses and the record.
//!
//! # Invariants
//!
//! - A prepared decision answers only while the client's would be the same: until the end of its
//!   validity, for a limited time, and not after a change of the record by this process.
//! - A decision whose record was replaced while it was made is never used: it is added to the
//!   [`Site`] of its begin, and that one is not in the cache any more.
//! - Only results without an outage, a fault or a stale copy are prepared.

use std::hash::{BuildHasher as _, DefaultHasher, Hash, Hasher as _, RandomState};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use verger::access::{Kind, Timestamp};
use verger::{Dialect, Policy, Reason};
use verger_fetch::decision::{Decision, RecordSource};
use verger_json::decision::RepeatedDecision;
use verger_json::{Answer, Id, NamedCrawler, RepeatedAnswer};

use crate::asked_url::AskedUrl;
use crate::generations::Generations;
use crate::limits::{DECISION_ANSWERS, DECISION_BYTES, ORIGIN_DECISIONS};
use crate::question::QuestionCrawler;
use crate::response::write_json;

/// A decision for all URLs of an origin.
#[derive(Debug)]
pub(crate) struct Prepared {
    question: QuestionCrawler<'static>,
    dialect: &'static str,
    crawler: NamedCrawler,
    decision: Decision,
    /// Of the file, if its rules apply.
    policy: Option<Policy>,
    evidence: RepeatedDecision,
    /// By reason and line of the deciding rule; the first ones.
    answers: [OnceLock<(Decider, RepeatedAnswer)>; DECISION_ANSWERS],
    /// The seconds in which it answers.
    valid: Range<u64>,
    pub(crate) validity: Validity,
}

/// The reason of a verdict, and the line of the deciding rule.
type Decider = (Reason, Option<usize>);

/// The validity of an answer, for caches of HTTP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Validity {
    /// Time at which the result was fetched or renewed.
    pub(crate) fetched_at: u64,
    pub(crate) until: u64,
    /// Identifies everything but URL and time.
    pub(crate) tag: u64,
}

impl Prepared {
    /// Prepares a decision for this time at most; `None` if the next one may differ.
    pub(crate) fn of(
        question: &QuestionCrawler<'_>,
        crawler: &NamedCrawler,
        decision: &Decision,
        age: Duration,
    ) -> Option<Self> {
        let (access, state) = (decision.access(), decision.state());
        let is_plain = matches!(decision.source(), RecordSource::Fetch | RecordSource::Store)
            && matches!(access.kind(), Kind::Rules | Kind::AllowAll | Kind::DisallowAll)
            && access.stale().is_none()
            && state.failures() == 0
            && decision.record().is_some_and(|record| !record.has_fault());
        if !is_plain {
            return None;
        }
        let from = decision.decided_at();
        let next_try = decision.next_try().unwrap_or(from);
        let rates = decision.robots().request_rates(crawler.crawler());
        let mut valid_until = access.valid_until();
        if rates.iter().any(|rate| rate.window.is_some()) {
            // The rate depends on the minute of the day.
            valid_until = valid_until.min(Timestamp::from_seconds((from.seconds() / 60 + 1) * 60));
        }
        let until = from.after(age).min(valid_until).min(next_try);
        let evidence = RepeatedDecision::of(decision);
        let mut keys = Vec::new();
        write_json(&mut keys, &crawler.keys());
        let validity = Validity {
            fetched_at: state.fetched_at().unwrap_or(from).seconds(),
            until: valid_until.seconds(),
            tag: hash(&(decision.dialect(), keys, &evidence)),
        };
        let has_rules = access.kind() == Kind::Rules;
        let policy = || decision.robots().policy(crawler.crawler()).without_explanation();
        Some(Self {
            question: question.clone().into_owned(),
            dialect: decision.dialect(),
            crawler: crawler.clone(),
            decision: decision.clone(),
            policy: has_rules.then(policy),
            evidence,
            answers: Default::default(),
            valid: from.seconds()..until.seconds(),
            validity,
        })
    }

    /// Writes the answer for a URL; `None` if it needs no record, or the full check.
    pub(crate) fn write(
        &self,
        out: &mut Vec<u8>,
        id: Option<&Id>,
        url: &AskedUrl<'_>,
        now: Timestamp,
    ) -> Option<Reason> {
        let Self { crawler, decision, policy, .. } = self;
        let robots = &**decision.robots();
        let full = || decision.access().verdict(robots, crawler.crawler(), url.sent());
        let verdict = policy.as_ref().map_or_else(full, |policy| Some(policy.check(url.sent())))?;
        let is_by_record = matches!(
            verdict.reason(),
            Reason::Rule
                | Reason::NoRuleMatches
                | Reason::NoGroup
                | Reason::Unavailable
                | Reason::RedirectLimit
        );
        if !is_by_record {
            return None;
        }
        let key = (verdict.reason(), verdict.line());
        let write = |answer: &RepeatedAnswer, out| {
            // Writing to memory does not fail.
            answer.write(out, id, [url.text(), url.sent()], now).ok()?;
            Some(verdict.reason())
        };
        let mut answers = self.answers.iter().map_while(OnceLock::get);
        if let Some((_, answer)) = answers.find(|(known, _)| *known == key) {
            return write(answer, out);
        }
        let answer = Answer::new(b"", crawler.keys(), robots, full()?);
        let answer = RepeatedAnswer::of(&answer, &self.evidence);
        let written = write(&answer, out);
        // Into the first free place.
        let keep = |answer, place: &OnceLock<_>| place.set(answer).err();
        let _ = self.answers.iter().try_fold((key, answer), keep);
        written
    }

    fn is_for(&self, question: &QuestionCrawler<'_>, dialect: &Dialect) -> bool {
        self.dialect == dialect.name && self.question == *question
    }

    /// Approximate bytes, with the file and its parsed form, which may be in no other place by now.
    fn size(&self) -> usize {
        self.decision.robots().text().len() * 3 + DECISION_BYTES
    }
}

impl Validity {
    /// The entity tag of an answer. A client compares tags of one URL only.
    pub(crate) fn entity_tag(self, url: &str, explain: bool) -> String {
        format!("W/\"{:016x}\"", hash(&(self.tag, url, explain)))
    }
}

/// A hash, the same in this process.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Prepared decisions by origin, bounded by bytes.
#[derive(Debug)]
pub(crate) struct Cache {
    shards: Vec<Mutex<Generations<Box<str>, Site>>>,
    hasher: RandomState,
}

/// The decisions about an origin since the last change of its record.
#[derive(Debug, Default)]
struct Site {
    id: SiteId,
    decisions: Vec<Arc<Prepared>>,
}

/// Identifies a site while decisions for it are made.
pub(crate) type SiteId = Arc<()>;

impl Cache {
    pub(crate) fn new(bytes: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::new(Generations::new(bytes / SHARDS))).collect();
        Self { shards, hasher: RandomState::new() }
    }

    fn shard(&self, origin: &str) -> MutexGuard<'_, Generations<Box<str>, Site>> {
        let at = self.hasher.hash_one(origin) % SHARDS as u64;
        let shard = &self.shards[usize::try_from(at).unwrap_or_default()];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The decision for a question, if it is valid.
    pub(crate) fn get(
        &self,
        origin: &str,
        question: &QuestionCrawler<'_>,
        dialect: &Dialect,
        now: Timestamp,
    ) -> Option<Arc<Prepared>> {
        let mut shard = self.shard(origin);
        let mut decisions = shard.get(origin)?.decisions.iter();
        let found = decisions.find(|prepared| prepared.is_for(question, dialect))?;
        found.valid.contains(&now.seconds()).then(|| Arc::clone(found))
    }

    /// Begins a decision about an origin.
    pub(crate) fn begin(&self, origin: &str) -> SiteId {
        let mut shard = self.shard(origin);
        if let Some(site) = shard.get(origin) {
            return Arc::clone(&site.id);
        }
        let site = Site::default();
        let id = Arc::clone(&site.id);
        shard.insert(origin.into(), site, DECISION_BYTES);
        id
    }

    /// Adds a decision that began with this site.
    pub(crate) fn put(&self, origin: &str, site: &SiteId, prepared: Prepared) {
        let mut shard = self.shard(origin);
        if !shard.get(origin).is_some_and(|known| Arc::ptr_eq(&known.id, site)) {
            return;
        }
        let Some(mut known) = shard.remove(origin) else { return };
        let (question, dialect) = (&prepared.question, prepared.decision.robots().dialect());
        known.decisions.retain(|before| !before.is_for(question, &dialect));
        if known.decisions.len() >= ORIGIN_DECISIONS {
            known.decisions.clear();
        }
        known.decisions.push(Arc::new(prepared));
        let size: usize = known.decisions.iter().map(|prepared| prepared.size()).sum();
        shard.insert(origin.into(), known, DECISION_BYTES + size);
    }

    /// Removes all decisions about an origin, also those that are being made, after a change of its
    /// record.
    pub(crate) fn forget(&self, origin: &str) {
        self.shard(origin).remove(origin);
    }

    /// Bytes of all decisions.
    pub(crate) fn bytes(&self) -> usize {
        let lock = |shard: &Mutex<Generations<_, _>>| {
            shard.lock().unwrap_or_else(PoisonError::into_inner).weight()
        };
        self.shards.iter().map(lock).sum()
    }
}

/// More shards than cores of large machines, so that locks are rarely contended.
const SHARDS: usize = 64;

#[cfg(test)]
mod tests {
    use verger::Crawler;
    use verger_fetch::client::RobotsClient;
    use verger_fetch::fetch::Identity;

    use super::*;

    const ROW: Dialect = Dialect::RFC9309;

    fn agent(name: &str) -> QuestionCrawler<'_> {
        QuestionCrawler::Agent(name.into())
    }

    fn client() -> RobotsClient {
        let identity = Identity::new("Test/1").unwrap();
        RobotsClient::builder(Crawler::new("A"), identity).offline(true).build().unwrap()
    }

    async fn prepared(
        client: &RobotsClient,
        origin: &str,
        question: &QuestionCrawler<'_>,
    ) -> Prepared {
        client
            .import(
                &origin.parse().unwrap(),
                b"User-agent: *\nDisallow: /cart\n".into(),
                client.now(),
            )
            .await
            .unwrap();
        let decision = client.check(&format!("{origin}/x")).await.unwrap();
        let age = Duration::from_secs(60);
        Prepared::of(question, &question.named(&ROW), &decision, age).unwrap()
    }

    #[tokio::test]
    async fn decisions_are_found_by_origin_crawler_dialect_and_time() {
        let (cache, client) = (Cache::new(1 << 22), client());
        let origins = ["https://a.example", "https://b.example"];
        let mut last = client.now();
        for (origin, name) in [(origins[0], "A"), (origins[0], "B"), (origins[1], "A")] {
            assert!(cache.get(origin, &agent(name), &ROW, last).is_none());
            let entry = prepared(&client, origin, &agent(name)).await;
            last = entry.decision.decided_at();
            cache.put(origin, &cache.begin(origin), entry);
            let get = |question: QuestionCrawler<'_>, dialect, now| {
                cache.get(origin, &question, &dialect, now).is_some()
            };
            assert!(get(agent(name), ROW, last));
            assert!(!get(agent(name), ROW, last.after(Duration::from_secs(3_600))));
            assert!(!get(agent(name), Dialect::GOOGLE, last));
            assert!(!get(QuestionCrawler::Token(name.into()), ROW, last));
        }
        cache.forget(origins[0]);
        assert!(cache.get(origins[0], &agent("A"), &ROW, last).is_none());
        assert!(cache.get(origins[1], &agent("A"), &ROW, last).is_some());
        cache.forget(origins[1]);
        assert_eq!(cache.bytes(), 0);
    }

    #[tokio::test]
    async fn a_decision_of_a_replaced_record_is_never_used() {
        let (cache, client) = (Cache::new(1 << 20), client());
        let (origin, question) = ("https://a.example", agent("A"));
        let site = cache.begin(origin);
        let late = prepared(&client, origin, &question).await;
        let now = late.decision.decided_at();
        cache.forget(origin);
        let other = prepared(&client, origin, &agent("B")).await;
        cache.put(origin, &cache.begin(origin), other);
        cache.put(origin, &site, late);
        assert!(cache.get(origin, &question, &ROW, now).is_none());
    }

    #[tokio::test]
    async fn an_origin_has_a_limited_number_of_decisions() {
        let (cache, client) = (Cache::new(1 << 30), client());
        let origin = "https://a.example";
        let site = cache.begin(origin);
        for number in 0..ORIGIN_DECISIONS * 3 {
            let name = number.to_string();
            let question = agent(&name);
            let entry = prepared(&client, origin, &question).await;
            let now = entry.decision.decided_at();
            cache.put(origin, &site, entry);
            assert!(cache.get(origin, &question, &ROW, now).is_some());
        }
        let known = cache.shard(origin).get(origin).unwrap().decisions.len();
        assert!(known <= ORIGIN_DECISIONS, "{known}");
    }
}
