//! The arguments of `verger robots`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Answer as Google's `robots` tool does: the same arguments, answers and exit codes
///
/// The dialect is `google`. The differences: `-` is standard input, and a file of that name is `./-`;
/// `-h` and `--help` show this help and exit with 0; messages about errors are worded as those of the
/// other commands; in the output, control characters and other text that could deceive are escaped.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Robots {
    /// The robots.txt; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, allow_hyphen_values = true)]
    pub(crate) file: PathBuf,
    /// The crawler's product token
    #[arg(value_name = "AGENT", allow_hyphen_values = true)]
    pub(crate) agent: OsString,
    /// The URL, percent-encoded
    #[arg(value_name = "URL", value_hint = ValueHint::Url, allow_hyphen_values = true)]
    pub(crate) url: OsString,
}

const EXAMPLES: &str = "\
Examples:
  verger robots robots.txt FooBot https://shop.example/foo

Exit status:
  0  allowed
  1  disallowed
  2  the file could not be read, or there were not three arguments";
