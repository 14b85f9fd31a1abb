//! The arguments of `verger inspect`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::ReportFormat;
use super::crawler::{CrawlerArgs, DialectArgs};
use super::live::LiveArgs;

/// Show the contents of a robots.txt: groups, rules, other lines, and problems
///
/// With `--agent`, the output also has the groups, crawl delay, licences (`License` lines) and
/// other values that apply to that crawler. With a URL, Verger fetches the robots.txt of its site
/// and stores it. It uses the stored robots.txt as long as it is fresh.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Inspect {
    /// robots.txt file, or any URL on a site; `-` is standard input
    #[arg(value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

const EXAMPLES: &str = r#"Examples:
  Show the contents and problems of a file:
    verger inspect robots.txt

  Show the groups, crawl delay and licences for Googlebot-Image:
    verger inspect robots.txt --agent Googlebot-Image

  List the sitemaps of a site:
    verger inspect https://shop.example --format json |
      jq -r '.records[] | select(.kind == "sitemap").value'

Exit codes:
  0  the file was read; problems in it do not affect the exit code
  2  the file could not be read, or the site has no robots.txt"#;
