//! The arguments of `verger generate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use serde::Deserialize;
use verger_registry::Purpose;

/// Write the rules of a robots.txt from a policy: which purposes of crawlers are welcome
///
/// The registry of crawlers knows the purpose of each. `no` closes the site to the crawlers of a
/// purpose, `yes` opens it as far as the other lines of the file do; a purpose without an answer is
/// treated like all others. Without flags, the policy is the table `policy` of the `verger.toml`
/// in the folder of the robots.txt or above. A crawler is named only where the other rules would
/// not give it this answer. The result is proved for every crawler of the registry: if it is not as
/// requested, nothing is written. Crawlers that do not promise to obey robots.txt are listed.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Generate {
    /// Write into this robots.txt: replace the marked block, or add it at the end; all other lines
    /// stay; `-` for standard input and output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) update: Option<PathBuf>,

    /// Change no file; show how the marked block differs from what the policy and the registry need
    #[arg(long, requires = "update")]
    pub(crate) check: bool,

    // Last, because its heading applies to all following arguments.
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// A policy, from flags or from the table `policy` of a `verger.toml`.
#[derive(Clone, Debug, Default, PartialEq, Args, Deserialize)]
#[command(next_help_heading = "Policy")]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct PolicyArgs {
    /// Search engines, and assistants that cite pages
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) search: Option<Answer>,
    /// Training of AI models
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) training: Option<Answer>,
    /// Single pages at the request of a person, also as input for a model
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) user_triggered: Option<Answer>,
    /// Previews of links in messages and posts
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) preview: Option<Answer>,
    /// Web archives
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) archive: Option<Answer>,
    /// Search engine optimisation
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) seo: Option<Answer>,
    /// Data sets for others; uses can include training
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) dataset: Option<Answer>,
    /// Ads, and pages that show them
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) advertising: Option<Answer>,
    /// Availability and quality of sites
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) monitoring: Option<Answer>,
    /// Tokens such as Google-Extended, which fetch nothing and refuse the training of models
    /// [default: as `--training`]
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) control_token: Option<Answer>,
    /// Known crawlers with any other purpose
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) other: Option<Answer>,
    /// All others: crawlers that no group names (`*`) [default: as the other lines of the file say,
    /// otherwise yes]
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(crate) all_others: Option<Answer>,

    /// Open this path also to refused crawlers, as far as it is open to all others; can be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) except: Vec<String>,
    /// Name this sitemap; can be repeated
    #[arg(long = "sitemap", value_name = "URL")]
    #[serde(rename = "sitemaps")]
    pub(crate) sitemaps: Vec<String>,
    /// Leave out Content-Usage and Content-Signal
    #[arg(long)]
    pub(crate) no_statements: bool,
}

/// An answer of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    /// As open as the other lines of the file make it
    Yes,
    /// Closed, but for the paths of `--except`
    No,
}

impl PolicyArgs {
    /// Whether it has an answer for anybody.
    pub(crate) fn has_answer(&self) -> bool {
        self.all_others.is_some() || Purpose::ALL.iter().any(|it| self.answer(*it).is_some())
    }

    /// The answer for a purpose.
    pub(crate) fn answer(&self, purpose: Purpose) -> Option<Answer> {
        match purpose {
            Purpose::Search => self.search,
            Purpose::Training => self.training,
            Purpose::UserTriggered => self.user_triggered,
            Purpose::Preview => self.preview,
            Purpose::Archive => self.archive,
            Purpose::Seo => self.seo,
            Purpose::Dataset => self.dataset,
            Purpose::Advertising => self.advertising,
            Purpose::Monitoring => self.monitoring,
            Purpose::ControlToken => self.control_token.or(self.training),
            _ => self.other,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  Open a site to search and assistants, and close it to training, but for the press pages:
    verger generate --search yes --user-triggered yes --training no --dataset no \\
      --except /press/

  Write the block into a robots.txt, and keep all other lines:
    verger generate --training no --dataset no --update robots.txt

  Check in CI that the block is still right for this release's registry, with the policy in verger.toml:
    verger generate --update robots.txt --check

Exit codes:
  0  the rules were written; with `--check`: the block is up to date
  1  with `--check`: the block differs
  2  the policy is invalid, the file has lines that contradict it, or a file could not be read or
     written; nothing was written";
