//! The arguments and their help.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use verger::access::Profile;
use verger::{Dialect, UnknownName};
use verger_json::NamedCrawler;
use verger_metrics::Pack;
use verger_registry::Registry;

use crate::check_column::CheckColumn;
use crate::console::note;
use crate::error::{Error, Result, brief};
use crate::limits::MEMORY_MIB;
use crate::output::Codec;
use crate::time;

/// Process robots.txt files and URLs of archives: WARC, ARC, Parquet, CSV, JSON Lines
///
/// `policies` compiles the robots.txt files of archives, with the times when they were in force.
/// `check` checks lists of URLs against them. `metrics` and `changes` describe the files.
///
/// Inputs are files, folders and URLs (`s3://`, `https://`); the ending of a file names its format.
/// The output is Parquet or JSON Lines, by its ending, on this machine or in `s3://`. Beside it,
/// `OUTPUT.report.json` has all counts, and `OUTPUT.skipped.jsonl` lists damaged and unusable
/// records.
///
/// A run uses all cores. If it was interrupted, the same command continues it. The output has the
/// same bytes on any number of cores, also after an interruption.
#[derive(Debug, Parser)]
#[command(name = "verger-bulk", bin_name = "verger bulk", version, after_long_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Policies(Policies),
    Check(Check),
    Metrics(Metrics),
    Changes(Changes),
    Completions(Completions),
    Man(Man),
}

/// Compile the robots.txt files of archives, with the times when they were in force
///
/// Each row is a version of the robots.txt of one origin for one crawler. Equal captures in a row
/// are one version. Redirects and revisit records are followed inside the input.
///
/// Columns: `origin`, `valid_from`, `valid_until`, `last_seen`, `captures`, `status`, `redirects`,
/// `access` (`rules`, `allow_all`, `disallow_all` or `unknown`), `reason`, `hash` (SHA-256),
/// `bytes`, `agent`, `policy`.
#[derive(Debug, Args)]
#[command(after_long_help = POLICIES_EXAMPLES)]
pub(crate) struct Policies {
    #[command(flatten)]
    pub(crate) crawlers: CrawlerArgs,

    /// Leave out the explanations of policies
    ///
    /// Policies are less than half as large. `check --explain` then has no patterns.
    #[arg(long)]
    pub(crate) short: bool,

    /// Also write the files of all captures, for `verger audit --history`: a folder for each origin
    ///
    /// A name such as `2026-03-01T123000Z-seen.txt` has the time of the capture.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) files: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) input: CaptureArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Check lists of URLs against policies
///
/// Each row of the output is one URL and one crawler. `allowed` is null if the rules are unknown,
/// and `reason` says why: `unknown_origin`, `before_first_capture`, `expired` and others. A null is
/// never a permission.
///
/// Columns: those of `--keep`, then those of `--columns`, then those of `--explain`.
#[derive(Debug, Args)]
#[command(after_long_help = CHECK_EXAMPLES)]
pub(crate) struct Check {
    /// Lists of URLs: Parquet, CSV, JSON Lines, or text with one URL on each line; files or folders
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<PathBuf>,

    /// Policies in Parquet, from `verger bulk policies` or with the same columns; can be repeated
    #[arg(long, required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) policies: Vec<PathBuf>,

    /// Crawler in the policies; can be repeated [default: all]
    #[arg(long = "agent", value_name = "NAME")]
    pub(crate) agents: Vec<String>,

    /// Column with the URLs
    #[arg(long, value_name = "NAME", default_value = "url")]
    pub(crate) url_column: String,

    /// Column with the times of the URLs: use the rules that were in force then [default: use the
    /// latest rules]
    ///
    /// Times are timestamps, dates, whole seconds since 1970, RFC 3339, or 14 digits.
    #[arg(long, value_name = "NAME")]
    pub(crate) time_column: Option<String>,

    /// Maximum time after the last capture of rules until they count as unknown, such as `30d`
    /// [default: until the next capture]
    #[arg(long, value_name = "TIME", value_parser = time::parse_length, requires = "time_column")]
    pub(crate) max_age: Option<i64>,

