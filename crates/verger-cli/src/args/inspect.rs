//! The arguments of `verger inspect`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::crawler::CrawlerArgs;
use super::dialect::DialectArgs;
use super::live::LiveArgs;

/// Show what a robots.txt says: groups, rules, other records, and what is wrong with it
///
/// A URL stands for the robots.txt of its site: fetched, kept in a store, and fetched again when it is too
/// old. With a crawler, also what the file gives to it: its groups, its delay, its licences.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Inspect {
    /// The robots.txt; `-` is standard input; for a URL, that of its site is fetched
    #[arg(value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: InspectFormat,

    // The last one: its heading holds for all that follow.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// How an inspection is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InspectFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
}

const EXAMPLES: &str = r#"Examples:
  What does the file say, and what is wrong with it?
    verger inspect robots.txt

  What does it say to Googlebot-Image?
    verger inspect robots.txt --crawler Googlebot-Image

  The sitemaps of a site:
    verger inspect https://shop.example --format json |
      jq -r '.records[] | select(.kind == "sitemap").value'

Exit status:
  0  the file was read; what is wrong with it is told and changes nothing
  2  it could not be read, or the site has none"#;
