//! Time to load stored policies, until the first check.

use std::hint::black_box;
use std::time::Instant;

use verger::{Policy, Robots};

use crate::set::Set;
use crate::statistics::{median, percentile, share};

/// Number of loads of each policy in a round.
const REPEATS: u32 = 50;

/// Cost of loading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Nanoseconds for a policy, mean.
    pub(crate) mean: f64,
    pub(crate) p99: f64,
    /// Length of a policy in bytes, mean.
    pub(crate) bytes: f64,
}

/// Loads every policy repeatedly.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(crate) fn of(set: &Set, rounds: usize) -> Load {
    let policies: Vec<Vec<u8>> = set
        .sites
        .iter()
        .map(|site| Robots::parse(&site.bytes).policy(&set.agent).as_bytes().to_vec())
        .collect();
    let mut times = vec![Vec::new(); policies.len()];
    for _ in 0..rounds {
        for (bytes, times) in policies.iter().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..REPEATS {
                let _ = black_box(Policy::from_bytes(black_box(bytes)));
            }
            times.push(start.elapsed().as_nanos() as f64 / f64::from(REPEATS));
        }
    }
    let times: Vec<f64> = times.iter().map(|times| median(times)).collect();
    Load {
        mean: times.iter().sum::<f64>() / times.len().max(1) as f64,
        p99: percentile(&times, 0.99),
        bytes: share(policies.iter().map(Vec::len).sum(), policies.len()),
    }
}
