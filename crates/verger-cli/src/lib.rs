//! Library of the program `verger`: reads, checks and explains robots.txt.
//!
//! # Flow
//!
//! [`Program::of`] finds the separate program of a command line, if it calls one. Otherwise
//! [`parse`] reads the arguments into a [`Cli`] (`args/`), and [`run`] runs the command
//! (`commands/`). A command reads files with `input.rs` and URLs with `url_check.rs`, finds its
//! crawler with `crawler.rs`, asks the engine, or the robots client of `live.rs`, and writes with
//! `output/`. `answer.rs`, `inspection/`, `page_report.rs`, `record_report.rs`, `crawler_report.rs`
//! and `verification.rs` have the results, in the form of the JSON contract (`docs/json.md`).
//!
//! # Invariants
//!
//! Standard output is for data, standard error for messages. Only `console.rs` writes to them, with
//! one exception: Clap prints help, version and usage errors, after `args::parse` has escaped the
//! arguments. Foreign text is written only through `verger::Untrusted`: in sentences by
//! `sentence.rs`, in JSON by `verger_json::Values` and `verger_json::Foreign`.

mod answer;
mod args;
mod by_crawler;
mod commands;
mod config_file;
mod console;
mod crawler;
mod error;
mod hints;
mod input;
mod inspection;
mod limits;
mod lint_output;
mod live;
mod network;
mod output;
mod page_report;
mod programs;
mod record_report;
mod replace_file;
mod robots_file;
mod robots_sources;
mod sentence;
mod site_urls;
mod source;
mod store;
mod test_site;
mod url_check;
mod verification;

use std::ffi::OsString;

pub use args::{Cli, command};
pub use error::ExitStatus;
pub use programs::Program;

/// Reads a command line, which begins with the name of the program.
///
/// # Errors
///
/// Help or the version was requested, or an argument is invalid. The text has been printed; the
/// error is the exit status.
pub fn parse(arguments: Vec<OsString>) -> Result<Cli, ExitStatus> {
    args::parse(arguments)
}

/// Runs a command. Answers go to standard output, everything else to standard error.
pub fn run(cli: Cli) -> ExitStatus {
    commands::run(cli)
}
