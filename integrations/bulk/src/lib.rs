//! Library of the program `verger-bulk`: robots.txt files and URLs of archives.
//!
//! # Flow
//!
//! [`main`] reads the arguments (`args.rs`) and runs the command (`commands/`). A command finds its
//! input files, or objects of servers (`remote.rs`), and divides them into units (`input.rs`). It
//! runs stages of tasks on all cores (`job.rs`, `work_folder.rs`). Tasks read rows (`table.rs`) or
//! captures (`reading.rs`, `warc/`), exchange records through files of the work folder
//! (`shuffle.rs`), and write parts (`output.rs`). `resolve.rs` follows redirects between captures;
//! `history.rs` makes intervals of them; `policy_table.rs` answers URLs.
//!
//! # Invariants
//!
//! - The output depends on the input and the arguments, not on threads, memory or interruptions.
//! - An unknown answer is a null with a reason, never a permission.
//! - A damaged record is counted and listed; it never ends the run.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`, `remote.rs`, `error.rs`: all limits, with their reasons; objects of servers, with
//   the only asynchronous runtime; errors
// - `time.rs`, `origin.rs`: times of columns; partitions of origins
// - `output.rs`, `shuffle.rs`: parts of the output and their assembly; records by partition in
//   files
// - `work_folder.rs`, `console.rs`, `job.rs`: the locked work folder; messages and progress;
//   manifest, stages of tasks, counts, skipped records
// - `format.rs`, `parquet_file.rs`, `wacz.rs`, `input.rs`, `cells.rs`, `table.rs`: formats by the
//   names of files, texts, and paths in lists; metadata and columns of Parquet; WARC files in ZIP
//   files; input files and their division into units; cells and rows of tables
// - `warc/`: WARC and ARC: members of compressed files (`members.rs`), lines of ARC (`arc.rs`),
//   records (`record.rs`), responses (`http.rs`), digests and record ids (`digest.rs`)
// - `capture.rs`, `archived.rs`, `index.rs`, `reading.rs`, `history.rs`, `resolve.rs`: captures of
//   robots.txt; those of WARC records, of the records that indexes select, and of any input;
//   intervals of captures; redirects and revisit records between captures
// - `policy_table.rs`: policies in memory, and their answers
// - `check_column.rs`, `args.rs`: columns of `check`; arguments and their help
// - `commands/`: the commands, one file for each; rows in batches (`rows.rs`); URLs of `check`
//   (`questions.rs`), matched by origin (`window.rs`), and columns of answers (`answers.rs`); tables
//   of packs (`tallies.rs`)

mod archived;
mod args;
mod capture;
mod cells;
mod check_column;
mod commands;
mod console;
mod error;
mod format;
mod history;
mod index;
mod input;
mod job;
mod limits;
mod origin;
mod output;
mod parquet_file;
mod policy_table;
mod reading;
mod remote;
mod resolve;
mod shuffle;
mod table;
mod time;
mod wacz;
mod warc;
mod work_folder;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

/// Runs the program with a command line, which begins with its name.
///
/// The exit code is 0 after success and `--help`, 1 if records were skipped, and 2 after an error,
/// which is on standard error. After an error the work folder remains, and the same command
/// continues.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match args::Cli::try_parse_from(arguments) {
        Ok(cli) => commands::run(&cli).unwrap_or_else(|error| {
            console::fail(&error);
            error::FAILURE.into()
        }),
        Err(error) if error.print().is_ok() && !error.use_stderr() => ExitCode::SUCCESS,
        Err(_) => error::FAILURE.into(),
    }
}
