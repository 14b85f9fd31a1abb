//! Command-line arguments.

use std::env;
use std::path::PathBuf;

use clap::Parser;

use crate::Result;
use crate::corpus::{Corpus, Source};
use crate::plan::Work;

/// Measures Verger and its peers: same files, same URLs, in turn within one run.
#[derive(Clone, Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(
    name = "verger-bench",
    bin_name = "cargo xtask bench",
    after_help = "\
Examples:
  cargo xtask bench --quick                       every table in some minutes
  cargo xtask bench --setup                       install the peers in Python and Node first
  cargo xtask bench --corpus ~/robots             your own files, whatever their names
  cargo xtask bench --only one-shot --rounds 50   one work, exactly
  cargo xtask bench --write                       docs/performance.md and its charts"
)]
pub struct Arguments {
    /// A folder of robots.txt files, or a `.tar.gz` of them; each file's name is taken for its
    /// host. By default files are generated.
    #[arg(long, value_name = "PATH")]
    corpus: Option<PathBuf>,
    /// The crawler.
    #[arg(long, value_name = "TOKEN", default_value = "GPTBot")]
    agent: String,
    /// Number of generated files.
    #[arg(long, value_name = "COUNT", default_value_t = 4_000)]
    sites: usize,
    /// Seed of all random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Answers of Google's library about the files: JSON Lines in gzip, as `crates/verger-testkit`
    /// reads them.
    #[arg(long, value_name = "FILE", requires = "corpus")]
    pub golden: Option<PathBuf>,
    /// First install the peers in Python and Node.js, in the target directory. `cargo xtask bench`
    /// does it.
    #[arg(long)]
    pub setup: bool,
    /// Write the files into a folder, without measuring.
    #[arg(long, value_name = "FOLDER")]
    pub generate_to: Option<PathBuf>,
    /// Measure only this work; may be repeated.
    #[arg(long, value_name = "WORK")]
    pub only: Vec<Subject>,
    /// Number of rounds for each work.
    #[arg(long, value_name = "COUNT", default_value_t = 15)]
    pub rounds: usize,
    /// Few rounds and small inputs, for a quick look; not for publication.
    #[arg(long)]
    pub quick: bool,
    /// The program `verger` for the batch; by default the one in the folder of this program.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Fail if a ratio is below its floor in `budgets.txt`.
    #[arg(long)]
    pub floors: bool,
    /// Write `docs/performance.md` and its charts instead of tables on standard output.
    #[arg(long)]
    pub write: bool,
}

/// Subjects of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    /// Bytes, crawler and URL to a verdict.
    OneShot,
    /// Bytes to groups and rules.
    Parse,
    /// Bytes to the fastest form for one crawler.
    Compile,
    /// URL to verdict, file by file.
    MatchHot,
    /// The same, with the path already extracted.
    MatchPath,
    /// URL to verdict, files in random order.
    MatchCold,
    /// Cost of a check as a file grows.
    Growth,
    /// Memory for a file, in bytes.
    Memory,
    /// The worst inputs, only with Verger.
    Worst,
    /// The program, JSON Lines in and out.
    Batch,
    /// The stores of the robots client.
    Tiers,
    /// Verdicts compared with Google's.
    Agreement,
}

impl Subject {
    /// The subject of a work.
    pub(crate) const fn of(work: Work) -> Self {
        match work {
            Work::OneShot => Self::OneShot,
            Work::Parse => Self::Parse,
            Work::Compile => Self::Compile,
            Work::Hot => Self::MatchHot,
            Work::HotPath => Self::MatchPath,
            Work::Cold => Self::MatchCold,
        }
    }
}

impl Arguments {
    /// Reads or generates the files.
    ///
    /// # Errors
    ///
    /// If they cannot be read, or there are none.
    pub(crate) fn corpus(&self) -> Result<Corpus> {
        let source = match &self.corpus {
            Some(path) => Source::Files(path, self.golden.as_deref()),
            None => Source::Generated { seed: self.seed, sites: self.sites },
        };
        Corpus::open(&source, &self.agent)
    }

    /// Whether a subject is to be measured.
    pub(crate) fn wants(&self, subject: Subject) -> bool {
        self.only.is_empty() || self.only.contains(&subject)
    }

    /// Number of rounds for each work.
    pub(crate) fn rounds(&self) -> usize {
        if self.quick { self.rounds.min(3) } else { self.rounds.max(1) }
    }
}

/// The command line for a reader to repeat, without the paths of this machine.
pub(crate) fn called() -> String {
    let mut called = vec!["cargo xtask bench".to_owned()];
    let mut is_path = false;
    for argument in env::args().skip(1) {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        let has_path = matches!(name, "--corpus" | "--golden" | "--program");
        called.push(match (is_path, has_path && !value.is_empty()) {
            (true, _) => "PATH".to_owned(),
            (false, true) => format!("{name}=PATH"),
            (false, false) => argument.clone(),
        });
        is_path = has_path && value.is_empty();
    }
    called.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
