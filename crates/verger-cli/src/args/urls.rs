//! The arguments that name URLs of a site.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use verger_audit::log::LogFormat;

use crate::input::place;

/// Lists, sitemaps and logs.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "URLs of the site")]
pub(crate) struct UrlArgs {
    /// File with a URL or path on each line; `-` is standard input; can be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) urls: Vec<PathBuf>,

    /// Sitemap, index of sitemaps, or feed in RSS or Atom: a file or a URL; can be repeated
    ///
    /// A URL is fetched politely, with the sitemaps of an index. The sitemaps of an index in a file
    /// are read from files of the same name in the same folder. If some of them cannot be read, the
    /// others are, and the exit code is 2.
    #[arg(long, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) sitemap: Vec<OsString>,

    /// Access log; `-` is standard input; can be repeated
    ///
    /// The formats are common and combined of Apache and nginx, JSON lines, those of `HAProxy`,
    /// Envoy and the load balancers of AWS, and the W3C extended format of IIS and `CloudFront`.
    /// The first line with a request decides. Later lines in another format are counted as skipped,
    /// and a file in another format is an error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) log: Vec<PathBuf>,

    /// Format of the logs, as in `log_format` of nginx: `$remote_addr [$time_local] "$request"`
    #[arg(long, value_name = "FORMAT", requires = "log", value_parser = LogFormat::custom)]
    pub(crate) log_format: Option<LogFormat>,

    /// Of the logs, count only requests of this crawler: its name is a product token of their
    /// User-Agent header, in upper or lower case
    ///
    /// The rules for this crawler apply to them, unless `coverage` has flags for another one.
    #[arg(long, value_name = "NAME", requires = "log")]
    pub(crate) log_agent: Option<String>,
}

impl UrlArgs {
    /// Whether there are any.
    pub(crate) fn are_given(&self) -> bool {
        !(self.urls.is_empty() && self.sitemap.is_empty() && self.log.is_empty())
    }

    /// The lists and logs, which can be standard input.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &Path> {
        self.urls.iter().chain(&self.log).map(PathBuf::as_path)
    }

    /// The names of all, escaped.
    pub(crate) fn names(&self) -> Vec<String> {
        let sitemaps = self.sitemap.iter().map(Path::new);
        let paths = self.urls.iter().map(PathBuf::as_path).chain(sitemaps);
        paths.chain(self.log.iter().map(PathBuf::as_path)).map(place).collect()
    }
}
