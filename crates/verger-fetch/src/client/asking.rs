//! From a question to a record that may answer it now, and from there to a decision.

use std::sync::Arc;

use tracing::Instrument as _;
use url::Url;
use verger::{Crawler, Origin, Robots};

use super::{CheckError, Inner, flight, telemetry};
use crate::decision::{Decision, Grounds, Source};
use crate::polite::Pace;
use crate::record::Record;

impl Inner {
    /// A record that may answer now, and where it is from.
    pub(super) async fn record(
        self: &Arc<Self>,
        origin: &Origin,
    ) -> Result<(Arc<Record>, Source), CheckError> {
        let now = self.clock.now();
        let known = self.known(origin).await;
        if let Some(record) = &known {
            let state = record.state();
            if !state.needs_fetch(now) {
                return Ok((Arc::clone(record), Source::Store));
            }
            if !self.offline
                && self.answers_while_refreshing
                && state.may_answer_while_refreshing(now)
            {
                if let Err(error) = self.depart(origin, false) {
                    tracing::warn!(%origin, %error, "robots.txt is not refreshed");
                }
                return Ok((Arc::clone(record), Source::Store));
            }
        }
        if self.offline {
            return Ok((Arc::new(self.as_if_down(origin, known)), Source::Store));
        }
        Ok((self.fly(origin, false).await?, Source::Fetch))
    }

    pub(super) async fn fly(
        self: &Arc<Self>,
        origin: &Origin,
        always: bool,
    ) -> Result<Arc<Record>, CheckError> {
        let landing = self.depart(origin, always)?;
        self.flights.wait(landing).await
    }

    /// Joins the flight of an origin, and begins it where there is none.
    fn depart(
        self: &Arc<Self>,
        origin: &Origin,
        always: bool,
    ) -> Result<flight::Landing, CheckError> {
        let (landing, seat) = self.flights.join(origin)?;
        if let Some(seat) = seat {
            let inner = Arc::clone(self);
            let origin = origin.clone();
            let span = telemetry::robots_span(&origin);
            let flight = async move {
                let Ok(_place) = inner.fetches.acquire().await else { return };
                // Somebody may have fetched it between the caller's look and the flight, here or in
                // another process.
                let known = inner.known(&origin).await;
                let record = match known {
                    Some(record) if !always && !record.state().needs_fetch(inner.clock.now()) => {
                        record
                    }
                    known => {
                        let record = Arc::new(inner.fetch(&origin, known.as_deref()).await);
                        telemetry::recorded(&record);
                        inner.keep(&record).await;
                        record
                    }
                };
                seat.land(record);
            };
            tokio::spawn(flight.instrument(span));
        }
        Ok(landing)
    }

    /// What a record says to a crawler, by the file in it.
    pub(super) fn decide(
        &self,
        crawler: &Arc<Crawler>,
        url: Url,
        record: Arc<Record>,
        robots: Arc<Robots>,
        source: Source,
    ) -> Decision {
        // Whether other URLs of the site are answered is not known here (REP-CACHE-22).
        let access = record.state().access(&self.profile, self.clock.now(), false);
        let lane = self.lanes.wait(record.origin());
        self.decision(crawler, url, Grounds { access, record: Some(record), robots, source, lane })
    }

    pub(super) fn decision(&self, crawler: &Arc<Crawler>, url: Url, grounds: Grounds) -> Decision {
        let decision = Decision::new(
            url,
            Arc::clone(crawler),
            self.profile.name(),
            self.politeness,
            self.clock.now(),
            grounds,
        );
        telemetry::decided(&decision);
        decision
    }

    /// The pace for a decision now, which may be some time after it was made.
    pub(super) fn pace(&self, decision: &Decision) -> Pace {
        self.politeness.pace(decision.robots(), &self.crawler, self.clock.now())
    }
}
