//! The arguments of `verger check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use verger_json::Values;

use super::crawler::CrawlerArgs;
use super::dialect::DialectArgs;
use super::live::{LIVE, LiveArgs};

/// Say whether a crawler may fetch URLs, and why
///
/// With `--robots` the robots.txt is a file on disk or standard input, and nothing is fetched. Without, it
/// is that of each URL's origin: fetched, kept in a store, and fetched again when it is too old; what is
/// checked is the URL as a client would send it. With `--robots` a URL is taken as it stands, with its dot
/// segments; only percent-encodings that the protocol takes for the same are the same. A
/// text that begins with `/` or `?` is a path, which is an error without `--robots`, as it names no site; one that may be meant as something else than a URL, such as
/// `shop.example:80/cart` or `User-agent: *`, is an error. The dialect `google` takes any text.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Check {
    /// The robots.txt to check against; `-` is standard input; without it, that of the site is fetched
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

    /// Read URLs from a file, one on each line; `-` is standard input
    ///
    /// Blank lines are skipped. Can be given several times; URLs among the arguments come last.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) urls_from: Vec<PathBuf>,

    /// Answer questions in JSON Lines, with answers in JSON Lines; `-` is standard input
    ///
    /// Each line is an object with one of `robots` (text), `robots_b64` and `robots_file`, or none of them
    /// for the robots.txt of each URL's origin, fetched as without `--robots`; one of
    /// `agent`, `agents` (a chain, or with `"union": true` a union) and `crawler`; one of `url`,
    /// `url_b64` and `urls`; and `dialect` where it is not that of the command line. An answer is
    /// written for each URL, in order; where there is none, an error stands in its place. An `id`, any
    /// string or number, comes back in every answer and error of its line.
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["robots", "agents", "union", "crawler", "urls_from", "urls"]
    )]
    pub(crate) batch: Option<PathBuf>,

    /// Answer a batch on so many cores [default: all there are]
    ///
    /// The answers and their order are the same on any number of them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Show the deciding line in its place, and every other rule that matched
    ///
    /// Each of the others with the reason why it lost. JSON gets the keys `target` and `matches`.
    #[arg(long)]
    pub(crate) explain: bool,

    /// How to write the answers [default: text; jsonl with --batch]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,

    /// URLs to check
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<OsString>,

    // The last one: its heading holds for all that follow.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON array
    Json,
    /// A JSON object on each line
    Jsonl,
}

impl Format {
    /// A writer of JSON; `None` for people.
    pub(crate) const fn values(self) -> Option<Values> {
        match self {
            Self::Text => None,
            Self::Json => Some(Values::array()),
            Self::Jsonl => Some(Values::lines()),
        }
    }
}

const EXAMPLES: &str = r#"Examples:
  May GPTBot fetch these?
    verger check --robots robots.txt --agent GPTBot https://shop.example/cart /catalogue/

  Why may Google's image crawler not fetch this one?
    verger check --robots robots.txt --crawler Googlebot-Image --explain /catalogue/a.tif

  What does a draft say before it is published?
    verger check --robots draft.txt --agent GPTBot --urls-from urls.txt --format jsonl

  May GPTBot fetch this one now, by the file of the site?
    verger check --agent GPTBot https://shop.example/cart

  Many questions at once:
    printf '%s\n' '{"robots":"User-agent: *\nDisallow: /a","agent":"GPTBot","urls":["/a","/b"]}' |
      verger check --batch -

  And by the files of the sites:
    printf '%s\n' '{"agent":"GPTBot","urls":["https://shop.example/a","https://other.example/"]}' |
      verger check --batch -

Exit status:
  0  all URLs are allowed
  1  some URL is disallowed
  2  some URL could not be answered, nothing was asked, or not all answers could be written

If Verger itself could not request robots.txt (offline, the proxy, a refused address), the
answer is `disallow` with code 2: nothing may be fetched, but the rules are unknown."#;
