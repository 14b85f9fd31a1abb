//! The arguments of `verger crawlers`.

use std::ffi::OsString;

use clap::{Args, Subcommand};
use verger_registry::Purpose;

use super::{ReportFormat, named};

/// List known crawlers, or show one: operator, purpose, fallbacks, proofs of identity
///
/// The data is part of Verger, and nothing is fetched. It states the claims of operators and of
/// public lists, with their sources and dates; a crawler can behave differently. A warning is shown
/// if the data is outdated.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Crawlers {
    #[command(subcommand)]
    pub(crate) action: CrawlersAction,
}

/// Action on the known crawlers.
#[derive(Debug, Subcommand)]
pub(crate) enum CrawlersAction {
    /// List known crawlers, one per line, sorted by token
    ///
    /// The columns are the product token, the purpose, the operator's statement about robots.txt
    /// (`yes`: the crawler obeys it; `no`: it may ignore it; `unstated`; `-`: only the name is
    /// known), and the operator (`-`: unknown, or software that anyone can run).
    #[command(after_long_help = LIST_EXAMPLES)]
    List {
        /// Only crawlers with this purpose; can be repeated
        #[arg(long, value_name = "PURPOSE", value_parser = named(PURPOSES, |it| it.name()))]
        purpose: Vec<Purpose>,

        /// Only crawlers of this operator: its name or a part of it; upper and lower case are equal
        #[arg(long, value_name = "NAME")]
        operator: Option<OsString>,

        /// Also crawlers, libraries and tools of which only name, operator and purpose are known
        #[arg(long)]
        all: bool,

        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show all that is known about a crawler, with sources
    ///
    /// A User-Agent header can name several crawlers; all of them are shown. Anyone can send any
    /// header, so check the address of a request, too.
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show {
        /// Product token, another name of the crawler, or a whole User-Agent header
        #[arg(value_name = "NAME")]
        name: OsString,

        #[command(flatten)]
        format: FormatArgs,
    },
}

/// The format of the output.
#[derive(Debug, Args)]
pub(crate) struct FormatArgs {
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// The purposes, each with a line of help.
pub(super) const PURPOSES: [(Purpose, &str); Purpose::ALL.len()] = [
    (Purpose::Search, "Index of a search engine, or of an assistant that cites pages"),
    (Purpose::Training, "Training of AI models"),
    (Purpose::UserTriggered, "Single pages at the request of a person"),
    (Purpose::Preview, "Previews of links in messages and posts"),
    (Purpose::Archive, "Web archives"),
    (Purpose::Seo, "Search engine optimisation"),
    (Purpose::Dataset, "Data sets for others; uses can include training"),
    (Purpose::Advertising, "Ads, and pages that show them"),
    (Purpose::Monitoring, "Availability and quality of sites"),
    (Purpose::ControlToken, "Fetches nothing; controls the use of fetched pages"),
    (Purpose::Other, "Anything else"),
];

const EXAMPLES: &str = "\
Examples:
  List all crawlers that collect training data:
    verger crawlers list --purpose training

  Show a crawler:
    verger crawlers show GPTBot

Exit codes:
  0  success
  1  `show`: the crawler is unknown
  2  an error";

const LIST_EXAMPLES: &str = "\
Examples:
  List the crawlers of Google:
    verger crawlers list --operator google

  List crawlers for training and for data sets:
    verger crawlers list --purpose training --purpose dataset

  List all monitors that are known by their names:
    verger crawlers list --all --purpose monitoring

  Print the tokens of crawlers that may ignore robots.txt:
    verger crawlers list --format json | jq -r '.[] | select(.robots == \"no\").token'

Exit codes:
  0  success; the list can be empty
  2  an error";

const SHOW_EXAMPLES: &str = "\
Examples:
  Show a crawler by its product token:
    verger crawlers show bingbot

  Show the crawler that sent a User-Agent header:
    verger crawlers show 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'

  Print the published lists of its addresses:
    verger crawlers show GPTBot --format json | jq -r '.ip_ranges[]'

Exit codes:
  0  at least one crawler was found
  1  the crawler is unknown
  2  an error";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_purpose_is_listed_in_order() {
        assert_eq!(PURPOSES.map(|(purpose, _)| purpose), Purpose::ALL);
    }
}
