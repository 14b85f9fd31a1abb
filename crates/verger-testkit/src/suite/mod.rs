//! The conformance suite: loading `testdata/`, running it, counting.
//!
//! # Flow
//!
//! `format.rs` is the TOML as its README describes it; `load.rs` reads files into [`Suite`] and
//! checks what a stranger's runner may rely on (unique names, known dialects); `vectors.rs` reads
//! vectors in JSON Lines into the same cases. `run.rs` asks an [`Adapter`] for each case and fills
//! a [`Report`]; `statements.rs` asks the library about scope, usage and extensions, `access.rs` about
//! fetch results and times, in every access profile whose answer is known, `page.rs` about pages.
//! `export.rs` writes the suite as JSON.

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

/// A question with a verdict, and its answer in each dialect for which it is known.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file it stands in, without folder.
    pub file: String,
    /// Its name, unique in the suite.
    pub name: String,
    /// What goes wrong in parsers that miss it.
    pub why: String,
    /// The clauses it pins.
    pub clause: Vec<String>,
    /// Where the input comes from; empty for one written for the suite.
    pub source: Vec<String>,
    /// The default taken, where the sources conflict.
    pub contested: Option<String>,
    /// The robots.txt.
    pub robots: Vec<u8>,
    /// Who asks.
    pub asker: Asker,
    /// The URL.
    pub url: Vec<u8>,
    /// The text that `robots` and `url` repeat, as the file shortens it.
    pub repeat: Option<Repeat>,
    /// The answers.
    pub expect: BTreeMap<String, Expected>,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// One literal token.
    Token(String),
    /// Several, most specific first.
    Chain(Vec<String>),
    /// Several at once.
    Union(Vec<String>),
}

/// The answer in one dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Whether the crawler may fetch the URL.
    pub allowed: bool,
    /// The line of the rule that decides; none: no rule does. Outer `None`: the case does not say.
    pub line: Option<Option<usize>>,
    /// Why, where it matters.
    pub reason: Option<String>,
}

/// A question that has no verdict for an answer.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The file it stands in, without folder.
    pub file: String,
    /// Its name, unique in the suite.
    pub name: String,
    /// What goes wrong in parsers that miss it.
    pub why: String,
    /// The clauses it pins.
    pub clause: Vec<String>,
    /// Where the input comes from; empty for one written for the suite.
    pub source: Vec<String>,
    /// The default taken, where the sources conflict.
    pub contested: Option<String>,
    /// The question and its answer.
    pub question: Question,
}

/// What a statement asks.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whether a URL lies in the scope of a robots.txt.
    Scope(Scope),
    /// Where the robots.txt of a URL stands.
    Derive(Derive),
    /// What the content at a URL may be used for.
    Usage(Usage),
    /// What a record beside the rules gives a crawler.
    Extension(Extension),
    /// What a fetch result means.
    Fetch(Fetch),
    /// How long an answer is fresh.
    Fresh(Fresh),
    /// When a fetch that failed is tried again.
    Retry(Retry),
    /// What a page says to a crawler.
    Page(PageQuestion),
}
