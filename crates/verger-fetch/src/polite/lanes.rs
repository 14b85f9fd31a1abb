//! The lanes of all origins.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use verger::Origin;

use super::lane::{Lane, Turn};
use crate::limits::{
    LANE_SHARE, LANE_TURNS, LANES, LANES_FIRST_SWEEP, LANES_SWEEP_INTERVAL, TURNS,
};
use crate::store::registrable;

/// A lane for every origin that was asked lately.
///
/// What is under the lock is short and never awaits.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    open: Mutex<Open>,
    in_line: AtomicUsize,
}

#[derive(Debug, Default)]
struct Open {
    lanes: HashMap<Origin, Arc<Lane>>,
    /// How many there may be until idle ones are looked for, so that a look is paid for by the lanes
    /// that were opened since the last one.
    sweep_at: usize,
    swept: Option<Instant>,
}

/// There are as many origins, or as many who wait, as there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Lanes {
    /// How long the next request to an origin has to wait at least.
    pub(crate) fn wait(&self, origin: &Origin) -> Duration {
        self.open().lanes.get(origin).map(|lane| lane.wait()).unwrap_or_default()
    }

    /// Stands in the line of an origin until it is this one's turn.
    pub(crate) async fn turn(&self, origin: &Origin) -> Result<Turn, Full> {
        let lane = self.open().lane(origin)?;
        let _place = InLine::take(&self.in_line, TURNS)?;
        let _here = InLine::take(lane.in_line(), LANE_TURNS)?;
        Arc::clone(&lane).stand_in_line().await.ok_or(Full)
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn lane(&mut self, origin: &Origin) -> Result<Arc<Lane>, Full> {
        if let Some(lane) = self.lanes.get(origin) {
            return Ok(Arc::clone(lane));
        }
        if self.lanes.len() >= self.sweep_at.max(LANES_FIRST_SWEEP) && self.may_sweep() {
            self.lanes.retain(|_, lane| !lane.is_idle());
            if self.lanes.len() >= LANES {
                self.evict();
            }
            self.sweep_at = (self.lanes.len() * 2).min(LANES);
        }
        if self.lanes.len() >= LANES {
            return Err(Full);
        }
        let lane = Arc::new(Lane::new());
        self.lanes.insert(origin.clone(), Arc::clone(&lane));
        Ok(lane)
    }

    /// Forgets what the domains owe that have more than their share, where nobody waits for it.
    fn evict(&mut self) {
        let mut lanes: HashMap<&str, usize> = HashMap::new();
        for origin in self.lanes.keys() {
            *lanes.entry(registrable(origin)).or_default() += 1;
        }
        let is_large = |&(_, count): &(&str, usize)| count > LANES / LANE_SHARE;
        let large: HashSet<String> =
            lanes.into_iter().filter(is_large).map(|(domain, _)| domain.to_owned()).collect();
        self.lanes.retain(|origin, lane| lane.is_held() || !large.contains(registrable(origin)));
    }

    /// When all lanes are busy a look finds nothing: not more than once in a while then.
    fn may_sweep(&mut self) -> bool {
        let now = Instant::now();
        let is_due = self.lanes.len() < LANES
            || self.swept.is_none_or(|swept| now.duration_since(swept) >= LANES_SWEEP_INTERVAL);
        if is_due {
            self.swept = Some(now);
        }
        is_due
    }
}

/// A place in line, counted for as long as it is held.
struct InLine<'a>(&'a AtomicUsize);

impl<'a> InLine<'a> {
    fn take(count: &'a AtomicUsize, most: usize) -> Result<Self, Full> {
        let place = Self(count);
        let before = count.fetch_add(1, Ordering::Relaxed);
        if before >= most { Err(Full) } else { Ok(place) }
    }
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Answered;
    use super::*;

    fn origin(number: usize) -> Origin {
        Origin::from_parts("https", &format!("{number}.example"), None).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn idle_lanes_are_forgotten_and_others_are_not() {
        let lanes = Lanes::default();
        let mut busy = lanes.turn(&origin(0)).await.unwrap();
        busy.set_pause(Duration::from_secs(10));
        let refused = lanes.turn(&origin(1)).await.unwrap();
        refused.answered(Answered::Refused(None));
        drop(refused);
        for number in 2..5_000 {
            drop(lanes.turn(&origin(number)).await.unwrap());
        }
        let open = lanes.open();
        assert!(open.lanes.len() <= LANES_FIRST_SWEEP + 1, "{}", open.lanes.len());
        assert!(open.lanes.contains_key(&origin(0)));
        assert!(open.lanes.contains_key(&origin(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_domain_of_many_names_locks_nobody_out() {
        let lanes = Lanes::default();
        let held = lanes.turn(&origin(0)).await.unwrap();
        for number in 1..LANES {
            let name = format!("{number}.many.example");
            let origin = Origin::from_parts("https", &name, None).unwrap();
            lanes.turn(&origin).await.unwrap().answered(Answered::Refused(None));
        }
        tokio::time::advance(LANES_SWEEP_INTERVAL).await;
        assert!(lanes.turn(&origin(1)).await.is_ok());
        assert!(lanes.open().lanes.contains_key(&origin(0)));
        assert!(lanes.open().lanes.len() < LANES / LANE_SHARE);
        drop(held);
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_is_only_so_long() {
        let lanes = Arc::new(Lanes::default());
        let first = lanes.turn(&origin(0)).await.unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..LANE_TURNS {
            let lanes = Arc::clone(&lanes);
            waiting.spawn(async move { lanes.turn(&origin(0)).await.is_ok() });
        }
        let line = || Arc::clone(&lanes.open().lanes[&origin(0)]);
        while line().in_line().load(Ordering::Relaxed) < LANE_TURNS {
            tokio::task::yield_now().await;
        }
        assert_eq!(lanes.turn(&origin(0)).await.unwrap_err(), Full);
        assert!(lanes.turn(&origin(1)).await.is_ok());
        drop(first);
        assert!(waiting.join_all().await.into_iter().all(|served| served));
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_no_more_lanes_than_may_be() {
        let lanes = Lanes::default();
        let mut turns = Vec::new();
        for number in 0..LANES {
            turns.push(lanes.turn(&origin(number)).await.unwrap());
        }
        assert_eq!(lanes.turn(&origin(LANES)).await.unwrap_err(), Full);
        turns.clear();
        tokio::time::advance(LANES_SWEEP_INTERVAL).await;
        assert!(lanes.turn(&origin(LANES)).await.is_ok());
    }
}
