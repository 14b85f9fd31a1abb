//! `verger` on the command line: reads, checks and explains robots.txt.
//!
//! # Flow
//!
//! [`parse`] turns arguments into a [`Cli`] (`args/`), [`run`] carries it out (`commands/`). A command
//! reads its files through `input/`, knows who asks from `asker.rs` (and in `agent_text.rs` whether a
//! group can name it), makes sure in `url_text/` that a text is a URL it can answer for or the site of one, asks the engine,
//! and hands what it says to one of the writers in `output/`: the crate `verger-json` has the answer for a
//! URL, `inspection/` a whole file, `page_report.rs` and `page_fetch.rs` a page, `kept.rs` a store,
//! `verification/` a decision. These are the JSON contract, described for users in `docs/json.md`. What
//! fetches asks the robots client of `live.rs`, ahead of its turn (`ahead.rs`).
//!
//! # Invariants
//!
//! stdout is data, stderr is talk. Foreign text leaves through `verger::Untrusted`: in sentences by
//! `quote.rs` and the engine's own `Display`, in JSON by `verger_json::Values`, its bytes
//! by `verger_json::Foreign`. Nothing prints but through `console.rs`, with one exception: the help, the version and
//! usage errors are clap's, printed by `args::parse` after the arguments in them have been escaped.

mod agent_text;
mod ahead;
mod args;
mod asker;
mod commands;
mod console;
mod decision;
mod error;
mod exit;
mod hints;
mod input;
mod inspection;
mod kept;
mod last_copy;
mod limits;
mod live;
mod names;
mod output;
mod page_fetch;
mod page_report;
mod progress;
mod proxy;
mod quote;
mod reply;
mod robots_file;
mod store_file;
mod tally;
mod time;
mod told_store;
mod trust;
mod url_text;
mod verification;

use std::ffi::OsString;

pub use args::{Cli, command};
pub use exit::ExitStatus;

/// Reads a command line, the program's name first.
///
/// # Errors
///
/// When there is nothing to run: help or the version was asked for, or the arguments are not what
/// they should be. That has been printed, and the status is what to exit with.
pub fn parse(arguments: Vec<OsString>) -> Result<Cli, ExitStatus> {
    args::parse(arguments)
}

/// Carries out a command line. Answers go to standard output, everything else to standard error.
pub fn run(cli: Cli) -> ExitStatus {
    commands::run(cli)
}
