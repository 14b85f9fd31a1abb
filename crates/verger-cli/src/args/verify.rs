//! The arguments of `verger verify`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};

use super::check::Format;

/// Verify decisions (saved results of `verger check`) against an archived robots.txt
///
/// A decision is a JSON result of `verger check` for a fetched robots.txt. It contains the SHA-256
/// of that file and details of its fetch. `verify` works offline. It compares the length and
/// SHA-256 in the decision with those of the archived file. Then it checks the URL again, in the
/// same dialect and for the same crawler: the verdict, reason, rule and its line must be the same.
/// The recorded times must be in chronological order. A decision holds if all this is true.
///
/// Nothing else is verified, such as status, failure, redirects, access profile, lifetime of the
/// result and length of an outage. Decisions are not cryptographically signed, so `verify` does not
/// prove who made them. If the access is `allow_all` or `disallow_all`, for example after a 404, no
/// rule of the file was used: `verify` confirms only that the decision is consistent with that
/// access.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    group = ArgGroup::new("files").args(["robots", "archive"]).required(true)
)]
pub(crate) struct Verify {
    /// File with decisions, as `check --format json` or `jsonl` writes them; `-` is standard input
    #[arg(value_name = "DECISION", value_hint = ValueHint::FilePath)]
    pub(crate) decision: PathBuf,

    /// Archived robots.txt for all decisions; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<PathBuf>,

    /// Directory of archived robots.txt files; the SHA-256 in each decision selects the file
    ///
    /// File names do not matter, and subdirectories are searched. If a file is missing, the exit
    /// code is 2; 1 means only that a decision does not hold.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) archive: Option<PathBuf>,

    /// Format of the results
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

const EXAMPLES: &str = "\
Examples:
  Save a decision and its robots.txt:
    verger check --agent GPTBot --format jsonl https://shop.example/cart > decision.jsonl
    verger fetch --offline --body https://shop.example > archived.txt

  Verify the decision:
    verger verify decision.jsonl --robots archived.txt

  Verify decisions about many sites:
    verger verify decisions.jsonl --archive ./archive

  Print the input line and the differing keys of each decision that does not hold:
    verger verify decisions.jsonl --robots archived.txt --format jsonl |
      jq -r 'select(.holds == false) | .line, .findings[].item'

Exit codes:
  0  all decisions hold
  1  at least one decision does not hold
  2  a file could not be read or is not in the archive, or the input contains an invalid decision";
