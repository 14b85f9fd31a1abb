//! From a record to a decision.

use std::sync::Arc;

use url::Url;
use verger::Robots;
use verger::access::{Access, Kind};

use super::Inner;
use crate::decision::{Decision, Source};
use crate::record::Record;

impl Inner {
    /// What a record allows now.
    pub(super) fn access(&self, record: &Record) -> Access {
        let now = self.clock.now();
        record.state().access(&self.profile, now, self.site_available(record.origin(), now))
    }

    /// `None`: the record holds no more.
    pub(super) fn decide(
        &self,
        url: &Url,
        record: Arc<Record>,
        source: Source,
    ) -> Option<Decision> {
        let access = self.access(&record);
        if access.kind() == Kind::Unknown {
            return None;
        }
        let robots = self.parsed.of(&record);
        let file = robots.clone().unwrap_or_else(|| Arc::clone(&self.empty));
        Some(self.decision(url.clone(), Some(record), robots, access, file, source))
    }

    pub(super) fn decision(
        &self,
        url: Url,
        record: Option<Arc<Record>>,
        robots: Option<Arc<Robots>>,
        access: Access,
        file: Arc<Robots>,
        source: Source,
    ) -> Decision {
        let crawler = Arc::clone(&self.crawler);
        Decision::new(
            url,
            crawler,
            self.profile.name(),
            access,
            record,
            robots.unwrap_or(file),
            source,
        )
    }
}
