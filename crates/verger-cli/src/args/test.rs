//! The arguments of `verger test`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};

use super::crawler::DialectArgs;
use super::live::LiveArgs;

/// Test a robots.txt: URLs that must be allowed or disallowed, paths that must be open or closed
///
/// The tests are in a file in TOML, with tables `[[test]]`. Each has a `name`, the `crawlers`
/// (names, with their documented fallbacks, or `*` for all others; the default is `*`), and any of
/// these lists:
///
/// `allow`, `disallow`: URLs or paths with this answer.
/// `open`, `closed`: patterns, such as `/products/` or `/*.pdf$`, whose URLs are all allowed or all
/// disallowed. This is proved, not sampled.
/// `sitemaps`: sitemaps, as files or URLs, whose URLs are all allowed.
/// `statements`: lines such as `Crawl-delay: 5` that apply to the crawlers.
/// `headers`: a table of URLs; the response of each has these header fields. Skipped, unless the
/// robots.txt is that of a site.
///
/// The key `robots` at the beginning of the file names the robots.txt. Unknown keys are errors.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, verbatim_doc_comment)]
pub(crate) struct Test {
    /// File of tests; `-` is standard input [default: robots.test.toml]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,

    /// robots.txt to test: a file, any URL on a site, or `git:REVISION:PATH` [default: that of the
    /// key `robots`, or `robots.txt` beside the tests]
    #[arg(long, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<OsString>,

    /// Write a proposal of tests for the present robots.txt to standard output
    #[arg(long, conflicts_with = "format")]
    pub(crate) init: bool,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: TestFormat,

    /// Read this name of a crawler in the tests as a product token without fallbacks; can be
    /// repeated
    #[arg(long = "token", value_name = "TOKEN", conflicts_with = "init")]
    pub(crate) tokens: Vec<String>,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

impl Test {
    /// The file of tests.
    pub(crate) fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new("robots.test.toml"))
    }
}

/// Format of test results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// Human-readable text
    Text,
    /// JSON
    Json,
    /// XML in the form of JUnit, for continuous integration
    #[expect(clippy::doc_markdown, reason = "the text is help")]
    Junit,
    /// Workflow commands of GitHub Actions: annotations in pull requests
    Github,
}

const EXAMPLES: &str = r#"Examples:
  Propose tests for the present robots.txt:
    verger test --init --robots robots.txt > robots.test.toml

  Run the tests of robots.test.toml:
    verger test

  Run them against the live site, for continuous integration:
    verger test --robots https://shop.example --format junit > results.xml

  A file of tests:
    robots = "robots.txt"

    [[test]]
    name = "search engines see the shop"
    crawlers = ["Googlebot", "Bingbot"]
    allow = ["/", "/products/7?colour=red"]
    open = ["/products/"]
    closed = ["/admin/"]
    sitemaps = ["sitemap.xml"]

    [[test]]
    name = "no training"
    crawlers = ["GPTBot", "CCBot"]
    closed = ["/"]

Exit codes:
  0  all tests passed
  1  a test failed
  2  a file could not be read, or the file of tests is invalid"#;
