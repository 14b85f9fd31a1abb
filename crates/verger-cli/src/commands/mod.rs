//! The commands.

mod cache;
mod check;
mod completions;
mod fetch;
mod inspect;
mod man;
mod page;
mod robots;
mod verify;

use crate::args::{Cli, Command};
use crate::console::{Out, Talk};
use crate::exit::ExitStatus;

/// See [`crate::run`].
pub(crate) fn run(cli: Cli) -> ExitStatus {
    let mut out = Out::stdout();
    let mut talk = Talk::stderr();
    let (out, talk) = (&mut out, &mut talk);
    match cli.command {
        Command::Check(args) => check::run(&args, out, talk),
        Command::Inspect(args) => inspect::run(&args, out, talk),
        Command::Fetch(args) => fetch::run(&args, out, talk),
        Command::Page(args) => page::run(&args, out, talk),
        Command::Verify(args) => verify::run(&args, out, talk),
        Command::Robots(args) => robots::run(&args, out, talk),
        Command::Cache(args) => cache::run(&args, out, talk),
        Command::Completions(args) => completions::run(&args, out, talk),
        Command::Man(args) => man::run(&args, out, talk),
    }
}
