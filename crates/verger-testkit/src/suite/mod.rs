//! The conformance suite: loading `testdata/`, running it, counting results.
//!
//! # Flow
//!
//! `format.rs` and `text.rs` are the TOML as its README describes it, `case.rs` its contents.
//! `load.rs` reads files into a [`Suite`] and validates the properties that other runners rely on
//! (unique names, known dialects). `vectors.rs` reads vectors in JSON Lines into the same cases.
//! `run.rs` passes each case to an [`Adapter`] and fills a [`SuiteReport`]. `statements.rs` has the
//! library's answers about scope, usage, extensions and pages, `access.rs` those about fetch
//! results and times, in every access profile with a known answer. `export.rs` writes the suite as
//! JSON.

mod access;
mod adapter;
mod case;
mod command;
mod export;
mod format;
mod load;
mod report;
mod run;
mod statements;
mod text;
mod vectors;

pub use access::expiring_at_once;
pub use adapter::{
    Adapter, AdapterAnswer, AdapterOutcome, Compiled, Library, OneShot, explains_alike,
};
pub use case::{Case, Expected, NamedCrawler, Question, Statement, Suite};
pub use command::CommandLine;
pub use format::{
    Derive, Extension, Fetch, Fresh, Given, Meta, PageQuestion, Rate, Reading, Retry, Scope,
    Setting, Target, Token, Usage, WindowText,
};
pub use load::{LoadError, load};
pub use report::{ExpectedFailures, Failure, SuiteReport, Tally};
pub use run::{run_statements, run_verdicts};
pub use statements::settings;
pub use text::{Repeat, Text};
pub use vectors::load_vectors;
