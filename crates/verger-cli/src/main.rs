//! The program `verger`: reads, checks and explains robots.txt.
//!
//! # Flow
//!
//! [`Program::of`] finds the separate program of a command line, if it calls one. Otherwise
//! [`args::parse`] reads the arguments (`args/`), and [`commands::run`] runs the command
//! (`commands/`). A command reads files with `input.rs` and URLs with `url_check.rs`, finds its
//! crawler with `crawler.rs`, asks the engine, or the robots client of `live.rs`, and writes with
//! `output/`. `answer.rs`, `inspection/`, `page_report.rs`, `record_report.rs` and
//! `verification.rs` have the results, in the form of the JSON contract (`docs/json.md`).
//!
//! # Invariants
//!
//! Standard output is for data, standard error for messages. Only `console.rs` writes to them, with
//! one exception: Clap prints help, version and usage errors, after `args::parse` has escaped the
//! arguments. Foreign text is written only through `verger::Untrusted`: in sentences by
//! `sentence.rs`, in JSON by `verger_json::Values` and `verger_json::Foreign`.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `sentence.rs`: foreign text, times and suggestions in messages
// - `error.rs`, `console.rs`: errors with hints, exit codes; the two outputs, for data and for
//   messages, and the progress bar
// - `url_check.rs`, `input.rs`: checks of URLs; files and standard input
// - `uses.rs`: statements about the use of content in words, with the linter's reasons
// - `args/`: arguments
// - `programs.rs`: separate programs: `verger NAME` runs `verger-NAME`
// - `crawler.rs`, `store.rs`: crawlers (with remarks on tokens that no group can name), and the
//   store with its errors
// - `robots_file.rs`, `answer.rs`, `hints.rs`: a parsed file; the answer for one URL; hints
// - `network.rs`, `live.rs`: trusted certificates, the proxy, resolvers of one address family; the
//   robots client
// - `proof.rs`: proofs of who sent requests, with or without look-ups
// - `inspection/`, `page_report.rs`, `record_report.rs`: reports on files, pages and stored
//   records, as in the JSON contract
// - `by_header.rs`: crawlers of recent User-Agent headers, cached
// - `urls/`: the URLs of lists and sitemaps: one sitemap, index or feed; all sitemaps of an index
// - `robots_place.rs`, `site_urls.rs`, `coverage_report.rs`, `by_crawler.rs`: a robots.txt from a
//   file, a site or a revision; the URLs of a site; the report on a coverage; the requests of a log
//   by crawler
// - `robots_sources.rs`, `config_file.rs`: files, folders and sites to lint or format; the
//   `verger.toml` of a file
// - `lint_output.rs`, `replace_file.rs`: findings in each format, with a summary; writing a new
//   text to its place, a file whole or not at all
// - `site_tests/`, `test_site.rs`: tests of a robots.txt: results as XML (`junit.rs`), proposal
//   (`propose.rs`); the sitemaps and responses of a site
// - `policy/`: a policy in words as a marked block of a robots.txt (`marks.rs`), the groups that it
//   needs (`block.rs`), and the proof for every crawler (`proof.rs`)
// - `verification.rs`: a saved decision against an archived file: length, hash, verdict, rule,
//   order of times
// - `cut_address.rs`: addresses without their last part
// - `audit_history.rs`, `audit_report.rs`, `evidence.rs`: a robots.txt over time, from git, a
//   folder, a store or decisions; the report of an audit with its sentences; folders for operators
// - `watch/`: the live robots.txt of sites: the times of fetches (`schedule.rs`), observations and
//   their memory (`seen.rs`), changes by meaning (`change.rs`), what is reported (`watcher.rs`)
// - `output/`: output as text; edits of a file (`edits.rs`); changed URLs (`url_changes.rs`), also
//   as Markdown (`outline.rs`); coverages and audits, also as HTML (`html.rs`). `templates/` has
//   the texts of audits
// - `commands/`: the commands; `commands/check/` has a loop over the URLs of a file
//   (`file.rs`), live checks with a queue of questions asked ahead (`live.rs`, `queue.rs`), the
//   writer of answers (`writer.rs`) with its counts (`tally.rs`), and batches (`batch/`):
//   blocks of lines, answered on all cores, written in order

mod answer;
mod args;
mod audit_history;
mod audit_report;
mod by_crawler;
mod by_header;
mod commands;
mod config_file;
mod console;
mod coverage_report;
mod crawler;
mod cut_address;
mod error;
mod evidence;
mod hints;
mod input;
mod inspection;
mod limits;
mod lint_output;
mod live;
mod network;
mod output;
mod page_report;
mod policy;
mod programs;
mod proof;
mod record_report;
mod replace_file;
mod robots_file;
mod robots_place;
mod robots_sources;
mod sentence;
mod site_tests;
mod site_urls;
mod store;
mod test_site;
mod url_check;
mod urls;
mod uses;
mod verification;
mod watch;

use std::process::ExitCode;

use programs::Program;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(program) = Program::of(&arguments) {
        return program.run().into();
    }
    match args::parse(arguments) {
        Ok(cli) => commands::run(cli).into(),
        Err(status) => status.into(),
    }
}
