//! From a question to a record that may answer it now.

use std::sync::Arc;

use tracing::Instrument as _;
use verger::Origin;
use verger::access::Timestamp;

use super::fetching::Whose;
use super::{CheckError, Inner, flight, telemetry};
use crate::decision::Source;
use crate::net::Slot;
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
            // Offline, a file that stands is a file, whoever fetched it.
            let is_all_there_is = self.offline && state.has_copy() && !state.needs_fetch(now);
            if is_all_there_is || !self.needs_fetch(record, now) {
                return Ok((Arc::clone(record), Source::Store));
            }
            if !self.offline
                && self.answers_while_refreshing
                && !self.is_unwanted(record, now)
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

    fn needs_fetch(&self, record: &Record, now: Timestamp) -> bool {
        record.state().needs_fetch(now) || self.is_unwanted(record, now)
    }

    /// Whether a record that stands may not answer here: it is older than is wanted, or how long it stands
    /// was said by another access profile. Of an outage the access state alone says when to try again.
    fn is_unwanted(&self, record: &Record, now: Timestamp) -> bool {
        let state = record.state();
        let age = state.fetched_at().map(|fetched| now.since(fetched));
        let is_old = self.max_age.zip(age).is_some_and(|(most, age)| age >= most);
        state.failures() == 0 && (is_old || !self.has_judged(record))
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
                let Some(slot) = Slot::take(&inner.fetches).await else { return };
                // Somebody may have fetched it between the caller's look and the flight, here or in
                // another process.
                let known = inner.known(&origin).await;
                seat.land(match known {
                    Some(record) if !always && !inner.needs_fetch(&record, inner.clock.now()) => {
                        Ok(record)
                    }
                    known => match inner.fetch(&origin, known.as_deref(), &slot).await {
                        Ok((record, whose)) => {
                            let record = Arc::new(record);
                            telemetry::recorded(&record);
                            match whose {
                                Whose::Site => inner.keep(&record).await,
                                Whose::Ours => inner.keep_here(&record).await,
                            }
                            Ok(record)
                        }
                        Err(error) => Err(error),
                    },
                });
            };
            tokio::spawn(flight.instrument(span));
        }
        Ok(landing)
    }
}
