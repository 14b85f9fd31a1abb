//! The arguments of `verger page`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueHint};
use verger_page::Combine;

use super::ReportFormat;
use super::crawler::CrawlerName;
use super::live::LiveArgs;

/// Show the directives of a page for a crawler: robots meta elements, X-Robots-Tag, data-nosnippet
///
/// A URL is fetched if the robots.txt of its site allows it. Redirects are followed, each checked
/// against the robots.txt of its site. With `--headers` or `--html`, the response head and the page
/// are files, and nothing is fetched. Directives for all crawlers and for the given crawler are
/// merged, and each is shown with its position.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    group = ArgGroup::new("sources").args(["address", "headers", "html"]).required(true).multiple(true)
)]
pub(crate) struct Page {
    /// URL of the page to fetch
    #[arg(
        value_name = "URL",
        value_hint = ValueHint::Url,
        conflicts_with_all = ["headers", "html", "url"]
    )]
    pub(crate) address: Option<OsString>,

    /// File of the response head, as `curl --head` writes it; `-` is standard input
    ///
    /// Of several heads, which `curl` writes after redirects, the last one is used. Its
    /// `Content-Type` sets the encoding of the page.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) headers: Option<PathBuf>,

    /// File of the page; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,

    /// URL of the page in the files, to show in the output
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: Option<OsString>,

    /// Name of the crawler; repeat it for several names, whose directives are merged
    ///
    /// A text with a version, or a whole User-Agent header, is read as in `verger check`. Without a
    /// crawler, only directives for all crawlers are used.
    #[arg(long = "agent", value_name = "TOKEN")]
    pub(crate) agents: Vec<OsString>,

    /// Name of a known crawler, with the names that its vendor documents
    #[arg(
        long,
        value_name = "NAME",
        value_parser = CrawlerName,
        hide_possible_values = true,
        conflicts_with = "agents"
    )]
    pub(crate) crawler: Option<String>,

    /// Vendor whose rules resolve contradictory directives
    #[arg(long, value_name = "VENDOR", value_parser = combine(), default_value = "google")]
    pub(crate) combine: Combine,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

fn combine() -> impl TypedValueParser<Value = Combine> {
    let names = Combine::PUBLISHED.map(|row| PossibleValue::new(row.name).help(summary(row)));
    PossibleValuesParser::new(names)
        .try_map(|name| Combine::named(&name).ok_or("expected the name of a vendor"))
}

fn summary(row: Combine) -> &'static str {
    match row.name {
        "google" => "The more restrictive directive wins",
        "bing" => "As google, but nocache replaces noarchive if both are present",
        "yandex" => "The more permissive of two opposite directives wins",
        _ => "",
    }
}

const EXAMPLES: &str = r"Examples:
  Show the directives of a saved page for Googlebot:
    verger page --headers head.txt --html page.html --agent Googlebot

  Fetch a page and show its directives:
    verger page https://shop.example/ --crawler Googlebot-News

  Show the answer of robots.txt and the redirects:
    verger page https://shop.example/ --format json | jq '.check.reason, .fetch'

  Read the response head of another program:
    curl -s --head https://shop.example/ | verger page --headers - --crawler Googlebot-News

  Resolve contradictions by Bing's rules:
    verger page --html page.html --crawler bingbot --combine bing --format json

Exit status:
  0  no directive restricts indexing or following links
  1  some directive does: noindex, nofollow, none, unavailable_after (with any date)
  2  a file could not be read, the page may not be fetched, or the fetch failed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vendor_has_a_summary() {
        for row in Combine::PUBLISHED {
            assert!(!summary(row).is_empty(), "{row}");
        }
    }
}
