//! The arguments of `verger fetch`.

use std::ffi::OsString;

use clap::{Args, ValueHint};

use super::check::Format;
use super::live::LiveArgs;

/// Fetch the robots.txt of a site, and show the response and how it affects crawling
///
/// Verger sends a request even if the stored robots.txt is fresh, and updates the store. With
/// `--offline`, it sends nothing and shows the stored record. The report has the redirects, the
/// status, the file with its SHA-256, the time until which it is valid, and what may be crawled
/// under the selected access profile.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("user_agent", |arg| arg.help(USER_AGENT).long_help(USER_AGENT)),
    mut_arg("max_age", |arg| arg.help(MAX_AGE).long_help(MAX_AGE))
)]
pub(crate) struct Fetch {
    /// Any URL on the site; several sites are fetched one after another
    #[arg(value_name = "URL", value_hint = ValueHint::Url, required = true)]
    pub(crate) urls: Vec<OsString>,

    /// Write only the robots.txt to standard output, byte for byte, and the report to standard
    /// error
    ///
    /// On a terminal, control characters are escaped.
    #[arg(long)]
    pub(crate) body: bool,

    /// Format of the report
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// The help of `--user-agent`: this command has no crawler.
const USER_AGENT: &str = "User-Agent header of requests [default: verger/VERSION]";

/// The help of `--max-age`, which other commands use.
const MAX_AGE: &str = "No effect in this command, which always sends a request";

const EXAMPLES: &str = "\
Examples:
  Show the response of a site and how it affects crawling:
    verger fetch https://shop.example

  Show the same under another access profile:
    verger fetch --access koster1996 https://shop.example

  Save the file:
    verger fetch --body https://shop.example > robots.txt

  Show the stored record without sending anything:
    verger fetch --offline https://shop.example

Exit codes:
  0  for all sites, the rules of a robots.txt apply (even `Disallow: /`), or everything is allowed
  1  for at least one site, the result of the fetch disallows everything, for example an outage
  2  at least one argument is not a URL; or Verger itself could not request robots.txt (`--offline`,
     proxy error, refused address), and the store has no usable record";
