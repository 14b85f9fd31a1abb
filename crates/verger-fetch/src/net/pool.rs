//! A semaphore that does not count holders with a silent server.
//!
//! A fetch that waits for a silent server does no work. If its slot counted, a hundred silent sites
//! would delay all others. So a silent slot is lent to other fetches. When its server answers
//! again, the slot counts again: no fetch is cancelled, but no new one gets a slot before the limit
//! permits it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use crate::limits::{LimitReached, PLACES_PRUNED_FROM, SILENT};
use crate::lock;

/// Slots of one kind, granted in order of the calls. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    free: Arc<Semaphore>,
    count: Mutex<Count>,
}

#[derive(Debug)]
struct Count {
    most: usize,
    lends: Lends,
    /// The initial value of `lends`, restored when no slot is taken.
    begins: Lends,
    /// Number of slots, free or taken.
    slots: usize,
    silent: usize,
}

/// Number of slots added for each silent one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lends {
    One,
    /// Two, until a silent server answers: it is slow and must not get more and more requests. With
    /// four slots, 300 silent sites all have one after six silences.
    TwoUntilHeard,
}

/// A slot of a pool, released when dropped.
#[derive(Debug)]
pub(crate) struct PoolPermit {
    permit: Option<OwnedSemaphorePermit>,
    is_silent: AtomicBool,
    pool: Pool,
}

impl Pool {
    pub(crate) fn new(most: usize, lends: Lends) -> Self {
        let count = Mutex::new(Count { most, lends, begins: lends, slots: most, silent: 0 });
        Self(Arc::new(Shared { free: Arc::new(Semaphore::new(most)), count }))
    }

    /// Takes a slot if one is free.
    pub(crate) fn try_take(&self) -> Option<PoolPermit> {
        Arc::clone(&self.0.free).try_acquire_owned().ok().map(|permit| self.permit(permit))
    }

    /// Takes a slot as soon as one is free, in order of the calls.
    pub(crate) async fn take(&self) -> Option<PoolPermit> {
        // The semaphore is never closed.
        Arc::clone(&self.0.free).acquire_owned().await.ok().map(|permit| self.permit(permit))
    }

    /// Whether a slot is lent because of silence.
    pub(crate) fn has_silent(&self) -> bool {
        self.count().silent > 0
    }

    /// Whether no caller has a slot, waits for one or holds the pool.
    pub(crate) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    fn permit(&self, permit: OwnedSemaphorePermit) -> PoolPermit {
        PoolPermit { permit: Some(permit), is_silent: AtomicBool::new(false), pool: self.clone() }
    }

    fn count(&self) -> MutexGuard<'_, Count> {
        lock(&self.0.count)
    }
}

impl Count {
    /// The intended number of slots.
    fn wanted(&self) -> usize {
        let lent = match self.lends {
            Lends::One => self.silent,
            Lends::TwoUntilHeard => self.silent * 2,
        };
        self.most + lent.min(SILENT)
    }

    /// Adds slots, or removes free ones.
    fn settle(&mut self, free: &Semaphore) {
        let wanted = self.wanted();
        if self.slots < wanted {
            free.add_permits(wanted - self.slots);
            self.slots = wanted;
        } else {
            self.slots -= free.forget_permits(self.slots - wanted);
        }
    }
}

/// A slot that can be lent during silence.
pub(crate) trait Lend {
    /// Sets whether its server is silent.
    fn set_silent(&self, is_silent: bool);

    /// Awaits a future. If it takes longer than `silence`, the slot is lent until its end.
    async fn lend_during<T>(&self, silence: Duration, future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        tokio::select! {
            biased;
            result = &mut future => return result,
            () = sleep(silence) => {}
        }
        self.set_silent(true);
        let _lent = Lent(self);
        future.await
    }
}

/// Ends the silence of a slot when it is dropped.
struct Lent<'a, L: Lend + ?Sized>(&'a L);

impl<L: Lend + ?Sized> Drop for Lent<'_, L> {
    fn drop(&mut self) {
        self.0.set_silent(false);
    }
}

impl Lend for PoolPermit {
    fn set_silent(&self, is_silent: bool) {
        if self.is_silent.swap(is_silent, Ordering::Relaxed) == is_silent {
            return;
        }
        let mut count = self.pool.count();
        if is_silent {
            count.silent += 1;
        } else {
            count.silent -= 1;
        }
        count.settle(&self.pool.0.free);
    }
}

impl PoolPermit {
    /// Data arrived after silence.
    pub(crate) fn end_silence(&self) {
        self.pool.count().lends = Lends::One;
        self.set_silent(false);
    }
}

impl Drop for PoolPermit {
    fn drop(&mut self) {
        let mut count = self.pool.count();
        if *self.is_silent.get_mut() {
            count.silent -= 1;
        }
        let permit = self.permit.take();
        if count.slots > count.wanted() {
            // Waiting callers do not get it: the limit is exceeded already.
            permit.into_iter().for_each(OwnedSemaphorePermit::forget);
            count.slots -= 1;
        } else {
            drop(permit);
        }
        count.settle(&self.pool.0.free);
        if self.pool.0.free.available_permits() == count.most {
            count.lends = count.begins;
        }
    }
}

/// The places at all addresses: the limit of connections to one address. Clones share them.
///
/// Many sites share an address, and its operator sees one visitor. A place is taken at the
/// connection, because the address is unknown before, and is held until the connection ends.
/// Silent connections lend their places.
#[derive(Clone, Debug)]
pub(super) struct Places {
    most: usize,
    addresses: Arc<Mutex<Addresses>>,
}

#[derive(Debug)]
struct Addresses {
    places: HashMap<IpAddr, Pool>,
    pruned_at: usize,
}

