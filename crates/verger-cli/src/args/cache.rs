//! The arguments of `verger cache`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::ReportFormat;

/// List, show or remove stored robots.txt files
///
/// The store is a file that caches robots.txt between runs. It has one record for each origin: the
/// last robots.txt, the last response, and the resulting access: `rules` (the rules of the file
/// apply), `allow_all`, `disallow_all`, `unreachable` or `unknown`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) action: CacheAction,
}

/// Action on the store.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheAction {
    /// List all records, one origin per line
    #[command(after_long_help = LIST_EXAMPLES)]
    List {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show the record of an origin: access, last response and robots.txt
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show {
        /// Origin, such as `https://shop.example`, or any URL on it
        #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
        origin: OsString,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Remove the record of an origin, or all records
    #[command(after_long_help = CLEAR_EXAMPLES)]
    Clear {
        /// Origin, such as `https://shop.example`, or any URL on it
        #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
        origin: Option<OsString>,
        /// Remove all records
        #[arg(long, conflicts_with = "origin")]
        all: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// The store and the format of the output.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// Path of the store [default: verger/store.sqlite in the user's cache directory]
    #[arg(long = "store", value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) path: Option<PathBuf>,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

const EXAMPLES: &str = "\
Examples:
  List all records:
    verger cache list

  Show the record of a site:
    verger cache show https://shop.example

  Remove the record of a site, so that the next check fetches again:
    verger cache clear https://shop.example

Exit codes:
  0  the command succeeded
  2  there is no record to show, a listed record is damaged, or the store could not be read or
     written";

const LIST_EXAMPLES: &str = "\
Examples:
  List all records:
    verger cache list

  List the origins whose last status was 404:
    verger cache list --format json | jq -r '.[] | select(.status == 404).origin'

Exit codes:
  0  the store was read; it can be empty
  2  the store could not be read, or at least one record is damaged";

const SHOW_EXAMPLES: &str = "\
Examples:
  Show a record:
    verger cache show https://shop.example

  Print the stored robots.txt:
    verger cache show https://shop.example --format json | jq -r .body

Exit codes:
  0  the origin has a record
  2  the origin has no record, or the store could not be read";

const CLEAR_EXAMPLES: &str = "\
Examples:
  Remove the record of a site:
    verger cache clear https://shop.example

  Remove all records of another store:
    verger cache clear --all --store ./crawl.sqlite

Exit codes:
  0  the records are removed, or there were none
  2  neither an origin nor `--all` was given, or the store could not be written";