    /// Column of the input to copy to the output; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Vec<String>,

    /// Columns of the output after those of `--keep`, in this order, separated by commas [default:
    /// url,time,agent,allowed,reason; `time` only with `--time-column`]
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        hide_default_value = true
    )]
    columns: Vec<CheckColumn>,

    /// Add the deciding rule: the columns `kind`, `pattern`, `line` and `valid_from`
    #[arg(long)]
    explain: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Count the contents of robots.txt files: lines, groups, rules, statements
///
/// Each row is one capture of a robots.txt, in the order of the input. Redirects and revisit records
/// are not followed; the report counts them.
///
/// Columns: `origin`, `time`, `status`, `content_type`, `hash`, and the counts. `hash` and counts
/// are null unless the record has a file: its status is 2xx, and it is not a revisit record.
#[derive(Debug, Args)]
#[command(after_long_help = METRICS_EXAMPLES)]
pub(crate) struct Metrics {
    /// Published statistics instead of the counts: the columns of a metric pack
    #[arg(long, value_name = "NAME", value_parser = named::<Pack>(Pack::ALL.map(Pack::name)))]
    pub(crate) pack: Option<Pack>,

    /// Also write the tables of the pack over all captures, into the folder `OUTPUT.tables`
    ///
    /// Each capture with a file counts as one site. If the input has a column `rank`, the tables
    /// also have the sites of the ranks up to 1,000, 10,000, 100,000 and 1,000,000.
    #[arg(long, requires = "pack")]
    pub(crate) tables: bool,

    #[command(flatten)]
    pub(crate) input: CaptureArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Show which URLs changes of robots.txt opened and closed, between captures
///
/// Each row is a change of the meaning of one origin's robots.txt for one crawler. Changes of the
/// text without an effect have no row.
///
/// Columns: `origin`, `before` and `after` (times of both versions), `agent`, `access_before`,
/// `access_after`, `opened` and `closed` (example URLs), `undecided`.
#[derive(Debug, Args)]
#[command(after_long_help = CHANGES_EXAMPLES)]
pub(crate) struct Changes {
    #[command(flatten)]
    pub(crate) crawlers: CrawlerArgs,

    #[command(flatten)]
    pub(crate) input: CaptureArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Print a completion script of the program `verger-bulk` for a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Target shell
    pub(crate) shell: Shell,
}

/// Print the manual page, or write the pages of all commands into a directory
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Directory for all pages; it is created if necessary [default: print the page of verger bulk]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

/// The input of captures, and the meaning of files and responses.
#[derive(Debug, Args)]
pub(crate) struct CaptureArgs {
    /// Captures of robots.txt: WARC, ARC or WACZ, or a table in Parquet, CSV or JSON Lines; files
    /// or folders
    ///
    /// Columns of a table: `url` or `origin`, `robots` (text or bytes), and if known `status`,
    /// `time` and `location`. A row without a status is a successful fetch if it has a text,
    /// otherwise a fetch without a response.
    ///
    /// An index (CDXJ, or Common Crawl's columns in Parquet) selects the records of robots.txt in
    /// archives. A file that ends with `.paths` has a path of an input on each line.
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<PathBuf>,

    /// Folder or URL of the relative paths in lists and indexes [default: the folder of the list]
    ///
    /// Folders at the end of the default with which a path begins are not repeated.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) base: Option<PathBuf>,

    /// Time of captures in tables without a column of times
    #[arg(long, value_name = "TIME", value_parser = time_of, default_value = "1970-01-01T00:00:00Z")]
    pub(crate) time: i64,

    /// Dialect of robots.txt: which specification or parser to follow
    #[arg(long, value_name = "NAME", value_parser = named::<Dialect>(Dialect::PUBLISHED.map(|row| row.name)), default_value = Dialect::default().name)]
    pub(crate) dialect: Dialect,

