//! From a question to a record that may answer it now.

use std::sync::Arc;

use tracing::Instrument as _;
use verger::Origin;
use verger::access::Timestamp;

use super::fetching::Whose;
use super::flight::{Boarded, Seat, Wants};
use super::{CheckError, Inner, telemetry};
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
            // Offline, a file that stands is a file, however old.
            let is_all_there_is = self.offline && state.has_copy() && !state.needs_fetch(now);
            if is_all_there_is || !self.needs_fetch(record, now) {
                return Ok((Arc::clone(record), Source::Store));
            }
            if !self.offline
                && self.answers_while_refreshing
                && !self.is_unwanted(record, now)
                && state.may_answer_while_refreshing(now)
            {
                if let Err(error) = self.depart(origin, Wants::Answer) {
                    tracing::warn!(%origin, %error, "robots.txt is not refreshed");
                }
                return Ok((Arc::clone(record), Source::Store));
            }
        }
        if self.offline {
            return Ok((Arc::new(self.as_if_down(origin, known)), Source::Offline));
        }
        Ok((self.fly(origin, Wants::Answer).await?, Source::Fetch))
    }

    fn needs_fetch(&self, record: &Record, now: Timestamp) -> bool {
        record.state().needs_fetch(now) || self.is_unwanted(record, now)
    }

    /// Whether a record that stands may not answer here: it is older than is wanted. Of an outage the access
    /// state alone says when to try again.
    fn is_unwanted(&self, record: &Record, now: Timestamp) -> bool {
        let state = record.state();
        let age = state.fetched_at().map(|fetched| now.since(fetched));
        let is_old = self.max_age.zip(age).is_some_and(|(most, age)| age >= most);
        state.failures() == 0 && is_old
    }

    pub(super) async fn fly(
        self: &Arc<Self>,
        origin: &Origin,
        wants: Wants,
    ) -> Result<Arc<Record>, CheckError> {
        loop {
            match self.depart(origin, wants)? {
                Boarded::With(landing) => return self.flights.wait(landing).await,
                Boarded::TooLate(landing) => {
                    // There is no room to wait in, or none to fetch in.
                    if let Err(CheckError::Busy) = self.flights.wait(landing).await {
                        return Err(CheckError::Busy);
                    }
                }
            }
        }
    }

    /// Joins the flight of an origin, and begins it where there is none.
    fn depart(self: &Arc<Self>, origin: &Origin, wants: Wants) -> Result<Boarded, CheckError> {
        let (boarded, seat) = self.flights.join(origin, wants)?;
        if let Some(seat) = seat {
            let span = telemetry::robots_span(origin);
            let flight = Arc::clone(self).flight(origin.clone(), seat);
            tokio::spawn(flight.instrument(span));
        }
        Ok(boarded)
    }

    async fn flight(self: Arc<Self>, origin: Origin, mut seat: Seat) {
        let Some(slot) = Slot::take(&self.fetches).await else { return };
        // Somebody may have fetched it between the caller's look and the flight, here or in another
        // process.
        let known = self.known(&origin).await;
        if let Some(record) = &known
            && !self.needs_fetch(record, self.clock.now())
        {
            match seat.land_without_fetch(Arc::clone(record)) {
                Ok(()) => return,
                Err(kept) => seat = kept,
            }
        }
        let fetched = self.fetch(&origin, known.as_deref(), &slot).await;
        seat.has_fetched();
        let landed = match fetched {
            Ok((record, whose)) => {
                let record = Arc::new(record);
                telemetry::recorded(&record);
                match whose {
                    Whose::Site => self.keep(&record).await,
                    Whose::Ours => self.keep_here(&record).await,
                }
                Ok(record)
            }
            Err(error) => Err(error),
        };
        seat.land(landed);
    }
}
