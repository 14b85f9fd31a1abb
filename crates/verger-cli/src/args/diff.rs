//! The arguments of `verger diff`.

use std::ffi::OsString;

use clap::{Args, ValueEnum, ValueHint};

use super::crawler::DialectArgs;
use super::live::LiveArgs;
use super::urls::UrlArgs;

/// Show which URLs a change of robots.txt opens and closes, for each crawler
///
/// The comparison is about all URLs, not about samples: if it finds no difference, there is none.
/// Each line of the result is a class of URLs that one rule decided before and another one decides
/// now, with the shortest URL of the class as an example, without `//` if possible. Crawlers with
/// the same changes are listed together. The compared crawlers are those that a file names, those of
/// `--agent`, and `*`, which means every other crawler; if a part of a name is enough (`book`,
/// `koster1996`, `orig1994`), every crawler that no group matches. With lists or sitemaps, the
/// changed URLs among them are counted; with logs, those of the requests of these crawlers.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Diff {
    /// robots.txt before the change: a file, `-` for standard input, any URL on a site, or
    /// `git:REVISION:PATH`
    ///
    /// The program `git` reads `git:REVISION:PATH`. PATH begins at the root of the repository;
    /// `./PATH` begins in the current folder. `git:FILE` is `git:HEAD:./FILE`.
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    pub(crate) old: OsString,

    /// robots.txt after the change, in the same forms
    #[arg(value_name = "NEW", value_hint = ValueHint::FilePath)]
    pub(crate) new: OsString,

    /// Compare for this crawler, too, with its documented fallbacks; can be repeated
    #[arg(long = "agent", value_name = "NAME")]
    pub(crate) agents: Vec<OsString>,

    /// Compare for this product token, too, without fallbacks, also if a file names it; can be
    /// repeated
    #[arg(long = "token", value_name = "TOKEN", conflicts_with = "agents")]
    pub(crate) tokens: Vec<OsString>,

    /// Exit with 1 for these changes [default: never]
    #[arg(long, value_enum, value_name = "CHANGE")]
    pub(crate) fail_on: Option<FailOn>,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DiffFormat,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    #[command(flatten)]
    pub(crate) site: UrlArgs,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Changes that make the run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// URLs that were allowed are disallowed
    Closed,
    /// URLs that were disallowed are allowed
    Opened,
    /// URLs or other records changed, such as sitemaps and preferences for AI
    Any,
}

/// Format of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Human-readable text
    Text,
    /// JSON
    Json,
    /// Markdown, for a comment on a pull request
    Markdown,
}

const EXAMPLES: &str = "\
Examples:
  Compare two files:
    verger diff robots.txt new/robots.txt

  Compare the file of the last commit with the edited one:
    verger diff git:HEAD:robots.txt robots.txt

  Compare the live file with the one that will be deployed, for a pull request:
    verger diff https://shop.example public/robots.txt --format markdown

  Fail if the change closes anything, and count the pages of the sitemap that it closes:
    verger diff old.txt new.txt --fail-on closed --sitemap sitemap.xml

Exit codes:
  0  the files were compared, and no change of `--fail-on` was found
  1  a change of `--fail-on` was found
  2  a file could not be read, or with `--fail-on`, a comparison exceeded a limit";
