//! The commands.

mod audit;
mod cache;
mod check;
mod coverage;
mod crawlers;
mod diff;
mod enforce;
mod enforce_proof;
mod fetch;
mod fmt;
mod generate;
mod identify;
mod inspect;
mod lint;
mod lint_as;
mod manual;
mod page;
mod rights;
mod robots;
mod test;
mod verify;
mod watch;

use crate::args::{Cli, Command};
use crate::console::Console;
use crate::error::ExitStatus;

/// Runs a command. Answers go to standard output, everything else to standard error.
pub(crate) fn run(cli: Cli) -> ExitStatus {
    let console = &mut Console::new();
    let done = match cli.command {
        Command::Check(args) => check::run(&args, console),
        Command::Inspect(args) => inspect::run(&args, console),
        Command::Lint(args) => lint::run(&args, console),
        Command::Fmt(args) => fmt::run(&args, console),
        Command::Diff(args) => diff::run(&args, console),
        Command::Coverage(args) => coverage::run(&args, console),
        Command::Audit(args) => audit::run(&args, console),
        Command::Enforce(args) => enforce::run(&args, console),
        Command::Test(args) => test::run(&args, console),
        Command::Generate(args) => generate::run(&args, console),
        Command::Watch(args) => watch::run(&args, console),
        Command::Fetch(args) => fetch::run(&args, console),
        Command::Page(args) => page::run(&args, console),
        Command::Rights(args) => rights::run(&args, console),
        Command::Verify(args) => verify::run(&args, console),
        Command::Robots(args) => robots::run(&args, console),
        Command::Cache(args) => cache::run(&args, console),
        Command::Crawlers(args) => Ok(crawlers::run(&args, console)),
        Command::Identify(args) => identify::run(&args, console),
        Command::Identity(args) => identify::run_identity(&args, console),
        Command::Completions(args) => Ok(manual::completions(&args, console)),
        Command::Man(args) => manual::man(&args, console),
    };
    let status = done.unwrap_or_else(|error| console.messages.fail(&error));
    console.messages.finish();
    status
}
