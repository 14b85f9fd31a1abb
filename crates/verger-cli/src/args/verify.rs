//! The arguments of `verger verify`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};

use super::check::Format;

/// Say whether decisions hold against an archived robots.txt, and what of them does not
///
/// A decision is an answer of `verger check` for a fetched robots.txt, with its evidence. It is not signed.
/// `verify` compares the length and SHA-256 of the file, and asks the file again: the verdict, reason, rule,
/// group, lines and pauses must be the same, in the same dialect for the same crawler. The URL must match its
/// origin, and the times must be in order.
///
/// Nothing else is verified: not the status, failure, redirects or access profile, and not how long a result
/// was fresh or an outage lasted. Where the access is `allow_all` or `disallow_all`, the file proves nothing
/// about the fetch: `verify` confirms only that the answer is consistent with that access. Nothing is
/// fetched.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    group = ArgGroup::new("files").args(["robots", "archive"]).required(true)
)]
pub(crate) struct Verify {
    /// The decisions: an answer of `check --format json` or `jsonl`, or many; `-` is standard input
    #[arg(value_name = "DECISION", value_hint = ValueHint::FilePath)]
    pub(crate) decision: PathBuf,

    /// The robots.txt as it was archived, for all decisions; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<PathBuf>,

    /// A directory of archived files; each decision finds its own by the SHA-256
    ///
    /// The names do not matter, and directories inside are searched, too. A decision whose file is not there
    /// cannot be verified: that is an error, and not taken for a lie.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) archive: Option<PathBuf>,

    /// How to write what was found
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

const EXAMPLES: &str = "\
Examples:
  Keep a decision and the file it rests on:
    verger check --agent GPTBot --format jsonl https://shop.example/cart > decision.jsonl
    verger fetch --offline --body https://shop.example > archived.txt

  Does it hold?
    verger verify decision.jsonl --robots archived.txt

  Do those about many sites, whose files lie in one directory?
    verger verify decisions.jsonl --archive ./archive

  Which of many do not, and in what?
    verger verify decisions.jsonl --robots archived.txt --format jsonl |
      jq -r 'select(.holds == false) | .line, .findings[].item'

Exit status:
  0  everything holds
  1  something does not
  2  a file could not be read or is not in the archive, or something else than a decision was found";
