//! The arguments of what fetches.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::ValueHint;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use verger::access::Profile;

/// How robots.txt is fetched and kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fetching")]
pub(crate) struct LiveArgs {
    /// The store; `memory` keeps nothing [default: verger/store.sqlite in the user's cache directory]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<PathBuf>,

    /// The User-Agent header [default: the agent and Verger's version]
    #[arg(long, value_name = "HEADER")]
    pub(crate) user_agent: Option<String>,

    /// The From header: a mail address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) from: Option<String>,

    /// What the results of fetches mean
    #[arg(long, value_name = "NAME", value_parser = known(), ignore_case = true, default_value = Profile::default().name)]
    pub(crate) access: Profile,

    /// Let connections into a network that is not public, such as 10.0.0.0/8; can be given several times
    #[arg(long, value_name = "CIDR")]
    pub(crate) allow_net: Vec<String>,

    /// Seconds that a fetch may take, redirects and all [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Fetch anew what is kept for longer, in seconds [default: as long as it is fresh]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "offline")]
    pub(crate) max_age: Option<Duration>,

    /// Ask the store alone, and send nothing
    #[arg(long)]
    pub(crate) offline: bool,
}

/// What has no meaning where robots.txt is a file on disk. `access` is not among them: it has a default.
pub(super) const LIVE: [&str; 7] =
    ["store", "user_agent", "from", "allow_net", "timeout", "max_age", "offline"];

impl LiveArgs {
    /// The first of them that was given, as it is written.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.store.is_some(), "--store"),
            (self.user_agent.is_some(), "--user-agent"),
            (self.from.is_some(), "--from"),
            (!self.allow_net.is_empty(), "--allow-net"),
            (self.timeout.is_some(), "--timeout"),
            (self.max_age.is_some(), "--max-age"),
            (self.offline, "--offline"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

fn known() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.iter().map(Profile::name))
        .try_map(|name| Profile::named(&name).ok_or("expected the name of an access profile"))
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().map_err(|_| "expected a number of seconds")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "expected a number of seconds")
}
