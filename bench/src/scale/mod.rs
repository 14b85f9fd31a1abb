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
mod results;
mod sizes;
mod tables;

use clap::Parser;
use indicatif::ProgressBar;

use crate::arguments::{Files, called};
use crate::corpus::Corpus;
use crate::{Result, machine};
use checks::Checks;
use crawl::Crawl;
use results::{DAILY, EXPONENTS, Results, SIZES};
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
    let results = Results {
        corpus: corpus.name,
        files: corpus.set.sites.len(),
        machine: machine::description(),
        busy,
        sizes,
        checks,
        crawls: crawls.into_iter().zip(rates).collect(),
        seed: arguments.files.seed,
    };
    report::page(&results).publish("scale", &called("scale"), arguments.write)
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
    fn the_arguments_are_consistent() {
        ScaleArguments::command().debug_assert();
    }
}
