//! Whether a crawler may fetch a URL: the client's own, or any other. From a record to a decision.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;
use verger::access::{Access, Kind, State, Timestamp};
use verger::{Crawler, Dialect, Origin, Robots};

use super::{CheckError, Inner, RobotsClient, telemetry};
use crate::decision::{Decision, Grounds, Source};
use crate::fetch::sent_url_and_origin;
use crate::limits::ASKED_AGAIN;
use crate::polite::Pace;
use crate::record::{BackOff, Known, OriginRecord};

impl RobotsClient {
    /// [`check`](Self::check) for any crawler, in any dialect, by the records of this client: who answers
    /// for many crawlers fetches a file once.
    ///
    /// The requests are made by the identity of this client, whoever is asked for. In an access profile that
    /// judges redirects by what a crawler may fetch (REP-ACCESS-22) this client's crawler counts: who
    /// answers for many sets [`Profile::disallowed_hop`](verger::access::Profile::disallowed_hop) to `None`.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check). In another dialect than that of the client a file is parsed for every
    /// question.
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
                let access = state.access(inner.viewer.profile(), now, false);
                let (source, lane) = (Source::Nothing, Duration::ZERO);
                let (record, next_try, last, file) = (None, None, None, None);
                let grounds =
                    Grounds { access, state, next_try, last, file, record, robots, source, lane };
                return Ok(inner.decision(crawler, sent, grounds, now));
            }
        };
        // The clock may have been set, or the machine may have slept, during the fetch. Then its result has
        // expired, and there is a second fetch.
        let begun = Instant::now();
        for _ in 0..=ASKED_AGAIN {
            let (record, source) = inner.record(&origin, begun).await?;
            let file = self.read(&record, dialect).unwrap_or_else(|| Arc::clone(&robots));
            if let Some(decision) = inner.decide(crawler, &sent, record, file, source) {
                return Ok(decision);
            }
        }
        Err(CheckError::Ended)
    }

    /// A file without rules, for what needs none.
    fn empty(&self, dialect: &Dialect) -> Arc<Robots> {
        let empty = &self.0.empty;
        if empty.dialect() == *dialect { Arc::clone(empty) } else { Arc::new(dialect.parse("")) }
    }

    /// The file of a record in a dialect; `None` where there is none.
    fn read(&self, record: &OriginRecord, dialect: &Dialect) -> Option<Arc<Robots>> {
        if self.0.empty.dialect() == *dialect {
            return self.0.parsed.of(record, &self.0.viewer);
        }
        let file = record.file_for(&self.0.viewer)?;
        Some(Arc::new(file.parse(dialect)))
    }
}

impl Inner {
    /// What a record allows now.
    pub(super) fn access(&self, record: &OriginRecord) -> Access {
        self.access_at(record, self.clock.now())
    }

    fn access_at(&self, record: &OriginRecord, now: Timestamp) -> Access {
        record.access(&self.viewer, now, self.site_available(record.origin(), now))
    }

    /// What a record says to a crawler, by the file in it; `None`: it holds no more.
    pub(super) fn decide(
        &self,
        crawler: &Arc<Crawler>,
        url: &Url,
        record: Arc<OriginRecord>,
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
