//! The arguments of `verger enforce`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::TypedValueParser as _;
use clap::{ArgAction, ArgGroup, Args, ValueHint};
use ipnet::IpNet;
use verger_enforce::{Target, Unproved};
use verger_fetch::guard::parse_net;
use verger_registry::Purpose;

use super::crawler::{CrawlerName, DialectArgs};
use super::crawlers::PURPOSES;
use super::identify::PROXY_HEADER;
use super::live::LiveArgs;
use super::{ReportFormat, named};

/// Compile a robots.txt to rules of a web server, or prove that a server keeps to it
///
/// The rules refuse requests of crawlers for targets that robots.txt disallows to them, in any
/// spelling: `/%70rivate`, `//private` and `/x/../private` are `/private`. Crawlers are found by
/// their product token as a whole word of the User-Agent header. `/robots.txt` and `/.well-known/`
/// always pass. Before anything is written, the rules are compared with the engine on canonical
/// targets, which show every difference that a policy can make.
///
/// Without `--purpose` and `--agent`, the rules are for all known crawlers (`verger crawlers`) and
/// for those that the file names. Browsers always pass, unless `--star-for all`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("result").args(["target", "prove"]).required(true))]
pub(crate) struct Enforce {
    /// robots.txt: a file, `-` for standard input, any URL on a site, or `git:REVISION:PATH`
    #[arg(value_name = "ROBOTS", value_hint = ValueHint::FilePath)]
    pub(crate) robots: OsString,

    /// Write the rules for this server to standard output. lighttpd is not among them, because its
    /// conditions do not see the raw target
    #[arg(long, value_name = "SERVER", value_parser = named(Target::ALL.map(|it| (it, it.title())), |it| it.name()))]
    pub(crate) target: Option<Target>,

    /// Send canonical targets to the running server of this URL without a path, as every crawler
    /// and as a browser, and report every answer that differs from robots.txt. Any server, with or
    /// without these rules
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, conflicts_with_all = ["offline", "proxy"])]
    pub(crate) prove: Option<OsString>,

    /// Enforce the rules for known crawlers with this purpose only; can be repeated or a list with
    /// commas
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = named(PURPOSES, |it| it.name()))]
    pub(crate) purpose: Vec<Purpose>,

    /// Enforce the rules for this crawler only, or also for it with `--purpose`; can be repeated
    #[arg(long, value_name = "NAME", value_parser = CrawlerName.try_map(as_text), hide_possible_values = true)]
    pub(crate) agent: Vec<String>,

    /// Apply the rules for `*` to requests that name no known crawler, too
    #[arg(long = "star-for", value_name = "WHO", action = ArgAction::Set, default_value = "known", value_parser = named(STAR_FOR, |all| if *all { "all" } else { "known" }))]
    pub(crate) star_for_all: bool,

    /// Believe the name of a crawler only from the addresses that its operator publishes, and treat
    /// others in this way. Crawlers without published addresses are believed, and a note says so
    #[arg(long, value_name = "OTHERS", value_parser = named(UNPROVED, |it| it.name()), conflicts_with = "prove")]
    pub(crate) verified: Option<Unproved>,

    /// Directory of lists (`verger identity update DIR`), instead of those of this release
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "verified")]
    pub(crate) lists: Option<PathBuf>,

    /// Network of a proxy or CDN in front of the server; can be repeated
    #[arg(long, value_name = "CIDR", value_parser = parse_net, requires = "verified")]
    pub(crate) trusted_proxy: Vec<IpNet>,

    /// Field in which the trusted proxies write the address of the client
    #[arg(long, value_name = "NAME", default_value = PROXY_HEADER, requires = "trusted_proxy")]
    pub(crate) proxy_header: String,

    /// Answer to a refused request: `403`, `429`, `444` (the connection is closed), a URL to
    /// redirect to, or `page:FILE`, status 403 with the HTML of a file
    #[arg(long, value_name = "ANSWER", default_value = "403")]
    pub(crate) answer: OsString,

    /// Write the rules also if the server cannot express all of them. The output names each missing
    /// rule, and whether it is stricter or looser without it
    #[arg(long)]
    pub(crate) approximate: bool,

    /// Write no rules, but show how this file differs from them, and fail if it does: robots.txt,
    /// the data or the arguments have changed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "target")]
    pub(crate) check: Option<PathBuf>,

    /// With `--check`: fail also if the data about crawlers or the lists of addresses are older
    /// than this number of days
    #[arg(long, value_name = "DAYS", requires = "check")]
    pub(crate) max_days: Option<u64>,

    /// With `--prove`: maximum number of targets of each list of rules, which one of its crawlers
    /// asks for. Some more requests are sent, as it and as every other crawler
    #[arg(long, value_name = "N", default_value_t = 500, requires = "prove")]
    pub(crate) requests: usize,

    /// With `--prove`: maximum number of requests in a second
    #[arg(long, value_name = "N", default_value = "50", value_parser = pause, requires = "prove")]
    pub(crate) rate: Duration,

    /// With `--prove`: send HEAD instead of GET
    #[arg(long, requires = "prove")]
    pub(crate) head: bool,

    /// Format of the report of `--prove`
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    #[command(flatten)]
    pub(crate) reading: DialectArgs,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Whether the rules for `*` apply to all requests.
const STAR_FOR: [(bool, &str); 2] = [
    (false, "Those of known crawlers without a group of their own"),
    (true, "All, also those of browsers"),
];

const UNPROVED: [(Unproved, &str); 2] =
    [(Unproved::Refuse, "Refuse everything"), (Unproved::Star, "Apply the rules for `*`")];

fn as_text(name: OsString) -> Result<String, &'static str> {
    name.into_string().map_err(|_| "expected UTF-8")
}

/// The time between requests, from their number in a second.
fn pause(text: &str) -> Result<Duration, &'static str> {
    let rate = text.parse::<u32>().ok().filter(|rate| (1..=1_000).contains(rate));
    rate.map(|rate| Duration::from_secs(1) / rate).ok_or("expected a number from 1 to 1000")
}

const EXAMPLES: &str = "\
Examples:
  Rules for nginx, for crawlers that collect training data:
    verger enforce robots.txt --target nginx --purpose training > verger.conf

  Does the running server keep to the file?
    verger enforce robots.txt --prove http://127.0.0.1:8080 --allow-net 127.0.0.1

  In continuous integration: is the file of rules up to date?
    verger enforce robots.txt --target nginx --purpose training --check verger.conf --max-days 90

  Googlebot only from addresses of Google; others with this name are refused:
    verger enforce robots.txt --target nginx --agent Googlebot --verified refuse

Exit codes:
  0  the rules were written; with `--check`, they are up to date; with `--prove`, every answer agrees
  1  with `--check`, they are not; with `--prove`, an answer differs
  2  an error: a file could not be read, or a rule cannot be expressed; nothing is written";
