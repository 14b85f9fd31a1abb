//! The arguments of `verger page`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum, ValueHint};
use verger_page::Combine;

use super::live::LiveArgs;
use super::values::CrawlerName;

/// Say what a page tells a crawler: robots meta elements, X-Robots-Tag, data-nosnippet
///
/// A URL is fetched, if the robots.txt of its site lets the crawler in; redirects are followed, each by the
/// robots.txt of its own site. Or response head and page are files on disk or standard input, and nothing
/// is fetched. What is for everybody and what is for the crawler add up, and every directive is told with
/// its place.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    group = ArgGroup::new("sources").args(["address", "headers", "html"]).required(true).multiple(true)
)]
pub(crate) struct Page {
    /// The page to be fetched
    #[arg(
        value_name = "URL",
        value_hint = ValueHint::Url,
        conflicts_with_all = ["headers", "html", "url"]
    )]
    pub(crate) address: Option<OsString>,

    /// The response head, such as `curl --head` writes it; `-` is standard input
    ///
    /// Of several heads one after another, as redirects leave them, the last one counts. A `Content-Type`
    /// says the encoding of the page.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) headers: Option<PathBuf>,

    /// The page; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,

    /// The URL of the page that the files are of, to be repeated in the answer
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: Option<OsString>,

    /// The crawler's name; several are a chain, and what is for any of them is for the crawler
    ///
    /// A text with a version, or a whole User-Agent header, is read as in `verger check`. Without a crawler only
    /// what is for everybody counts.
    #[arg(long = "agent", value_name = "TOKEN")]
    pub(crate) agents: Vec<OsString>,

    /// A known crawler, with the names that its vendor documents
    #[arg(
        long,
        value_name = "NAME",
        value_parser = CrawlerName,
        hide_possible_values = true,
        conflicts_with = "agents"
    )]
    pub(crate) crawler: Option<String>,

    /// How directives that contradict each other are combined
    #[arg(long, value_name = "VENDOR", value_parser = combine(), default_value = "google")]
    pub(crate) combine: Combine,

    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PageFormat,

    // The last one: its heading holds for all that follow.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// How an answer about a page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
}

fn combine() -> impl TypedValueParser<Value = Combine> {
    let names = Combine::PUBLISHED.map(|row| PossibleValue::new(row.name).help(summary(row)));
    PossibleValuesParser::new(names)
        .try_map(|name| Combine::named(&name).ok_or("expected the name of a vendor"))
}

fn summary(row: Combine) -> &'static str {
    match row.name {
        "google" => "The more restrictive one wins",
        "bing" => "As google, but nocache beside noarchive is nocache alone",
        "yandex" => "Of two opposites the permissive one wins",
        _ => "",
    }
}

const EXAMPLES: &str = r"Examples:
  May Googlebot show this page, and who says so?
    verger page --headers head.txt --html page.html --agent Googlebot

  The same of a page that is there:
    verger page https://shop.example/ --crawler Googlebot-News

  Why may it be fetched, and where did it lead?
    verger page https://shop.example/ --format json | jq '.check.reason, .fetch'

  And as another program fetched it:
    curl -s --head https://shop.example/ | verger page --headers - --crawler Googlebot-News

  What does Bing make of it?
    verger page --html page.html --crawler bingbot --combine bing --format json

Exit status:
  0  nothing restricts indexing or following
  1  something does: noindex, nofollow, none, unavailable_after (whatever its date)
  2  a file could not be read; or the page may not be fetched, or is not there";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_combine_has_a_summary() {
        for row in Combine::PUBLISHED {
            assert!(!summary(row).is_empty(), "{row}");
        }
    }
}
