//! What can be asked for.

use std::path::PathBuf;

use clap::Parser;

/// Measures Verger beside its peers: same files, same URLs, in turn within one run.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "verger-bench",
    bin_name = "cargo xtask bench",
    after_help = "\
Examples:
  cargo xtask bench --quick                       every table in a minute or two
  cargo xtask bench --setup                       install the peers in Python and Node first
  cargo xtask bench --corpus ~/robots             your own files, whatever their names
  cargo xtask bench --only one-shot --rounds 50   one work, exactly
  cargo xtask bench --write                       docs/performance.md and its charts anew"
)]
pub struct Arguments {
    /// A folder of robots.txt files, or a `.tar.gz` of them; a file's name is taken for its host. Without it
    /// files are generated.
    #[arg(long, value_name = "PATH")]
    pub corpus: Option<PathBuf>,
    /// What Google's library answers about the files: JSON Lines in gzip, as `crates/verger-testkit` reads them.
    #[arg(long, value_name = "FILE", requires = "corpus")]
    pub golden: Option<PathBuf>,
    /// The crawler that asks.
    #[arg(long, value_name = "TOKEN", default_value = "GPTBot")]
    pub agent: String,
    /// Generated files: how many.
    #[arg(long, value_name = "COUNT", default_value_t = 4_000)]
    pub sites: usize,
    /// Generated files: others for another number.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Write the files into a folder and measure nothing.
    #[arg(long, value_name = "FOLDER")]
    pub generate_to: Option<PathBuf>,
    /// Measure only this; may be repeated.
    #[arg(long, value_name = "WORK")]
    pub only: Vec<Subject>,
    /// How often everybody does each work.
    #[arg(long, value_name = "COUNT", default_value_t = 15)]
    pub rounds: usize,
    /// Few rounds and small inputs: figures to look at, not to quote.
    #[arg(long)]
    pub quick: bool,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    /// Bytes, crawler and URL to a verdict.
    OneShot,
    /// Bytes to groups and rules.
    Parse,
    /// Bytes to what answers fastest for one crawler.
    Compile,
    /// URL to verdict, file by file.
    MatchHot,
    /// The same, path in hand.
    MatchPath,
    /// URL to verdict, files in random order.
    MatchCold,
    /// Verdicts as Google's dialect has them.
    Agreement,
}

impl Arguments {
    /// Whether something is to be measured.
    pub(crate) fn wants(&self, subject: Subject) -> bool {
        self.only.is_empty() || self.only.contains(&subject)
    }

    /// How often everybody does each work.
    pub(crate) fn rounds(&self) -> usize {
        if self.quick { self.rounds.min(3) } else { self.rounds.max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_hold_together() {
        Arguments::command().debug_assert();
    }
}