impl Places {
    pub(super) fn new(most: usize) -> Self {
        let addresses = Addresses { places: HashMap::new(), pruned_at: PLACES_PRUNED_FROM };
        Self { most, addresses: Arc::new(Mutex::new(addresses)) }
    }

    /// The places at one address.
    pub(super) fn at(&self, address: IpAddr) -> Pool {
        let mut addresses = lock(&self.addresses);
        let Addresses { places, pruned_at } = &mut *addresses;
        if places.len() >= *pruned_at {
            places.retain(|_, places| !places.is_idle());
            *pruned_at = (places.len() * 2).max(PLACES_PRUNED_FROM);
        }
        let new = || Pool::new(self.most, Lends::TwoUntilHeard);
        places.entry(address).or_insert_with(new).clone()
    }
}

/// One unit of a limit, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    /// Takes a unit.
    ///
    /// # Errors
    ///
    /// The limit, if it is reached.
    pub(crate) fn take(taken: &'a AtomicUsize, limit: LimitReached) -> Result<Self, LimitReached> {
        let place = Self(taken);
        let before = taken.fetch_add(1, Ordering::Relaxed);
        if before < limit.size() { Ok(place) } else { Err(limit) }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(pool: &Pool, count: usize) -> Vec<PoolPermit> {
        let slots: Vec<_> = std::iter::from_fn(|| pool.try_take()).take(count).collect();
        assert_eq!(slots.len(), count);
        slots
    }

    fn left(pool: &Pool) -> usize {
        pool.0.free.available_permits()
    }

    #[test]
    fn slot_is_taken_until_it_is_dropped() {
        let pool = Pool::new(2, Lends::One);
        let slots = take(&pool, 2);
        assert!(pool.try_take().is_none());
        drop(slots);
        assert_eq!(left(&pool), 2);
    }

    #[test]
    fn a_silent_slot_is_lent_and_counts_again_after_data() {
        let pool = Pool::new(2, Lends::One);
        let mut slots = take(&pool, 2);
        slots[0].set_silent(true);
        slots[0].set_silent(true);
        assert_eq!(left(&pool), 1);
        slots.extend(take(&pool, 1));
        slots[0].set_silent(false);
        // Three slots are taken, so no new one is granted before two are returned.
        for expected in [0, 1, 2] {
            slots.pop();
            assert_eq!(left(&pool), expected);
        }
    }

    #[test]
    fn silent_slots_add_two_each_until_data_arrives() {
        let pool = Pool::new(4, Lends::TwoUntilHeard);
        let mut slots = Vec::new();
        for round in [4, 8, 16, 32, 64, 128] {
            let new = take(&pool, round);
            assert!(pool.try_take().is_none());
            slots.extend(new.into_iter().inspect(|slot| slot.set_silent(true)));
        }
        slots[0].end_silence();
        let (all, silent) = (252, 251);
        assert_eq!(left(&pool), 4_usize.saturating_sub(all - silent));
        drop(slots);
        // The end of silence was forgotten.
        let slots = take(&pool, 4);
        for slot in &slots {
            slot.set_silent(true);
        }
        assert_eq!(left(&pool), 8);
    }

    #[test]
    fn silent_slots_are_bounded() {
        let pool = Pool::new(4, Lends::TwoUntilHeard);
        let mut slots = Vec::new();
        while let Some(slot) = pool.try_take() {
            slot.set_silent(true);
            slots.push(slot);
        }
        assert_eq!(slots.len(), 4 + SILENT);
        drop(slots);
        assert_eq!(left(&pool), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slot_is_lent_during_a_long_wait() {
        let pool = Pool::new(1, Lends::One);
        let slot = pool.try_take().unwrap();
        let second = Duration::from_secs(1);
        let ((), at_once, later) = tokio::join!(
            slot.lend_during(second, sleep(second * 3)),
            async { left(&pool) },
            async {
                sleep(second * 2).await;
                left(&pool)
            }
        );
        assert_eq!((at_once, later, left(&pool)), (0, 1, 0));
        // Cancelled in the middle.
        drop(tokio::time::timeout(second * 2, slot.lend_during(second, sleep(second * 3))).await);
        drop(slot);
        assert_eq!(left(&pool), 1);
    }

    fn address(at: usize) -> IpAddr {
        IpAddr::from(u32::try_from(at).unwrap().to_be_bytes())
    }

    #[test]
    fn places_at_each_address_are_limited() {
        let places = Places::new(2);
        let (a, b) = (address(1), address(2));
        let held = [places.at(a).try_take().unwrap(), places.at(a).try_take().unwrap()];
        assert!(places.at(a).try_take().is_none());
        assert!(places.at(b).try_take().is_some());
        drop(held);
        assert!(places.at(a).try_take().is_some());
    }

    #[test]
    fn only_addresses_without_a_connection_are_forgotten() {
        let places = Places::new(1);
        let held = places.at(address(0)).try_take().unwrap();
        for at in 1..PLACES_PRUNED_FROM * 4 {
            places.at(address(at)).try_take().unwrap();
            assert!(places.addresses.lock().unwrap().places.len() <= PLACES_PRUNED_FROM);
        }
        assert!(places.at(address(0)).try_take().is_none());
        drop(held);
        assert!(places.at(address(0)).try_take().is_some());
    }

    #[test]
    fn units_are_limited_and_returned() {
        let (taken, limit) = (AtomicUsize::new(0), LimitReached::new(2, "tests run"));
        let (first, second) = (Counted::take(&taken, limit), Counted::take(&taken, limit));
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(Counted::take(&taken, limit).unwrap_err(), limit);
        drop(first);
        assert!(Counted::take(&taken, limit).is_ok());
        assert_eq!(taken.load(Ordering::Relaxed), 1);
    }
}
