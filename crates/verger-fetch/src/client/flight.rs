//! One fetch for all who ask: flights by origin.
//!
//! A flight is a task of its own, so it lands whoever stops waiting for it. All under the lock is short
//! and never awaits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use verger::Origin;

use super::CheckError;
use crate::limits::{FETCH_QUEUE, WAITING};
use crate::record::Record;

/// Where a flight is waited for.
pub(super) type Landing = watch::Receiver<Option<Arc<Record>>>;

/// The fetches that are under way, or wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Flights {
    under_way: Mutex<HashMap<Origin, Landing>>,
    waiting: AtomicUsize,
}

/// The place of one flight; leaving it ends the flight for all who wait.
pub(super) struct Seat {
    flights: Arc<Flights>,
    origin: Origin,
    result: watch::Sender<Option<Arc<Record>>>,
}

impl Flights {
    /// The flight of an origin, and the seat in it when it has to be begun.
    pub(super) fn join(
        self: &Arc<Self>,
        origin: &Origin,
    ) -> Result<(Landing, Option<Seat>), CheckError> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(landing) = under_way.get(origin) {
            return Ok((landing.clone(), None));
        }
        if under_way.len() >= FETCH_QUEUE {
            return Err(CheckError::Busy);
        }
        let (result, landing) = watch::channel(None);
        under_way.insert(origin.clone(), landing.clone());
        let seat = Seat { flights: Arc::clone(self), origin: origin.clone(), result };
        Ok((landing, Some(seat)))
    }

    /// Waits for the end of a flight.
    pub(super) async fn wait(&self, mut landing: Landing) -> Result<Arc<Record>, CheckError> {
        let _place = Waiting::take(&self.waiting)?;
        let landed = landing.wait_for(Option::is_some).await.map_err(|_| CheckError::Ended)?;
        landed.clone().ok_or(CheckError::Ended)
    }
}

impl Seat {
    /// The end of the flight: who asks from now on finds the record in the store.
    pub(super) fn land(self, record: Arc<Record>) {
        self.result.send_replace(Some(record));
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut under_way = self.flights.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.remove(&self.origin);
    }
}

/// A question that waits, counted for as long as it does.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn take(count: &'a AtomicUsize) -> Result<Self, CheckError> {
        let waiting = Self(count);
        let before = count.fetch_add(1, Ordering::Relaxed);
        if before >= WAITING { Err(CheckError::Busy) } else { Ok(waiting) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
