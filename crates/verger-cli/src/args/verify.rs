//! The arguments of `verger verify`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};

use super::check::Format;

/// Verify decisions against an archived robots.txt
///
/// A decision is an answer of `verger check` for a fetched robots.txt, with its evidence. It is not
/// signed. `verify` compares the length and SHA-256 of the file. Then it checks the URL against the
/// file again: the verdict, reason, rule, group, lines and pauses must be the same, in the same
/// dialect for the same crawler. The URL must match its origin, and the times must be in order.
///
/// Nothing else is verified: not the status, failure, redirects or access profile, and not the
/// lifetime of a result or the length of an outage. If the access is `allow_all` or `disallow_all`,
/// the file proves nothing about the fetch: `verify` confirms only that the answer is consistent
/// with that access. Nothing is fetched.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    group = ArgGroup::new("files").args(["robots", "archive"]).required(true)
)]
pub(crate) struct Verify {
    /// File of decisions, as `check --format json` or `jsonl` writes them; `-` is standard input
    #[arg(value_name = "DECISION", value_hint = ValueHint::FilePath)]
    pub(crate) decision: PathBuf,

    /// Archived robots.txt for all decisions; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<PathBuf>,

    /// Directory of archived robots.txt files; each decision is verified against the file with its
    /// SHA-256
    ///
    /// File names do not matter, and subdirectories are searched. A decision without its file
    /// cannot be verified: that is an error, but not a decision that does not hold.
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

  List the lines and claims that do not hold:
    verger verify decisions.jsonl --robots archived.txt --format jsonl |
      jq -r 'select(.holds == false) | .line, .findings[].item'

Exit status:
  0  all decisions hold
  1  some decision does not hold
  2  a file could not be read or is not in the archive, or some input is not a decision";
