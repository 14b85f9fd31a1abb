//! The arguments of `verger cache`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

/// Look into the store of robots.txt files, or empty it
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) action: CacheAction,
}

/// What to do with the store.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheAction {
    /// List what is kept: a line for each origin
    #[command(after_long_help = LIST_EXAMPLES)]
    List {
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show what is kept for an origin: what it means, where it came from, and the file itself
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show {
        /// The origin, or any URL of it
        #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
        origin: OsString,
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Forget what is kept for an origin, or for all
    #[command(after_long_help = CLEAR_EXAMPLES)]
    Clear {
        /// The origin, or any URL of it
        #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
        origin: Option<OsString>,
        /// Forget everything
        #[arg(long, conflicts_with = "origin")]
        all: bool,
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
}

/// Where the store is.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// The store [default: verger/store.sqlite in the user's cache directory]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<PathBuf>,
}

/// How to write what is found.
#[derive(Debug, Args)]
pub(crate) struct FormatArgs {
    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CacheFormat,
}

/// How what is kept is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CacheFormat {
    /// For people
    Text,
    /// JSON: an array for a list, one object otherwise
    Json,
}

const EXAMPLES: &str = "\
Examples:
  What is kept?
    verger cache list

  What is kept for this site?
    verger cache show https://shop.example

  Fetch it anew the next time:
    verger cache clear https://shop.example

Exit status:
  0  done
  2  nothing is kept for the origin to be shown, something in a list is damaged, or the store could not
     be read or written";

const LIST_EXAMPLES: &str = "\
Examples:
  verger cache list
  verger cache list --format json | jq -r '.[] | select(.status == 404).origin'

Exit status:
  0  the store was read; there may be nothing in it
  2  it could not be read, or something in it is damaged";

const SHOW_EXAMPLES: &str = "\
Examples:
  verger cache show https://shop.example
  verger cache show https://shop.example --format json | jq -r .body

Exit status:
  0  something is kept for the origin
  2  nothing is, or it could not be read";

const CLEAR_EXAMPLES: &str = "\
Examples:
  verger cache clear https://shop.example
  verger cache clear --all --store ./crawl.sqlite

Exit status:
  0  nothing is kept any more, whether anything was or not
  2  neither an origin nor `--all` was given, or the store could not be written";
