//! The arguments of `verger lint`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum, ValueHint};
use verger::Dialect;
use verger_lint::Profile;

use super::crawler::DIALECTS;
use super::live::LiveArgs;
use super::named;

/// Find problems in robots.txt files, and fix them
///
/// A folder means all files named `robots.txt` in it and in its subfolders, except hidden ones
/// and `node_modules`. Without an argument, Verger lints the current folder. With a URL, Verger
/// fetches the robots.txt of its site and stores it.
///
/// Settings come from the nearest `verger.toml` in the folder of the file or above it. Flags
/// override its values. A comment `# verger-lint: ignore RULE` after a record or above it
/// suppresses a finding.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    group = ArgGroup::new("change").args(["fix", "diff"]),
    group = ArgGroup::new("rules").args(["list_rules", "explain"])
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Lint {
    /// robots.txt files, folders, or URLs of sites; `-` is standard input [default: the current
    /// folder]
    #[arg(value_name = "FILE|FOLDER|URL", value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<PathBuf>,

    /// Settings for one reader of the file, which other flags change
    #[arg(long, value_name = "NAME", value_parser = named(PROFILES, |it| it.name()), ignore_case = true)]
    pub(crate) profile: Option<Profile>,

    /// Run only these rules or categories, separated by commas
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) select: Vec<String>,

    /// Skip these rules or categories, separated by commas; overrides --select
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,

    /// Report text that these dialects read differently from RFC 9309, separated by commas
    #[arg(
        long,
        value_name = "DIALECTS",
        value_delimiter = ',',
        value_parser = named(DIALECTS, |row| row.name),
        hide_possible_values = true,
        ignore_case = true
    )]
    pub(crate) portable: Vec<Dialect>,

    /// Origin of the site, such as `https://shop.example`, for rules about absolute URLs [default:
    /// for a URL, its origin]
    #[arg(long, value_name = "ORIGIN", value_hint = ValueHint::Url)]
    pub(crate) origin: Option<String>,

    /// For a URL, also send requests with the User-Agent headers of these crawlers, separated by
    /// commas, or with this header
    ///
    /// Each crawler requests robots.txt and, if that allows it, the first page of the site. The
    /// header for a name is `Mozilla/5.0 (compatible; CRAWLER/1.0)`. Problems are another
    /// robots.txt than without the header, and a page that is allowed but refused. A site that
    /// checks the address of a crawler refuses these requests rightly.
    #[arg(long = "as", value_name = "CRAWLERS|HEADER")]
    pub(crate) as_crawlers: Vec<String>,

    /// Apply safe fixes to the files, and show the remaining problems
    ///
    /// A safe fix changes no answer for any crawler in any dialect (except for `verger check
    /// --union`). The fixed text of standard input is written to standard output, and the problems
    /// to standard error.
    #[arg(long)]
    pub(crate) fix: bool,

    /// Show the changes of --fix as a diff, and change no file
    #[arg(long, conflicts_with = "format")]
    pub(crate) diff: bool,

    /// With --fix or --diff, also apply fixes that can change answers
    #[arg(long, requires = "change")]
    pub(crate) unsafe_fixes: bool,

    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "full")]
    pub(crate) format: LintFormat,

    /// Show the number of problems for each rule, in place of the problems
    #[arg(long, conflicts_with_all = ["format", "change"])]
    pub(crate) statistics: bool,

    /// Read settings from this file [default: the nearest `verger.toml` of each file]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,

    /// Ignore all `verger.toml` files
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,

    /// Name of the file at standard input, for messages and to find `verger.toml`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) stdin_filename: Option<PathBuf>,

    /// Exit with 0 even if there are problems
    #[arg(long)]
    pub(crate) exit_zero: bool,

    /// List all rules with severity, category and summary
    #[arg(long, conflicts_with_all = ["files", "change", "statistics"])]
    pub(crate) list_rules: bool,

    /// Show the page of a rule (the problem, an example, and its reason), or list the rules of a
    /// category
    #[arg(long, value_name = "RULE|CATEGORY", conflicts_with_all = ["files", "change", "statistics"])]
    pub(crate) explain: Option<String>,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// The profiles, each with a line of help.
const PROFILES: [(Profile, &str); Profile::ALL.len()] = [
    (Profile::Google, "Google's crawlers: their library, limits and records"),
    (Profile::Bing, "Bing's crawler"),
    (Profile::Yandex, "Yandex's crawlers"),
    (Profile::Lighthouse, "only the problems that Lighthouse's audit `robots-txt` reports"),
    (Profile::Strict, "every dialect; notes are warnings, and warnings are errors"),
];

/// Format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    /// Each problem with the marked lines, help and fix
    Full,
    /// Each problem on one line
    Concise,
    /// One JSON array, with an object for each file
    Json,
    /// SARIF 2.1.0, for code scanning services
    Sarif,
    /// Workflow commands of GitHub Actions: annotations in pull requests
    Github,
}

const EXAMPLES: &str = "\
Examples:
  Show the problems of a file:
    verger lint robots.txt

  Apply safe fixes to all robots.txt files below the current folder:
    verger lint --fix

  Show all fixes as a diff:
    verger lint --diff --unsafe-fixes robots.txt

  Lint the robots.txt of a site:
    verger lint https://shop.example

  Find problems for Google's crawlers:
    verger lint --profile google robots.txt

  Find text that Bing or Yandex read differently:
    verger lint --portable bing,yandex robots.txt

  Write a SARIF file for code scanning:
    verger lint --format sarif --exit-zero > verger.sarif

  Explain a rule:
    verger lint --explain misspelt-key

Exit codes:
  0  no problems, or only notes; with `--diff`: no changes
  1  at least one error or warning remains; with `--diff`: there are changes
  2  a file could not be read or written, a setting is wrong, or no robots.txt was found";
