//! A simulated crawl: checks of origins by Zipf's law, and caches of several sizes with the same
//! checks.
//!
//! # Flow
//!
//! [`simulate`] distributes the crawls over the cores. Each lasts three days; only the last one
//! counts. Each origin becomes known at some time of the first day. If all were first checked at
//! once, their files would all expire at once, day after day.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rand::SeedableRng as _;
use rand::distr::Distribution as _;
use rand::rngs::ChaCha8Rng;
use rand_distr::Zipf;

use super::cache::Cache;
use crate::Result;

/// Number of days of a crawl; only the last one counts.
const DAYS: u32 = 3;

/// One crawl.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crawl {
    pub(super) origins: u32,
    /// The exponent of Zipf's law: the checks of the origin of rank n are proportional to n to the
    /// power of minus this.
    pub(super) exponent: f64,
    /// Checks of the average origin in a day.
    pub(super) daily: f64,
    pub(super) seed: u64,
}

impl Crawl {
    /// Checks of all origins in a day.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most some millions"
    )]
    pub(super) fn questions(&self) -> u32 {
        (f64::from(self.origins) * self.daily).round() as u32
    }

    /// The share of checks that a cache answers, for caches of these shares of all origins and a
    /// lifetime of a day.
    ///
    /// # Errors
    ///
    /// If the law has no such exponent.
    pub(super) fn hit_rates(&self, sizes: &[f64]) -> Result<Vec<f64>> {
        let law = Zipf::new(f64::from(self.origins), self.exponent)
            .map_err(|error| format!("Zipf's law with exponent {}: {error}", self.exponent))?;
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let day = self.questions();
        let cache = |share: &f64| Cache::new(self.origins, capacity(self.origins, *share), day);
        let mut caches: Vec<(Cache, u32)> = sizes.iter().map(|share| (cache(share), 0)).collect();
        for now in 0..day * DAYS {
            let origin = origin(law.sample(&mut random));
            if now < known_at(origin, day) {
                continue;
            }
            let counts = now >= day * (DAYS - 1);
            for (cache, hits) in &mut caches {
                *hits += u32::from(cache.ask(origin, now) && counts);
            }
        }
        Ok(caches.iter().map(|(_, hits)| f64::from(*hits) / f64::from(day.max(1))).collect())
    }
}

/// Simulates all crawls, on all cores. Results are in the given order; `done` is called after each.
///
/// # Errors
///
/// If one of them cannot be simulated.
pub(super) fn simulate(
    crawls: &[Crawl],
    sizes: &[f64],
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Vec<f64>>> {
    let mut order: Vec<usize> = (0..crawls.len()).collect();
    // The longest first, so that no core runs it alone at the end.
    order.sort_by_key(|&place| std::cmp::Reverse(crawls[place].questions()));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.push((place, crawls[place].hit_rates(sizes)));
            done();
        }
        found
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<(usize, Result<Vec<f64>>)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(thread::ScopedJoinHandle::join);
        joined.flat_map(|found| found.expect("a simulation does not panic")).collect()
    });
    found.sort_by_key(|&(place, _)| place);
    found.into_iter().map(|(_, rates)| rates).collect()
}

/// The number of origins for a share.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "no more than all")]
fn capacity(origins: u32, share: f64) -> u32 {
    (f64::from(origins) * share).round() as u32
}

/// The origin of a rank, from 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ranks begin at 1")]
fn origin(rank: f64) -> u32 {
    rank as u32 - 1
}

/// Time when an origin becomes known: evenly over the first day, independent of its rank.
fn known_at(origin: u32, day: u32) -> u32 {
    // Multiples of the golden ratio: the most even distribution.
    let place = origin.wrapping_mul(0x9E37_79B1);
    ((u64::from(place) * u64::from(day)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "counts of a test")]
    fn ranks_are_drawn_by_their_law() {
        for exponent in [0.8, 1.0, 1.2] {
            let (origins, draws) = (1_000_u32, 400_000_u32);
            let law = Zipf::new(f64::from(origins), exponent).expect("an exponent of the law");
            let mut random = ChaCha8Rng::seed_from_u64(3);
            let mut counts = vec![0_u64; origins as usize];
            for _ in 0..draws {
                counts[origin(law.sample(&mut random)) as usize] += 1;
            }
            let weight = |rank: u32| f64::from(rank).powf(-exponent);
            let whole: f64 = (1..=origins).map(weight).sum();
            // Pearson's sum over all ranks has a mean of 999 and a deviation of 45.
            let pearson = (1..=origins).zip(&counts).map(|(rank, &count)| {
                let expected = f64::from(draws) * weight(rank) / whole;
                (count as f64 - expected).powi(2) / expected
            });
            let pearson: f64 = pearson.sum();
            assert!((770.0..1_230.0).contains(&pearson), "{exponent}: {pearson}");
        }
    }

    #[test]
    fn the_same_seed_is_the_same_crawl() {
        let crawl = Crawl { origins: 2_000, exponent: 1.0, daily: 2.0, seed: 5 };
        let crawls = [crawl, Crawl { seed: 6, ..crawl }, crawl];
        let found = simulate(&crawls, &[0.1, 1.0], &|| ()).expect("a crawl");
        assert_eq!(found[0], found[2]);
        assert_ne!(found[0], found[1]);
    }

    #[test]
    fn origins_become_known_evenly() {
        let early = (0..10_000).filter(|&origin| known_at(origin, 500) < 125).count();
        assert!((2_450..2_550).contains(&early), "{early}");
    }
}
