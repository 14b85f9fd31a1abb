//! The arguments of `verger fetch`.

use std::ffi::OsString;

use clap::{Args, ValueHint};

use super::check::Format;
use super::live::LiveArgs;

/// Fetch the robots.txt of a site, and show the response and its meaning
///
/// Always fetches again, then updates the store. Shows the redirects, the status, the file with its
/// hash, the time of the next fetch, and the access to the site in the access profile.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Fetch {
    /// Any URL of the site; several sites are fetched one after another
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

const EXAMPLES: &str = "\
Examples:
  Show the response of a site and its meaning:
    verger fetch https://shop.example

  Show its meaning in another access profile:
    verger fetch --access koster1996 https://shop.example

  Save the file:
    verger fetch --body https://shop.example > robots.txt

  Show the stored record without sending anything:
    verger fetch --offline https://shop.example

Exit status:
  0  rules apply, or everything is allowed
  1  everything is disallowed on some site
  2  some argument is not a URL, or Verger itself could not request robots.txt (offline, the
     proxy, a refused address)";
