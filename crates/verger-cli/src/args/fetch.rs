//! The arguments of `verger fetch`.

use std::ffi::OsString;

use clap::{Args, ValueHint};

use super::check::Format;
use super::live::LiveArgs;

/// Fetch the robots.txt of a site, and show what was answered and what it means
///
/// It is fetched whatever is kept, and kept then. Shown are the redirects, the status, the file with its
/// hash, when it will be fetched again, and what may be fetched of the site in the access profile.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Fetch {
    /// Any URL of the site; several are fetched one after another
    #[arg(value_name = "URL", value_hint = ValueHint::Url, required = true)]
    pub(crate) urls: Vec<OsString>,

    /// Write the robots.txt alone, byte for byte, and everything else to standard error
    ///
    /// On a terminal, what could act on it is escaped.
    #[arg(long)]
    pub(crate) body: bool,

    /// How to write the rest
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    // The last one: its heading holds for all that follow.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

const EXAMPLES: &str = "\
Examples:
  What does the site answer, and what does that mean?
    verger fetch https://shop.example

  And to a crawler of 1996?
    verger fetch --access koster1996 https://shop.example

  The file itself:
    verger fetch --body https://shop.example > robots.txt

  What is kept of it, without sending anything:
    verger fetch --offline https://shop.example

Exit status:
  0  rules apply, or everything is allowed
  1  nothing may be fetched of some site
  2  some URL is none, or Verger itself could not request robots.txt (offline, the proxy,
     a refused address)";
