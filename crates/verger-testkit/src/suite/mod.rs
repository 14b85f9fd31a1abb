//! The conformance suite: loading `testdata/`, running it, counting results.
//!
//! # Flow
//!
//! `format.rs` is the TOML as its README describes it. `load.rs` reads files into a [`Suite`] and
//! validates what other runners rely on (unique names, known dialects). `vectors.rs` reads vectors
//! in JSON Lines into the same cases. `run.rs` passes each case to an [`Adapter`] and fills a
//! [`Report`]. `statements.rs` checks the library's answers about scope, usage and extensions,
//! `access.rs` about fetch results and times, in every access profile with a known answer,
//! `page.rs` about pages. `export.rs` writes the suite as JSON.

mod access;
mod adapter;
mod command;
mod error;
mod escape;
mod expected_failures;
mod export;
mod format;
mod load;
mod page;
mod report;
mod run;
mod statements;
mod vectors;

use std::collections::BTreeMap;

pub use access::{Fetch, Fresh, Retry, expiring_at_once};
pub use adapter::{Adapter, Answer, Compiled, Library, OneShot, Outcome, tells_the_same};
pub use command::CommandLine;
pub use error::LoadError;
pub use expected_failures::ExpectedFailures;
pub use format::{
    Derive, Extension, Given, Meta, PageQuestion, Rate, Repeat, Scope, Setting, Usage, WindowText,
};
pub use load::load;
pub use page::settings;
pub use report::{Failure, Report, Tally};
pub use run::{run_statements, run_verdicts};
pub use vectors::load_vectors;

/// All cases of a folder, in file order.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// Questions with a verdict.
    pub verdicts: Vec<Case>,
    /// Questions about scope, usage, extensions, access and pages.
    pub statements: Vec<Statement>,
}

/// A question with a verdict, and its known answers by dialect.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its file, without folder.
    pub file: String,
    /// Its name, unique in the suite.
    pub name: String,
    /// The mistake of parsers that fail it.
    pub why: String,
    /// The clauses that it tests.
    pub clause: Vec<String>,
    /// Sources of the input; empty if it was written for the suite.
    pub source: Vec<String>,
    /// The default, if the sources conflict.
    pub contested: Option<String>,
    /// The robots.txt.
    pub robots: Vec<u8>,
    /// The crawler.
    pub asker: Asker,
    /// The URL.
    pub url: Vec<u8>,
    /// The repeated text of `robots` and `url`, as the file abbreviates it.
    pub repeat: Option<Repeat>,
    /// The answers by dialect.
    pub expect: BTreeMap<String, Expected>,
}

/// A crawler as a case names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// One literal token.
    Token(String),
    /// Several tokens, most specific first.
    Chain(Vec<String>),
    /// Several tokens with equal priority.
    Union(Vec<String>),
}

/// The answer in one dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Whether the crawler may fetch the URL.
    pub allowed: bool,
    /// The line of the deciding rule; `Some(None)` if no rule decides, `None` if the case does not
    /// specify it.
    pub line: Option<Option<usize>>,
    /// The reason, if the case specifies it.
    pub reason: Option<String>,
}

/// A question with another answer than a verdict.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its file, without folder.
    pub file: String,
    /// Its name, unique in the suite.
    pub name: String,
    /// The mistake of parsers that fail it.
    pub why: String,
    /// The clauses that it tests.
    pub clause: Vec<String>,
    /// Sources of the input; empty if it was written for the suite.
    pub source: Vec<String>,
    /// The default, if the sources conflict.
    pub contested: Option<String>,
    /// The question and its answer.
    pub question: Question,
}

/// The question of a statement.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whether a URL is in the scope of a robots.txt.
    Scope(Scope),
    /// The robots.txt of a URL.
    Derive(Derive),
    /// Permitted uses of the content at a URL.
    Usage(Usage),
    /// Values of other records for a crawler.
    Extension(Extension),
    /// Meaning of a fetch result.
    Fetch(Fetch),
    /// Freshness of a response.
    Fresh(Fresh),
    /// Time of the next attempt after a failed fetch.
    Retry(Retry),
    /// Directives of a page for a crawler.
    Page(PageQuestion),
}
