//! The arguments of `verger robots`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Check a URL as the `robots` tool of google/robotstxt does: same arguments, answers, exit codes
///
/// The dialect is `google`. There are four differences from Google's tool. `-` is standard input;
/// use `./-` for a file of that name. `-h` and `--help` show this help and exit with 0. Error
/// messages have Verger's format. Characters that could move the cursor, or hide or reorder text,
/// are escaped in the output.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Robots {
    /// robots.txt file; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, allow_hyphen_values = true)]
    pub(crate) file: PathBuf,
    /// Product token of the crawler
    #[arg(value_name = "AGENT", allow_hyphen_values = true)]
    pub(crate) agent: OsString,
    /// URL to check; percent-encode non-ASCII characters yourself
    #[arg(value_name = "URL", value_hint = ValueHint::Url, allow_hyphen_values = true)]
    pub(crate) url: OsString,
}

const EXAMPLES: &str = "\
Examples:
  Check a URL:
    verger robots robots.txt FooBot https://shop.example/foo

Exit codes:
  0  allowed
  1  disallowed
  2  the file could not be read, or the number of arguments was not three";
