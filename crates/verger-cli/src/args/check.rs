//! The arguments of `verger check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use verger_json::Values;

use super::crawler::{CrawlerArgs, DialectArgs};
use super::live::{LIVE, LiveArgs};

/// Check whether a crawler may fetch URLs, and why
///
/// Without `--robots`, each URL is checked against the robots.txt of its site, which is fetched,
/// stored, and fetched again when it is no longer fresh. The URL is checked as a client sends it,
/// so it must name a site.
///
/// With `--robots`, all URLs are checked against one file, and nothing is fetched. A URL can be a
/// path that begins with `/` or `?`. It is compared as given, with its dot segments; only
/// equivalent percent-encodings are equal.
///
/// A text that is probably not a URL, such as `shop.example:80/cart` or `User-agent: *`, is an
/// error. Dialect `google` accepts any text.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Check {
    /// robots.txt to check against; `-` is standard input [default: fetch that of each URL's site]
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = LIVE
    )]
    pub(crate) robots: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    /// Read URLs from a file, one on each line; `-` is standard input; can be repeated
    ///
    /// Blank lines are skipped. URLs among the arguments are checked last.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) urls_from: Vec<PathBuf>,

    /// Read questions from a file in JSON Lines, and write answers in JSON Lines; `-` is standard
    /// input
    ///
    /// Each line is an object. Its robots.txt is `robots` (text), `robots_b64` (base64) or
    /// `robots_file` (a path); without these keys, that of each URL's site is fetched. Its crawler
    /// is `agent`, `agents` (a list, most specific first; with `"union": true` all together) or
    /// `crawler` (a known name). Its URLs are `url`, `url_b64` or `urls`. `dialect` replaces the
    /// dialect of the command line.
    ///
    /// Every URL gets an answer, or an error in its place, in order. `id`, a string or a number, is
    /// repeated in each answer and error of its line.
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["robots", "agents", "union", "crawler", "urls_from", "urls"]
    )]
    pub(crate) batch: Option<PathBuf>,

    /// Number of threads for `--batch` [default: number of cores]
    ///
    /// The answers and their order do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Show the deciding line in its context, and all other matching rules
    ///
    /// Each other rule is shown with the reason why it does not decide. JSON gets the keys `target`
    /// and `matches`.
    #[arg(long)]
    pub(crate) explain: bool,

    /// Format of the answers [default: text; jsonl with --batch]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,

    /// URLs to check
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<OsString>,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Format of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Text,
    /// One JSON array
    Json,
    /// JSON Lines: one object on each line
    Jsonl,
}

impl Format {
    /// The JSON writer of the format; `None` for text.
    pub(crate) const fn values(self) -> Option<Values> {
        match self {
            Self::Text => None,
            Self::Json => Some(Values::array()),
            Self::Jsonl => Some(Values::lines()),
        }
    }
}

const EXAMPLES: &str = r#"Examples:
  Check two URLs against a file:
    verger check --robots robots.txt --agent GPTBot https://shop.example/cart /catalogue/

  Explain an answer for Google's image crawler:
    verger check --robots robots.txt --crawler Googlebot-Image --explain /catalogue/a.tif

  Check a list of URLs, with answers in JSON Lines:
    verger check --robots draft.txt --agent GPTBot --urls-from urls.txt --format jsonl

  Check a URL against the robots.txt of its site:
    verger check --agent GPTBot https://shop.example/cart

  Answer many questions, each with its robots.txt:
    printf '%s\n' '{"robots":"User-agent: *\nDisallow: /a","agent":"GPTBot","urls":["/a","/b"]}' |
      verger check --batch -

  Answer many questions by the robots.txt of the sites:
    printf '%s\n' '{"agent":"GPTBot","urls":["https://shop.example/a","https://other.example/"]}' |
      verger check --batch -

Exit status:
  0  all URLs are allowed
  1  some URL is disallowed
  2  some URL could not be answered, there was no URL, or output failed

If Verger itself could not request robots.txt (offline, the proxy, a refused address), the
answer is `disallow` with code 2: nothing may be fetched, but the rules are unknown."#;
