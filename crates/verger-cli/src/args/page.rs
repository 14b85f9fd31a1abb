//! The arguments of `verger page`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};
use verger_page::Combine;

use super::crawler::CrawlerName;
use super::live::LiveArgs;
use super::{ReportFormat, named};

/// Show the robots directives of a page: robots meta tags, X-Robots-Tag headers, data-nosnippet
///
/// A URL is fetched only if the robots.txt of its site allows it. Redirects are followed; each
/// target is checked against the robots.txt of its site. With `--headers`, `--html` or both, the
/// response headers and the page are read from files, and nothing is fetched. Directives for all
/// crawlers and for the given crawler are merged. Each directive is shown with its line and column
/// in the headers or in the page. Statements about the use of the content are listed separately:
/// the headers Content-Usage, Content-Signal, Link with relation `license`, TDM-Reservation and
/// TDM-Policy, meta tags of the last two, and link tags with relation `license`.
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

    /// File with the response headers, as `curl --head` writes them; `-` is standard input
    ///
    /// `curl --head --location` writes the headers of each redirect, too; those of the last
    /// response are used. Their `Content-Type` sets the encoding of the page.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) headers: Option<PathBuf>,

    /// HTML file of the page; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,

    /// URL to show in the output for a page that is read from files
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: Option<OsString>,

    /// Name of the crawler; repeat it for your own list of tokens, whose directives are merged
    ///
    /// A known crawler has its fallback names: directives for `Googlebot` apply to
    /// `Googlebot-News`, too. A value with a version, or a full User-Agent header, is parsed as in
    /// `verger check`. Without a crawler, only directives that apply to all crawlers are used.
    #[arg(
        long = "agent",
        alias = "crawler",
        value_name = "NAME",
        value_parser = CrawlerName,
        hide_possible_values = true
    )]
    pub(crate) agents: Vec<OsString>,

    /// Product token of the crawler, without fallbacks
    #[arg(long, value_name = "TOKEN", conflicts_with = "agents")]
    pub(crate) token: Option<OsString>,

    /// Vendor whose rules apply when directives conflict
    #[arg(long, value_name = "VENDOR", value_parser = named(COMBINES, |row| row.name), default_value = "google")]
    pub(crate) combine: Combine,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// The published ways to combine in their order, each with a line of help.
const COMBINES: [(Combine, &str); Combine::PUBLISHED.len()] = [
    (Combine::GOOGLE, "The more restrictive directive wins"),
    (Combine::BING, "Like google, but nocache takes precedence over noarchive"),
    (Combine::YANDEX, "Like google, but index, follow, archive and all win over their opposites"),
];

const EXAMPLES: &str = r"Examples:
  Show the directives of a saved page for Googlebot:
    verger page --headers head.txt --html page.html --agent Googlebot

  Fetch a page and show its directives:
    verger page https://shop.example/ --agent Googlebot-News

  Show why robots.txt allows or disallows the page, and the redirects:
    verger page https://shop.example/ --format json | jq '.check.reason, .fetch'

  Read the response headers from curl through a pipe:
    curl -s --head https://shop.example/ | verger page --headers - --agent Googlebot-News

  Resolve conflicts by Bing's rules:
    verger page --html page.html --agent bingbot --combine bing --format json

Exit codes:
  0  no directive restricts indexing or following links
  1  at least one directive does: noindex, nofollow, none, unavailable_after with a past date
  2  a file could not be read, robots.txt disallows the page or a redirect target, or a fetch
     failed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_combine_is_listed_in_order() {
        assert_eq!(COMBINES.map(|(row, _)| row), Combine::PUBLISHED);
    }
}
