//! The arguments that say who asks.

use std::ffi::OsString;

use clap::Args;

use super::values::{CrawlerName, crawler_help};

/// Who asks.
#[derive(Debug, Args)]
pub(crate) struct CrawlerArgs {
    /// The crawler's product token; several are a chain, most specific first
    ///
    /// The name in user-agent lines, in any case: `GPTBot`. Of several, the first one that a group names
    /// decides which groups apply. A text with a version or a whole User-Agent header is read as a header:
    /// the product tokens in it are looked for in order, those in the comment first. Dialect `google` takes
    /// any text literally.
    #[arg(long = "agent", value_name = "TOKEN")]
    pub(crate) agents: Vec<OsString>,

    /// Obey the groups of all agents together, as Google's library does
    #[arg(long, requires = "agents", conflicts_with = "crawler")]
    pub(crate) union: bool,

    /// A known crawler, with the fallbacks that its vendor documents
    ///
    /// The long help has a list of them.
    #[arg(
        long,
        long_help = crawler_help(),
        value_name = "NAME",
        value_parser = CrawlerName,
        hide_possible_values = true,
        conflicts_with = "agents"
    )]
    pub(crate) crawler: Option<String>,
}
