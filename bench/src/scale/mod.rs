//! A hundred million origins: what they take, from files, a simulated crawl and a formula.
//!
//! # Flow
//!
//! [`scale`] measures bytes (`sizes.rs`) and checks (`checks.rs`) on a corpus, simulates crawls of a size that a
//! machine can hold (`crawl.rs`, with the cache of `cache.rs`), and compares their hit rates with a formula
//! (`model.rs`), which then tells those of a hundred million origins. `fleet.rs` reckons what machines need;
//! `report.rs` and `tables.rs` make the page.
//!
//! # Scope
//!
//! What is not measured is an assumption, and stands on the page as one.

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

/// Reckons what a hundred million origins take: bytes, checks, hit rates, machines.
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
    /// What is asked, and by whom.
    #[command(flatten)]
    files: Files,
    /// Origins of the larger crawls; the smaller ones have a quarter.
    #[arg(long, value_name = "COUNT", default_value_t = 1_600_000,
        value_parser = clap::value_parser!(u32).range(1_000..=20_000_000))]
    origins: u32,
    /// Write `docs/scale.md` in place of tables on standard output.
    #[arg(long)]
    write: bool,
}

/// Exponents of Zipf's law.
const EXPONENTS: [f64; 3] = [0.8, 1.0, 1.2];

/// How often the mean origin is asked in a day.
const DAILY: [f64; 3] = [0.1, 1.0, 10.0];

/// Caches: the share of origins that have room.
const SIZES: [f64; 3] = [0.01, 0.1, 1.0];

/// All that was found.
struct Found {
    corpus: String,
    files: usize,
    machine: String,
    /// How many programs wanted to run beside this one, where there were any.
    busy: Option<f64>,
    sizes: Sizes,
    checks: Checks,
    /// Crawls of both sizes, the smaller ones first, each with its hit rates by [`SIZES`].
    crawls: Vec<(Crawl, Vec<f64>)>,
    seed: u64,
}

/// Measures, simulates and tells it on standard output, or writes `docs/scale.md`.
///
/// # Errors
///
/// When files cannot be read or written.
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
    // Before this program is the one that keeps the machine busy.
    let busy = machine::busy();
    let corpus = arguments.corpus()?;
    let sizes = Sizes::of(&corpus.set, arguments.files.seed);
    bar.inc(1);
    // Before all cores are busy with crawls.
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
        // Files that have answers beside themselves are those beside the project.
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
