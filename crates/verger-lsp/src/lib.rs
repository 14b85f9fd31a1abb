//! The program `verger-lsp`, a language server for robots.txt files, and its library for tests.
//!
//! # Flow
//!
//! [`serve`] reads the messages of an editor. After each change, it publishes the findings that need
//! one pass over the text, and asks a second thread for the analysis, which begins after a pause and
//! is ended by the next change. Requests that need more than a moment are answered by the second
//! thread, too.
//!
//! # Scope
//!
//! Findings, fixes and formatting are those of `verger-lint`, answers those of `verger` and
//! `verger-analysis`. Nothing is fetched. It reads open files from the editor, settings from
//! `verger.toml`, and versions from git.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `text.rs`: a text with changes, and positions in UTF-8, UTF-16 or characters
// - `transport.rs`: messages on standard input and output
// - `config.rs`: the `verger.toml` of a file
// - `diagnostics.rs`: findings as diagnostics
// - `compare.rs`: the comparison with a committed version; names of crawlers
// - `tests_file.rs`, `snapshot.rs`: files of tests; a file at one time
// - `check.rs`: the answer for a URL
// - `hover.rs`, `completion.rs`, `actions.rs`, `symbols.rs`: explanations; completion; fixes and
//   formatting; the outline
// - `answer.rs`: requests about a file, and their answers
// - `worker.rs`: the thread for analysis and requests
// - `server.rs`: the thread for messages and diagnostics at once
// - `program.rs`: arguments and exit codes

mod actions;
mod answer;
mod check;
mod compare;
mod completion;
mod config;
mod diagnostics;
mod hover;
mod limits;
mod program;
mod server;
mod snapshot;
mod symbols;
mod tests_file;
mod text;
mod transport;
mod worker;

pub use program::main;
pub use server::serve;
