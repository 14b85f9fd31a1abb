//! Forced fetches: one at a time for each origin, with a pause after it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, Shared};
use verger::Origin;
use verger_fetch::client::CheckError;
use verger_fetch::record::OriginRecord;

use crate::generations::Generations;
use crate::limits::{REFRESH_PAUSE, REFRESHED};

/// A forced fetch, awaited by any number of requests.
pub(crate) type Fetch = Shared<BoxFuture<'static, Result<Arc<OriginRecord>, CheckError>>>;

/// The last forced fetches.
#[derive(Debug)]
pub(crate) struct Refreshes(Mutex<Generations<Origin, Refresh>>);

#[derive(Clone, Debug)]
struct Refresh {
    /// `None`: it has ended.
    fetch: Option<Fetch>,
    /// Its begin, then its end.
    at: Instant,
    /// Whether a client was asked to come back, and has not got the record yet.
    is_awaited: bool,
}

/// The response to a request for a forced fetch.
pub(crate) enum Begun {
    /// The result of a fetch, which may have been running.
    Fetch(Fetch),
    /// The record of the fetch that the client awaits.
    Show,
    /// The pause after the last fetch.
    Wait(Duration),
}

impl Refreshes {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Generations::new(REFRESHED)))
    }

    fn all(&self) -> MutexGuard<'_, Generations<Origin, Refresh>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(
        &self,
        origin: &Origin,
        now: Instant,
        fetch: impl FnOnce() -> Fetch,
    ) -> Begun {
        let mut all = self.all();
        if let Some(last) = all.get(origin) {
            if let Some(fetch) = &last.fetch {
                return Begun::Fetch(fetch.clone());
            }
            let left = REFRESH_PAUSE.saturating_sub(now.saturating_duration_since(last.at));
            if !left.is_zero() {
                let is_awaited = std::mem::take(&mut last.is_awaited);
                return if is_awaited { Begun::Show } else { Begun::Wait(left) };
            }
        }
        // Its end needs the lock, so it is noted later.
        let fetch = fetch();
        let refresh = Refresh { fetch: Some(fetch.clone()), at: now, is_awaited: false };
        all.insert(origin.clone(), refresh, 1);
        Begun::Fetch(fetch)
    }

    /// Notes that a client was asked to come back.
    pub(crate) fn note_pending(&self, origin: &Origin) {
        if let Some(last) = self.all().get(origin) {
            last.is_awaited = true;
        }
    }

    /// Notes the end of a fetch. If the site was not asked, it may be fetched at once.
    pub(crate) fn end(&self, origin: &Origin, is_fetched: bool, now: Instant) {
        let mut all = self.all();
        if !is_fetched {
            all.remove(origin);
        } else if let Some(last) = all.get(origin) {
            (last.fetch, last.at) = (None, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn an_origin_is_fetched_once_a_minute() {
        let (refreshes, start) = (Refreshes::new(), Instant::now());
        let origin = |number: usize| format!("https://{number}.example").parse::<Origin>().unwrap();
        let begin = |number, after| {
            let fetch = || std::future::pending().boxed().shared();
            match refreshes.begin(&origin(number), start + after, fetch) {
                Begun::Fetch(_) => "fetch".to_owned(),
                Begun::Show => "show".to_owned(),
                Begun::Wait(left) => format!("{left:?}"),
            }
        };
        let end = |number, is_fetched, after| {
            refreshes.end(&origin(number), is_fetched, start + after);
        };
        let second = Duration::from_secs(1);
        assert_eq!(begin(0, second), "fetch");
        // A second client joins, and a third that was asked to come back gets the record once.
        assert_eq!(begin(0, second * 2), "fetch");
        refreshes.note_pending(&origin(0));
        end(0, true, second * 3);
        assert_eq!(begin(0, second * 4), "show");
        assert_eq!(begin(0, second * 5), "58s");
        assert_eq!(begin(0, second * 3 + REFRESH_PAUSE), "fetch");
        // Nothing was fetched.
        assert_eq!(begin(1, second), "fetch");
        end(1, false, second);
        assert_eq!(begin(1, second), "fetch");
        for number in 0..REFRESHED * 2 {
            begin(number, second);
        }
        let remembered = refreshes.all().weight();
        assert!(remembered <= REFRESHED, "{remembered}");
    }
}
