//! The arguments of `verger watch`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};

use super::duration;
use super::live::{LIVE, LiveArgs};
use crate::limits::LONGEST_INTERVAL;

/// Watch the robots.txt of sites, and report changes that matter
///
/// The robots.txt of each site is fetched and compared by meaning: URLs that were opened or closed,
/// statements and other lines such as sitemaps, new problems for the linter; also its status, media
/// type, redirects and length. Comments and the order of lines do not matter. Without `--once`, the
/// program runs until it is stopped, and reports a failed fetch if the next one, after five minutes
/// or a shorter interval, fails, too. A change is written first and remembered then: after a crash
/// it can be written again, with the same `id`, but none is lost.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    // Each check sends a request.
    mut_arg("max_age", |arg| arg.hide(true).conflicts_with_all(["urls", "origins"]))
)]
pub(crate) struct Watch {
    /// Sites, such as `https://shop.example`
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url, required_unless_present = "origins")]
    pub(crate) urls: Vec<OsString>,

    /// File with further sites, one on each line; `-` for standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) origins: Option<PathBuf>,

    /// Expected robots.txt, served with status 200 as `text/plain` and without a redirect: a file,
    /// `git:REVISION:PATH`, or `last` for what was served last time; `ORIGIN=` in front is for one
    /// site; can be repeated [default: last]
    #[arg(long, value_name = "[ORIGIN=]SPEC", value_hint = ValueHint::FilePath)]
    pub(crate) expect: Vec<OsString>,

    /// Check each site once, and exit with 1 if something changed
    #[arg(long)]
    pub(crate) once: bool,

    /// Time between two checks of a site, such as `90s`, `10m`, `1h` or `2d`, varied by a tenth; at
    /// least 60s; `ORIGIN=` in front is for one site; can be repeated [default: 1h]
    #[arg(long, value_name = "[ORIGIN=]DURATION", conflicts_with = "once")]
    pub(crate) interval: Vec<OsString>,

    /// Fetch also with this User-Agent header, and report if it gets another file; can be repeated
    #[arg(long = "as", value_name = "HEADER")]
    pub(crate) headers: Vec<String>,

    /// Fetch also over IPv4 only and over IPv6 only, and report if one of them gets another file
    #[arg(long, conflicts_with = "proxy")]
    pub(crate) families: bool,

    /// Folder that remembers what was reported [default: verger/watch in the user's cache
    /// directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) state: Option<PathBuf>,

    /// Fetch nothing; print the versions in the store as a log of changes
    #[arg(
        long,
        conflicts_with_all = ["expect", "once", "interval", "headers", "families", "state", "format"],
        conflicts_with_all = LIVE.map(|(id, _)| id).into_iter().filter(|id| !["store", "offline"].contains(id))
    )]
    pub(crate) history: bool,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: WatchFormat,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Format of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WatchFormat {
    /// Human-readable text
    Text,
    /// JSON, one object on each line
    Jsonl,
    /// Markdown, for an issue or a pull request
    Markdown,
}

impl Watch {
    /// The default of `--interval`.
    pub(crate) const INTERVAL: Duration = Duration::from_secs(60 * 60);

    /// The time of an `--interval`.
    pub(crate) fn duration(text: &str) -> Result<Duration, &'static str> {
        let found = duration(text)?;
        if !(Duration::from_secs(60)..=LONGEST_INTERVAL).contains(&found) {
            return Err("expected `60s` to `365d`");
        }
        Ok(found)
    }
}

const EXAMPLES: &str = "\
Examples:
  Report what changed since the last run, from cron:
    verger watch --once https://shop.example

  Check in CI that the live file is the one of the repository:
    verger watch --once --expect git:HEAD:public/robots.txt https://shop.example

  Watch two sites, one of them every ten minutes, also as Googlebot, as JSON Lines:
    verger watch https://shop.example https://news.example --interval https://news.example=10m \\
      --as 'Mozilla/5.0 (compatible; Googlebot/2.1)' --format jsonl

  Show how a robots.txt changed, as far as the store knows:
    verger watch --history https://shop.example

Exit codes:
  0  nothing changed; with `--history`: success
  1  with `--once`: at least one site changed, or differs from `--expect`
  2  an error; with `--once`: a robots.txt is unreachable; the reason is on standard error";
