//! Results of a run, and the crawls that it simulates.

use super::checks::Checks;
use super::crawl::Crawl;
use super::sizes::Sizes;

/// Exponents of Zipf's law.
pub(super) const EXPONENTS: [f64; 3] = [0.8, 1.0, 1.2];

/// Checks of the average origin in a day.
pub(super) const DAILY: [f64; 3] = [0.1, 1.0, 10.0];

/// Sizes of caches: the share of origins that fit.
pub(super) const SIZES: [f64; 3] = [0.01, 0.1, 1.0];

/// All results.
pub(super) struct Results {
    pub(super) corpus: String,
    pub(super) files: usize,
    pub(super) machine: String,
    /// Load average before the start, if there was any load.
    pub(super) busy: Option<f64>,
    pub(super) sizes: Sizes,
    pub(super) checks: Checks,
    /// Crawls of both sizes, the smaller ones first, each with its hit rates by [`SIZES`].
    pub(super) crawls: Vec<(Crawl, Vec<f64>)>,
    pub(super) seed: u64,
}
