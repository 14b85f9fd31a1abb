//! The arguments of `verger inspect`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::crawler::CrawlerArgs;
use super::dialect::DialectArgs;

/// Show what a robots.txt says: groups, rules, other records, and what is wrong with it
///
/// With a crawler, also what the file gives to it: its groups, its delay, its licences.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Inspect {
    /// The robots.txt; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: InspectFormat,
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
    curl -s https://shop.example/robots.txt | verger inspect - --format json |
      jq -r '.records[] | select(.kind == "sitemap").value'

Exit status:
  0  the file was read; what is wrong with it is told and changes nothing
  2  it could not be read"#;
