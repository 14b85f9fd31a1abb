//! Cases and statements: questions with their known answers.

use std::collections::BTreeMap;
use std::fmt::Debug;

use super::format::{
    Derive, Extension, Fetch, Fresh, PageQuestion, Reading, Retry, Scope, Target, Token, Usage,
};
use super::text::Repeat;

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
    pub crawler: NamedCrawler,
    /// The URL.
    pub url: Vec<u8>,
    /// The repeated text of `robots` and `url`, as the file abbreviates it.
    pub repeat: Option<Repeat>,
    /// The answers by dialect.
    pub expect: BTreeMap<String, Expected>,
}

/// A crawler as a case names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedCrawler {
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
    /// Structure and diagnostics of a file.
    Reading(Reading),
    /// The target of a URL.
    Target(Target),
    /// Whether a name is a product token.
    Token(Token),
}

/// Compares the library's answer with the expected one.
pub(super) fn compare<T: PartialEq + Debug>(expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("expected {expected:?}, but found {found:?}"))
}
