//! Cost of a hundred million origins, from files, a simulated crawl and a formula.
//!
//! # Flow
//!
//! [`scale`] measures bytes (`sizes.rs`) and checks (`checks.rs`) on a corpus. It simulates crawls
//! of a size that fits on a machine (`crawl.rs`, with the cache of `cache.rs`), and compares their
//! hit rates with a formula (`model.rs`). The formula gives the rates for a hundred million
//! origins. `fleet.rs` computes the requirements of machines; `report.rs` and `tables.rs` write the
//! page.
//!
//! # Scope
//!
//! Every figure without measurement is an assumption, and the page says so.

mod cache;
mod checks;
mod crawl;
mod fleet;
mod model;
mod report;
mod sizes;
mod tables;

use clap::Parser;
use indicatif::ProgressBar;

use crate::arguments::{Files, called};
use crate::corpus::Corpus;
use crate::{Result, machine};
use checks::Checks;
use crawl::Crawl;
use sizes::Sizes;

/// Computes the cost of a hundred million origins: bytes, checks, hit rates, machines.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "verger-bench-scale",
    bin_name = "cargo xtask scale",
    after_help = "\
Examples:
  cargo xtask scale                      on generated files, in about a minute
  cargo xtask scale --corpus ~/robots    sizes and checks of your own files
  cargo xtask scale --origins 100000     a smaller crawl, in seconds
  cargo xtask scale --write              docs/scale.md anew"
)]
pub struct ScaleArguments {
    /// Files and crawler.
    #[command(flatten)]
    files: Files,
    /// Number of origins of the larger crawls; the smaller ones have a quarter.
    #[arg(long, value_name = "COUNT", default_value_t = 1_600_000,
        value_parser = clap::value_parser!(u32).range(1_000..=20_000_000))]
    origins: u32,
    /// Write `docs/scale.md` instead of tables on standard output.
    #[arg(long)]
    write: bool,
}

/// Exponents of Zipf's law.
const EXPONENTS: [f64; 3] = [0.8, 1.0, 1.2];

/// Checks of the average origin in a day.
const DAILY: [f64; 3] = [0.1, 1.0, 10.0];

/// Sizes of caches: the share of origins that fit.
const SIZES: [f64; 3] = [0.01, 0.1, 1.0];

/// All results.
struct Found {
    corpus: String,
    files: usize,
    machine: String,
    /// Load average before the start, if there was any load.
    busy: Option<f64>,
    sizes: Sizes,
    checks: Checks,
    /// Crawls of both sizes, the smaller ones first, each with its hit rates by [`SIZES`].
    crawls: Vec<(Crawl, Vec<f64>)>,
    seed: u64,
}

/// Measures and simulates, and prints the page on standard output, or writes `docs/scale.md`.
///
/// # Errors
///
/// If files cannot be read or written.
pub fn scale(arguments: &ScaleArguments) -> Result {
    let crawls: Vec<Crawl> = [arguments.origins / 4, arguments.origins]
        .into_iter()
        .flat_map(|origins| {
            EXPONENTS.into_iter().flat_map(move |exponent| {
                DAILY.map(|daily| Crawl { origins, exponent, daily, seed: arguments.files.seed })
            })
        })
        .collect();
    let bar = ProgressBar::new(crawls.len() as u64 + 2);
    // Measured early, before this program itself adds load.
    let busy = machine::busy();
    let corpus = arguments.corpus()?;
    let sizes = Sizes::of(&corpus.set, arguments.files.seed);
    bar.inc(1);
    // Measured before crawls use all cores.
    let checks = Checks::of(&corpus.set, arguments.files.seed);
    bar.inc(1);
    let rates = crawl::simulate(&crawls, &SIZES, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let found = Found {
        corpus: corpus.name,
        files: corpus.set.sites.len(),
        machine: machine::told(),
        busy,
        sizes,
        checks,
        crawls: crawls.into_iter().zip(rates).collect(),
        seed: arguments.files.seed,
    };
    report::page(&found).tell("scale", &called("scale"), arguments.write)
}

impl ScaleArguments {
    fn corpus(&self) -> Result<Corpus> {
        let mut corpus = self.files.corpus(None)?;
        // Only the corpus beside the project has golden answers.
        if !corpus.golden.is_empty() {
            "the files beside the project".clone_into(&mut corpus.name);
        }
        Ok(corpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_hold_together() {
        ScaleArguments::command().debug_assert();
    }
}
