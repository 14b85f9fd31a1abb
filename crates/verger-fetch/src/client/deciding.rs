//! From a record to a decision.

use std::sync::Arc;

use url::Url;
use verger::access::{Access, Kind, Timestamp};
use verger::{Crawler, Origin, Robots};

use super::{Inner, telemetry};
use crate::decision::{Decision, Grounds, Source};
use crate::fetch::sent_url_and_origin;
use crate::polite::Pace;
use crate::record::{BackOff, Known, Record};

impl Inner {
    /// What a record allows now.
    pub(super) fn access(&self, record: &Record) -> Access {
        self.access_at(record, self.clock.now())
    }

    fn access_at(&self, record: &Record, now: Timestamp) -> Access {
        record.access(&self.viewer, now, self.site_available(record.origin(), now))
    }

    /// What a record says to a crawler, by the file in it; `None`: it holds no more.
    pub(super) fn decide(
        &self,
        crawler: &Arc<Crawler>,
        url: &Url,
        record: Arc<Record>,
        robots: Arc<Robots>,
        source: Source,
    ) -> Option<Decision> {
        // The clock is read once, or an answer could be older than what it rests on.
        let now = self.clock.now();
        let access = self.access_at(&record, now);
        if access.kind() == Kind::Unknown {
            return None;
        }
        let lane = self.lanes.wait(record.origin()).max(BackOff::left(record.back_off(), now));
        let state = record.state(&self.viewer);
        let next_try = Some(record.next_try(&self.viewer));
        let last = record.last_for(&self.viewer).cloned();
        let file = record.file_for(&self.viewer).cloned();
        let record = Some(record);
        let grounds = Grounds { access, state, next_try, last, file, record, robots, source, lane };
        Some(self.decision(crawler, url.clone(), grounds, now))
    }

    pub(super) fn decision(
        &self,
        crawler: &Arc<Crawler>,
        url: Url,
        grounds: Grounds,
        now: Timestamp,
    ) -> Decision {
        let decision = Decision::new(
            url,
            Arc::clone(crawler),
            self.viewer.profile().name(),
            self.politeness,
            now,
            grounds,
        );
        telemetry::decided(&decision);
        decision
    }

    /// Whether a URL needs the robots.txt of its origin.
    pub(super) fn needs_robots(&self, url: &str) -> bool {
        let sent = sent_url_and_origin(url);
        sent.is_ok_and(|(sent, origin)| {
            let crawler = self.crawler.as_ref();
            origin.is_some() && self.empty.dialect().needs_robots(crawler, sent.as_str())
        })
    }

    /// The pace by a file now.
    pub(super) fn pace(&self, robots: &Robots) -> Pace {
        self.politeness.pace(robots, &self.crawler, self.clock.now())
    }

    /// The parsed file of an origin, by its records.
    pub(super) fn file_of(&self, origin: &Origin, known: &Known) -> Option<Arc<Robots>> {
        self.parsed.of(&*known.answer(origin, &self.viewer)?, &self.viewer)
    }
}
