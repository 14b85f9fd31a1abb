//! Policies from bytes that were kept: what it takes until one can be asked.

use std::hint::black_box;
use std::time::Instant;

use verger::{PolicyRef, Robots};

use crate::set::Set;
use crate::statistics::{median, percentile, share};

/// How often each policy is loaded in a round.
const REPEATS: u32 = 50;

/// Nanoseconds that are granted for a policy, and bytes that are granted one more each.
pub(crate) const GRANTED: (f64, f64) = (100.0, 4.0);

/// What loading takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Nanoseconds for a policy, the mean over all.
    pub(crate) mean: f64,
    pub(crate) p99: f64,
    /// Bytes of a policy, the mean over all.
    pub(crate) bytes: f64,
    /// The share of policies that take no longer than is granted.
    pub(crate) granted: f64,
}

/// Loads every policy again and again.
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
                let _ = black_box(PolicyRef::from_bytes(black_box(bytes)));
            }
            times.push(start.elapsed().as_nanos() as f64 / f64::from(REPEATS));
        }
    }
    let times: Vec<f64> = times.iter().map(|times| median(times)).collect();
    let is_granted =
        |(time, bytes): &(&f64, &Vec<u8>)| **time <= GRANTED.0 + bytes.len() as f64 / GRANTED.1;
    let granted = times.iter().zip(&policies).filter(is_granted).count();
    Load {
        mean: times.iter().sum::<f64>() / times.len().max(1) as f64,
        p99: percentile(&times, 0.99),
        bytes: share(policies.iter().map(Vec::len).sum(), policies.len()),
        granted: share(granted, policies.len()),
    }
}