    /// Access profile: how to treat failed and redirected fetches of robots.txt
    #[arg(long, value_name = "NAME", value_parser = named::<Profile>(Profile::ALL.map(|row| row.name)), default_value = Profile::default().name)]
    pub(crate) access: Profile,
}

/// The crawlers.
#[derive(Debug, Args)]
pub(crate) struct CrawlerArgs {
    /// Name of a crawler, such as `GPTBot`, or its User-Agent header; repeat it for more crawlers
    ///
    /// A known crawler has the fallbacks and special rules that its operator documents:
    /// `Googlebot-Image` obeys the groups for `Googlebot` if it has none of its own.
    #[arg(
        long = "agent",
        alias = "crawler",
        value_name = "NAME",
        required_unless_present = "tokens"
    )]
    agents: Vec<String>,

    /// Product token of a crawler, without fallbacks; can be repeated
    #[arg(long = "token", value_name = "TOKEN")]
    tokens: Vec<String>,
}

/// Output and resources of a run.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Output: a file that ends with `.parquet` or `.jsonl`, a folder for several Parquet files, a
    /// URL of S3, or `-` for JSON Lines at standard output
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: PathBuf,

    /// Format of the summary at the end
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: SummaryFormat,

    /// Compression of Parquet
    #[arg(long, value_enum, value_name = "NAME", default_value = "lz4")]
    pub(crate) compression: Codec,

    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,

    /// Memory for policies and partitions, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MEMORY_MIB, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) memory: u64,

    /// Folder for intermediate files [default: OUTPUT.work; for an output in S3, in the current
    /// folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) work: Option<PathBuf>,

    /// Delete the work folder of an interrupted run, and begin again
    #[arg(long)]
    pub(crate) restart: bool,
}

/// Format of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SummaryFormat {
    /// Human-readable text
    Text,
    /// JSON
    Json,
}

impl Check {
    /// The columns of the output after the kept ones.
    pub(crate) fn columns(&self) -> Result<Vec<CheckColumn>> {
        let mut columns = self.columns.clone();
        if columns.is_empty() {
            columns.push(CheckColumn::Url);
            columns.extend(self.time_column.is_some().then_some(CheckColumn::Time));
            columns.extend([CheckColumn::Agent, CheckColumn::Allowed, CheckColumn::Reason]);
        }
        if let Some(at) = (0..columns.len()).find(|&at| columns[..at].contains(&columns[at])) {
            let name = columns[at].field().name().clone();
            return Err(Error::new(format!("column `{name}` is given twice in `--columns`")));
        }
        if self.explain {
            columns.extend(CheckColumn::EXPLANATION.iter().filter(|it| !self.columns.contains(it)));
        }
        Ok(columns)
    }
}

impl CrawlerArgs {
    /// The crawlers: those of names, then those of tokens.
    pub(crate) fn crawlers(&self, dialect: &Dialect) -> Result<Vec<NamedCrawler>> {
        let agents = self.agents.iter().map(|agent| NamedCrawler::agent(agent, dialect));
        let all: Vec<_> = agents.chain(self.tokens.iter().map(NamedCrawler::token)).collect();
        for crawler in &all {
            let name = name_of(crawler);
            if name.trim().is_empty() {
                return Err(Error::new("expected the name of a crawler, but found an empty value"));
            }
            if crawler.crawler().ignores_robots() {
                let name = brief(name);
                let error = format!("`{name}` does not obey robots.txt, so it has no policy");
                let hint = format!("`--token {name}` applies the groups for this name");
                return Err(Error::new(error).with_hint(hint));
            }
        }
        let is_repeated = |at: usize| all[..at].iter().any(|it| name_of(it) == name_of(&all[at]));
        if let Some(at) = (0..all.len()).find(|&at| is_repeated(at)) {
            let error = format!("crawler `{}` is given twice", brief(name_of(&all[at])));
            return Err(Error::new(error));
        }
        Ok(all)
    }
}

/// The name of a crawler in the output.
pub(crate) fn name_of(crawler: &NamedCrawler) -> &str {
    crawler.words().first().map_or("", String::as_str)
}

