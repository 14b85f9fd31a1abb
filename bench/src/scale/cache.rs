//! A cache of origins: evicts the least recently used one, and files expire.
//!
//! # Scope
//!
//! Origins are small integers, so an array replaces a map: a simulation accesses it a hundred
//! million times. An expired file remains until it is checked or evicted, because a robots client
//! still needs it: its validators make the next fetch cheap, and it is used during an outage.

/// No origin: the end of the list, or absent from the cache.
const NONE: u32 = u32::MAX;

/// The cached files and their ages. Times are counted in checks of all origins.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    slots: Vec<Slot>,
    capacity: u32,
    kept: u32,
    /// Lifetime of a file after its fetch.
    expiry: u32,
    newest: u32,
    oldest: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    newer: u32,
    older: u32,
    /// [`NONE`] if the origin is not cached.
    fetched_at: u32,
}

impl Cache {
    /// A cache for some of the origins.
    pub(super) fn new(origins: u32, capacity: u32, expiry: u32) -> Self {
        let slot = Slot { newer: NONE, older: NONE, fetched_at: NONE };
        let slots = vec![slot; origins as usize];
        Self { slots, capacity: capacity.max(1), kept: 0, expiry, newest: NONE, oldest: NONE }
    }

    /// Checks an origin; returns whether its file is cached and fresh. Otherwise it is fetched now.
    pub(super) fn ask(&mut self, origin: u32, now: u32) -> bool {
        let fetched_at = self.slots[origin as usize].fetched_at;
        let is_kept = fetched_at != NONE;
        let is_hit = is_kept && now - fetched_at <= self.expiry;
        if !is_hit {
            self.slots[origin as usize].fetched_at = now;
        }
        // With room for all origins, the order does not matter.
        if self.capacity as usize >= self.slots.len() {
            return is_hit;
        }
        if is_kept {
            self.unlink(origin);
        } else if self.kept == self.capacity {
            let oldest = self.oldest;
            self.unlink(oldest);
            self.slots[oldest as usize].fetched_at = NONE;
        } else {
            self.kept += 1;
        }
        self.link(origin);
        is_hit
    }

    fn unlink(&mut self, origin: u32) {
        let Slot { newer, older, .. } = self.slots[origin as usize];
        match newer {
            NONE => self.newest = older,
            _ => self.slots[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.slots[older as usize].newer = newer,
        }
    }

    fn link(&mut self, origin: u32) {
        let newest = self.newest;
        let slot = &mut self.slots[origin as usize];
        (slot.newer, slot.older) = (NONE, newest);
        match newest {
            NONE => self.oldest = origin,
            _ => self.slots[newest as usize].newer = origin,
        }
        self.newest = origin;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simple implementation: a list, the newest first, with linear search.
    struct Naive {
        kept: Vec<(u32, u32)>,
        capacity: usize,
        expiry: u32,
    }

    impl Naive {
        fn ask(&mut self, origin: u32, now: u32) -> bool {
            let found = self.kept.iter().position(|&(kept, _)| kept == origin);
            let found = found.map(|place| self.kept.remove(place).1);
            let fresh = found.filter(|fetched_at| now - fetched_at <= self.expiry);
            self.kept.insert(0, (origin, fresh.unwrap_or(now)));
            self.kept.truncate(self.capacity);
            fresh.is_some()
        }
    }

    #[test]
    fn it_answers_as_its_naive_twin() {
        let mut random = fastrand::Rng::with_seed(1);
        for (capacity, expiry) in [(1, 5), (2, 1_000), (7, 20), (20, 60), (40, 50), (99, 9)] {
            let mut cache = Cache::new(40, capacity, expiry);
            let mut naive = Naive { kept: Vec::new(), capacity: capacity as usize, expiry };
            let mut hits = 0;
            for now in 0..20_000 {
                // Some origins are checked far more often than others.
                let origin = random.u32(0..40) * random.u32(0..40) / 40;
                let is_hit = cache.ask(origin, now);
                assert_eq!(is_hit, naive.ask(origin, now), "{capacity} {expiry} {now} {origin}");
                hits += u32::from(is_hit);
            }
            assert!(hits > 100 && hits < 19_900, "{capacity} {expiry}: {hits} hits tell nothing");
        }
    }

    #[test]
    fn age_counts_from_the_fetch_and_not_from_the_last_question() {
        let mut cache = Cache::new(2, 2, 10);
        let hits: Vec<bool> = [0, 6, 10, 11, 21, 22].map(|now| cache.ask(0, now)).into();
        assert_eq!(hits, [false, true, true, false, true, false]);
    }
}
