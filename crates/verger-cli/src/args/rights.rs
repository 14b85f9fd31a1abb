//! The arguments of `verger rights`.

use std::ffi::OsString;

use clap::{Args, ValueHint};

use super::ReportFormat;
use super::crawler::CrawlerArgs;
use super::live::LiveArgs;

/// Report every statement on the use of a page: search, AI training, AI input, text and data mining
///
/// Reads Content-Usage, Content-Signal and License of the robots.txt group that applies; the
/// headers Content-Usage, Content-Signal, X-Robots-Tag, Robots-Tag, Link with relation `license`,
/// TDM-Reservation and TDM-Policy; meta and link tags of the page; `/.well-known/tdmrep.json`; and
/// licences in RSL. For each use, the most restrictive statement counts. `unstated` means that no
/// source states anything, which is no permission.
///
/// All documents are fetched as by `verger page`: only if robots.txt allows it, and with a pause
/// between two requests to one site. After a redirect, the statements of each site count. A
/// document that cannot be read is a finding, and never a permission.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Rights {
    /// URL of the page
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: OsString,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    /// Format of the output
    ///
    /// JSON is also a receipt: it has the time, length and SHA-256 of each document.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

const EXAMPLES: &str = r#"Examples:
  Report the statements about a page for a crawler:
    verger rights https://shop.example/catalogue/1 --agent GPTBot

  Keep a dated receipt with the hashes of all documents:
    verger rights https://shop.example/catalogue/1 --agent GPTBot --format json > receipt.json

  Show the result for AI training only:
    verger rights https://shop.example/ --agent GPTBot --format json |
      jq -r '.uses[] | select(.use == "ai_training") | .outcome'

Exit codes:
  0  robots.txt allows the page, and no use is conditional, unknown or refused
  1  robots.txt disallows the page, or a use is conditional, unknown or refused
  2  the report could not be made, for example because the URL is invalid or its address is refused"#;
