//! The arguments of `verger check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use verger_json::Values;

use super::crawler::{CrawlerArgs, DialectArgs};
use super::live::{LIVE, LiveArgs};

/// Check whether a crawler may fetch URLs, and why
///
/// Without `--robots`, Verger fetches the robots.txt of each URL's site and stores it. It uses the
/// stored robots.txt as long as it is fresh. URLs must be absolute. Verger normalises them as HTTP
/// clients do, so `/a/../b` is checked as `/b`.
///
/// With `--robots`, all URLs are checked against one file, and nothing is fetched. Instead of a
/// full URL, you can give a path (`/cart`) or a query (`?id=7`, checked as `/?id=7`). Dot segments
/// (`/../`) are compared as given. Percent-encodings are normalised by the dialect: in `rfc9309`,
/// `/%63art` equals `/cart`.
///
/// A value that is probably not a URL, such as `shop.example:80/cart` or `User-agent: *`, is an
/// error. With `--robots`, dialect `google` accepts any value.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Check {
    /// robots.txt to check against; `-` is standard input [default: fetched from each URL's site]
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = LIVE.map(|(id, _)| id)
    )]
    pub(crate) robots: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    /// File of URLs, one per line; `-` is standard input; can be repeated
    ///
    /// Blank lines are skipped. URLs given as arguments are checked after these.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) urls_from: Vec<PathBuf>,

    /// File of questions in JSON Lines; the answers are written in JSON Lines; `-` is standard
    /// input
    ///
    /// Each line is a question, a JSON object. Give the robots.txt in `robots` (text), `robots_b64`
    /// (base64) or `robots_file` (a path); without these keys, Verger fetches the robots.txt of
    /// each URL's site. Give the crawler in `agent` (a name, with its documented fallbacks),
    /// `token` (a product token without fallbacks) or `agents` (a list of tokens, most specific
    /// first; with `"union": true`, the groups of all are merged). Give the URLs in `url`,
    /// `url_b64` or `urls` (a list). `dialect` overrides `--dialect`.
    ///
    /// The output has one answer or one error for each URL, in input order. `id`, a string or a
    /// number, is copied to each answer and error of its line.
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["robots", "agents", "union", "token", "urls_from", "urls"]
    )]
    pub(crate) batch: Option<PathBuf>,

    /// Number of threads for `--batch` [default: number of cores]
    ///
    /// Answers and order are the same for any number of threads.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Show the deciding line and its group, and all other matching rules
    ///
    /// Each other rule is shown with the reason why it does not decide. JSON output also contains
    /// `target` (the part of the URL that is compared with rules) and `matches` (all matching
    /// rules).
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
    /// Human-readable text
    Text,
    /// One JSON array
    Json,
    /// JSON Lines: one object per line
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
    verger check --robots robots.txt --agent Googlebot-Image --explain /catalogue/a.tif

  Check a list of URLs, with answers in JSON Lines:
    verger check --robots draft.txt --agent GPTBot --urls-from urls.txt --format jsonl

  Check a URL against the robots.txt of its site:
    verger check --agent GPTBot https://shop.example/cart

  Check many URLs against robots.txt files in the input:
    printf '%s\n' '{"robots":"User-agent: *\nDisallow: /a","agent":"GPTBot","urls":["/a","/b"]}' |
      verger check --batch -

  Check many URLs against the robots.txt of their sites:
    printf '%s\n' '{"agent":"GPTBot","urls":["https://shop.example/a","https://other.example/"]}' |
      verger check --batch -

Exit codes:
  0  all URLs are allowed
  1  at least one URL is disallowed
  2  at least one URL could not be checked, no URL was given, a file could not be read, or output
     failed

A URL cannot be checked if it is invalid, or if Verger itself could not request its robots.txt
(`--offline`, proxy error, refused address) and the store has no usable record of the site. In the
second case, the rules are unknown, so the URL must not be fetched. It is shown as `disallow` with
the note `not answered` (JSON: `"unanswered": true`), and the exit code is 2, not 1."#;
