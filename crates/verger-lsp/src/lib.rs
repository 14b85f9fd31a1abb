//! The program `verger-lsp`, a language server for robots.txt files, and its library for tests.
//!
//! # Flow
//!
//! [`serve`] reads the messages of an editor, applies changes, and answers. A second thread finds
//! what needs one pass over the text, formats, and after a pause finds what needs the analysis,
//! which the next change ends. Fixes wait for it. Changes that come together are checked once.
//!
//! # Scope
//!
//! Findings, fixes and formatting are those of `verger-lint`, answers those of `verger` and
//! `verger-analysis`. Nothing is fetched. It reads open files from the editor, settings from
//! `verger.toml`, and versions from git.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `text.rs`: a text with changes, and positions in UTF-8 or UTF-16
// - `transport.rs`: messages on standard input and output
// - `snapshot.rs`: a file at one time, with the settings of its `verger.toml`
// - `diagnostics.rs`: findings as diagnostics
// - `groups.rs`: names and lines of groups, and the outline
// - `records.rs`: keys and values of records
// - `compare.rs`: the comparison with a committed version
// - `hover.rs`, `completion.rs`, `actions.rs`: explanations; completion; fixes and formatting
// - `tests_file.rs`: files of tests
// - `answer.rs`: requests about a file, and their answers
// - `worker.rs`: the thread for findings, fixes and formatting
// - `server.rs`: the thread for messages, changes and answers
// - `program.rs`: arguments and exit codes

mod actions;
mod answer;
mod compare;
mod completion;
mod diagnostics;
mod groups;
mod hover;
mod limits;
mod program;
mod records;
mod server;
mod snapshot;
mod tests_file;
mod text;
mod transport;
mod worker;

pub use program::main;
pub use server::serve;
