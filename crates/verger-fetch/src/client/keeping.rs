//! What is kept, whatever befalls a store; and what holds where nothing may be sent.

use std::sync::Arc;

use verger::Origin;
use verger::access::{Meaning, Outcome, State, Timestamp};

use super::{Inner, telemetry};
use crate::record::{Answer, Miss, Record};
use crate::store::{Lookup, Store as _};

impl Inner {
    /// Offline, what cannot be asked is as unreachable as it is during an outage. Nothing is stored.
    pub(super) fn as_if_down(&self, origin: &Origin, known: Option<Arc<Record>>) -> Record {
        let now = self.clock.now();
        let known_at_all = known.is_some();
        let before = known.as_ref().map_or(State::UNKNOWN, |record| record.state());
        // Since the last try nobody has asked, so no outage can have lasted until now.
        let is_outage = before.failures() > 0 && !before.has_copy();
        let before = if is_outage { State::UNKNOWN } else { before };
        let state = before.after(&self.profile, Outcome::Network, now, 0);
        let mut answer = match known {
            Some(record) if state.has_copy() => record.answer().clone(),
            _ => Answer { final_url: origin.robots_url(), ..Default::default() },
        };
        let what = if known_at_all {
            "what is kept of this origin is too old"
        } else {
            "nothing is kept of this origin"
        };
        answer.failure = Some(format!("offline, and {what}"));
        Record::new(origin.clone(), state, now.seconds(), answer)
    }

    /// What is kept of an origin.
    pub(super) async fn known(&self, origin: &Origin) -> Option<Arc<Record>> {
        let found = match self.store.get(origin).await {
            Ok(Lookup::Found(record)) => Some(record),
            Ok(Lookup::Missing(Miss::Absent)) => None,
            Ok(Lookup::Missing(miss)) => {
                tracing::warn!(%origin, %miss, "a record of the store is passed over");
                None
            }
            Err(error) => {
                tracing::warn!(%origin, %error, "the store gave no answer");
                telemetry::store_failed();
                None
            }
        };
        let unstored = self.unstored.get(origin).await.ok().and_then(Lookup::found);
        // Where both have one, the later one counts; what was written by a clock that was wrong, last.
        let now = self.clock.now().seconds();
        let order = |record: &Arc<Record>| (record.tried_at() <= now, record.tried_at());
        let found = found.into_iter().chain(unstored).max_by_key(order);
        found.and_then(|record| self.in_our_reading(record))
    }

    /// What another access profile made of an answer is nothing to this one: neither its file, which may be
    /// half of one or have come over a way that this one does not go, nor since when there is an outage.
    /// Only the last failure is taken over where it is one here too, so that nobody is asked again at once.
    fn in_our_reading(&self, record: Arc<Record>) -> Option<Arc<Record>> {
        let answer = record.answer();
        if [&self.judged_by, &self.judged_for_crawler].contains(&&answer.access_profile) {
            return Some(record);
        }
        let outcome = answer.status.map_or(Outcome::Network, Outcome::Status);
        let has_failed = record.state().failing_since().is_some();
        if !has_failed || self.profile.meaning(outcome) != Meaning::Unreachable {
            return None;
        }
        let tried = Timestamp::from_seconds(record.tried_at());
        let state = State::UNKNOWN.after(&self.profile, outcome, tried, 0);
        let answer = Answer {
            status: answer.status,
            failure: answer.failure.clone(),
            final_url: answer.final_url.clone(),
            access_profile: self.judged_by.clone(),
            ..Answer::default()
        };
        Some(Arc::new(Record::new(record.origin().clone(), state, record.tried_at(), answer)))
    }

    /// Keeps a record in memory alone: it says more of this client than of the site.
    pub(super) async fn keep_here(&self, record: &Arc<Record>) {
        if let Err(error) = self.unstored.put(Arc::clone(record)).await {
            tracing::warn!(origin = %record.origin(), %error, "a record is not kept");
        }
    }

    /// Keeps a record: in the store, or where that does not take it in memory.
    pub(super) async fn keep(&self, record: &Arc<Record>) {
        let origin = record.origin();
        let done = match self.store.put(Arc::clone(record)).await {
            Ok(()) => self.unstored.remove(origin).await.map(drop),
            Err(error) => {
                tracing::warn!(%origin, %error, "a record is kept in memory only");
                telemetry::store_failed();
                self.unstored.put(Arc::clone(record)).await
            }
        };
        if let Err(error) = done {
            tracing::warn!(%origin, %error, "a record is not kept");
        }
    }
}