/// Shows the tokens of a crawler, unless it has only its name, the caveat of a known crawler, and
/// the known crawler that an unknown name probably means.
pub(crate) fn show_notes(crawler: &NamedCrawler) {
    let name = brief(name_of(crawler));
    let tokens = crawler.crawler().tokens();
    if !matches!(tokens, [only] if only.as_str().eq_ignore_ascii_case(name_of(crawler))) {
        note(&format!("`{name}` obeys groups for {}", crawler.keys()));
    }
    if let Some(text) = crawler.known().and_then(verger_registry::Crawler::caveat) {
        note(&format!("about `{name}`: {text}"));
    }
    if let (None, [token]) = (crawler.known(), tokens)
        && let Some(near) = Registry::bundled().similar(token.as_str(), [])
    {
        let (name, question) = (brief(token.as_str()), near.question());
        note(&format!("no known crawler has the name `{name}`; {question}"));
    }
}

/// The definition of the command line, to generate documentation from it.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

fn time_of(text: &str) -> std::result::Result<i64, String> {
    time::parse(text).ok_or_else(|| "expected a time such as 2026-11-24T01:02:03Z".to_owned())
}

/// A value with a name.
fn named<T: FromStr<Err = UnknownName> + Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

const EXAMPLES: &str = "\
Examples:
  Compile the robots.txt files of a crawl for two crawlers:
    verger bulk policies robotstxt/ --agent GPTBot --agent CCBot -o policies.parquet

  Check a list of URLs against them:
    verger bulk check urls.parquet --policies policies.parquet -o verdicts.parquet

  Count statements, and list changes between crawls:
    verger bulk metrics robotstxt/ -o metrics.parquet
    verger bulk changes robotstxt/ --agent GPTBot -o changes.jsonl

Exit codes:
  0  all records were processed
  1  the output is complete, but records were skipped; OUTPUT.skipped.jsonl lists them
  2  an error; the same command continues after the finished parts";

const POLICIES_EXAMPLES: &str = "\
Examples:
  Compile the robots.txt files of a crawl for two crawlers:
    verger bulk policies robotstxt/ --agent GPTBot --agent CCBot -o policies.parquet

  Compile those of a crawl of Common Crawl, by its list of paths, into S3:
    verger bulk policies robotstxt.paths.gz --base https://data.commoncrawl.org/ \\
      --agent GPTBot -o s3://bucket/policies.parquet

  Find out which crawlers disobeyed, by the captures of an archive:
    verger bulk policies captures.warc.gz --agent GPTBot -o policies.parquet --files ./history
    verger audit access.log --origin https://shop.example --history ./history/https_shop.example

  Compile a table with the columns `origin` and `robots`:
    verger bulk policies sites.parquet --agent Googlebot-Image -o policies.parquet";

const CHECK_EXAMPLES: &str = "\
Examples:
  Check a list of URLs with the latest rules:
    verger bulk check urls.parquet --policies policies.parquet -o verdicts.parquet

  Check URLs with the rules of the time when they were fetched, and keep a column:
    verger bulk check corpus/ --policies policies.parquet --time-column fetch_time --max-age 30d \\
      --keep document_id -o verdicts/

  Show the deciding rule of each URL of a text file:
    verger bulk check urls.txt --policies policies.parquet --explain -o -";

const METRICS_EXAMPLES: &str = "\
Examples:
  Count the contents of the robots.txt files of a crawl:
    verger bulk metrics robotstxt/ -o metrics.parquet

  List the known crawlers that each file closes the site to:
    verger bulk metrics robotstxt/ --pack crawlers -o crawlers.parquet

  Count the sites that are closed to each crawler, by rank:
    verger bulk metrics ranked.parquet --pack crawlers --tables -o crawlers.parquet";

const CHANGES_EXAMPLES: &str = "\
Examples:
  List the changes for two crawlers between two crawls:
    verger bulk changes 2025-38/ 2026-05/ --agent GPTBot --agent Googlebot -o changes.parquet";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent_and_every_flag_has_a_help() {
        command().debug_assert();
        for command in command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
        }
    }
}
