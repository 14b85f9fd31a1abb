//! From a record to a decision, for the client's crawler or any other.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;
use verger::access::{Access, Kind, State, Timestamp};
use verger::{Crawler, Dialect, Origin, Robots};

use super::{CheckError, Inner, RobotsClient, telemetry};
use crate::decision::{Decision, Evidence, Source};
use crate::fetch::sent_url_and_origin;
use crate::limits::CHECK_RETRIES;
use crate::polite::Pace;
use crate::record::{BackOff, Records, OriginRecord};

impl RobotsClient {
    /// [`check`](Self::check) for any crawler and dialect, with the records of this client. A
    /// service for many crawlers fetches each file once.
    ///
    /// Requests carry the identity of this client. Access profiles that check redirects by a
    /// crawler's rules (REP-ACCESS-22) use this client's crawler. A service for many crawlers sets
    /// [`Profile::disallowed_hop`](verger::access::Profile::disallowed_hop) to `None`.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check). In a dialect other than the client's, every call parses the file.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use verger::{Crawler, Dialect};
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let identity = Identity::new("ExampleService/1.0 (+https://service.example/)")?;
    /// let client = RobotsClient::builder(Crawler::new("ExampleService"), identity).build()?;
    ///
    /// let news = Arc::new(Crawler::chain(["ExampleBot-News", "ExampleBot"]));
    /// let decision = client.check_as(&news, &Dialect::GOOGLE, "mailto:a@shop.example").await?;
    /// assert!(decision.is_allowed());
    /// assert_eq!(decision.crawler(), news.as_ref());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn check_as(
        &self,
        crawler: &Arc<Crawler>,
        dialect: &Dialect,
        url: &str,
    ) -> Result<Decision, CheckError> {
        let inner = &self.0;
        let (sent, origin) = sent_url_and_origin(url)?;
        let robots = self.empty(dialect);
        let origin = match origin {
            Some(origin) if dialect.needs_robots(crawler.as_ref(), sent.as_str()) => origin,
            _ => {
                let (now, state) = (inner.clock.now(), State::UNKNOWN);
                let access = state.access(inner.read_options.profile(), now, false);
                let (source, lane) = (Source::Nothing, Duration::ZERO);
                let (record, next_try, last, file) = (None, None, None, None);
                let evidence =
                    Evidence { access, state, next_try, last, file, record, robots, source, lane };
                return Ok(inner.decision(crawler, sent, evidence, now));
            }
        };
        // If the clock was set or the machine slept during the fetch, the result has expired, and
        // there is a second fetch.
        let begun = Instant::now();
        for _ in 0..=CHECK_RETRIES {
            let (record, source) = inner.record(&origin, begun).await?;
            let file = self.read(&record, dialect).unwrap_or_else(|| Arc::clone(&robots));
            if let Some(decision) = inner.decide(crawler, &sent, record, file, source) {
                return Ok(decision);
            }
        }
        Err(CheckError::Ended)
    }

    /// A file without rules, for URLs that need no robots.txt.
    fn empty(&self, dialect: &Dialect) -> Arc<Robots> {
        let empty = &self.0.empty;
        if empty.dialect() == *dialect { Arc::clone(empty) } else { Arc::new(dialect.parse("")) }
    }

    /// The parsed file of a record, if it has a file.
    fn read(&self, record: &OriginRecord, dialect: &Dialect) -> Option<Arc<Robots>> {
        if self.0.empty.dialect() == *dialect {
            return self.0.parsed.of(record, &self.0.read_options);
        }
        let file = record.file_for(&self.0.read_options)?;
        Some(Arc::new(file.parse(dialect)))
    }
}

impl Inner {
    /// The access that a record grants now.
    pub(super) fn access(&self, record: &OriginRecord) -> Access {
        self.access_at(record, self.clock.now())
    }

    fn access_at(&self, record: &OriginRecord, now: Timestamp) -> Access {
        record.access(&self.read_options, now, self.site_available(record.origin(), now))
    }

    /// Decision of a record for a crawler; `None` if the record has expired.
    pub(super) fn decide(
        &self,
        crawler: &Arc<Crawler>,
        url: &Url,
        record: Arc<OriginRecord>,
        robots: Arc<Robots>,
        source: Source,
    ) -> Option<Decision> {
        // The clock is read once, so that no answer is older than its record.
        let now = self.clock.now();
        let access = self.access_at(&record, now);
        if access.kind() == Kind::Unknown {
            return None;
        }
        let lane = self.queues.wait(record.origin()).max(BackOff::left(record.back_off(), now));
        let state = record.state(&self.read_options);
        let next_try = Some(record.next_try(&self.read_options));
        let last = record.last_for(&self.read_options).cloned();
        let file = record.file_for(&self.read_options).cloned();
        let record = Some(record);
        let evidence = Evidence { access, state, next_try, last, file, record, robots, source, lane };
        Some(self.decision(crawler, url.clone(), evidence, now))
    }

    pub(super) fn decision(
        &self,
        crawler: &Arc<Crawler>,
        url: Url,
        evidence: Evidence,
        now: Timestamp,
    ) -> Decision {
        let decision = Decision::new(
            url,
            Arc::clone(crawler),
            self.read_options.profile().name(),
            self.politeness,
            now,
            evidence,
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

    /// The parsed file of an origin.
    pub(super) fn file_of(&self, origin: &Origin, known: &Records) -> Option<Arc<Robots>> {
        self.parsed.of(&*known.answer(origin, &self.read_options)?, &self.read_options)
    }
}
