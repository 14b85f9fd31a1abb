//! The arguments of `verger coverage`.

use std::ffi::OsString;

use clap::{Args, ValueEnum, ValueHint};

use super::crawler::{CrawlerArgs, DialectArgs};
use super::live::LiveArgs;
use super::urls::UrlArgs;

/// Count the URLs of a site by the rules that decide them
///
/// The output shows how many URLs each rule decides, the rules that decide none of them, and the
/// frequent beginnings of paths that no rule mentions. Rules that can decide no URL at all, or
/// whose removal changes nothing, are marked.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Coverage {
    /// robots.txt: a file, `-` for standard input, any URL on a site, or `git:REVISION:PATH`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: OsString,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    /// Add a table of all crawlers of the logs, each judged by its own rules
    ///
    /// A crawler is known by its User-Agent header, or named by a group. All other requests are
    /// counted together, by the rules for `*`. Anyone can send the header of any crawler.
    #[arg(
        long,
        requires = "log",
        conflicts_with_all = ["CrawlerArgs", "urls", "sitemap", "log_agent"]
    )]
    pub(crate) by_crawler: bool,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CoverageFormat,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    #[command(flatten)]
    pub(crate) site: UrlArgs,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Format of a coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CoverageFormat {
    /// Human-readable text
    Text,
    /// JSON
    Json,
    /// One HTML page with charts, without scripts and requests
    Html,
}

const EXAMPLES: &str = "\
Examples:
  Count the pages of a sitemap:
    verger coverage robots.txt --sitemap https://shop.example/sitemap.xml --agent Googlebot

  Count the requests of an access log, as a page for the browser:
    verger coverage robots.txt --log access.log.gz --format html > coverage.html

  Count only the requests of GPTBot, by the rules for GPTBot:
    verger coverage robots.txt --log access.log --log-agent GPTBot

  List the requests of all crawlers, each judged by its own rules:
    verger coverage robots.txt --log access.log --by-crawler

Exit codes:
  0  the URLs were counted
  2  a file or a sitemap of an index could not be read, or there was no URL";
