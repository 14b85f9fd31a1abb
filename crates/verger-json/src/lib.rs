//! The JSON of `verger check`: questions in JSON Lines, answers, and the evidence of live answers.
//!
//! The program `verger` reads and writes these values; `docs/json.md` describes them for users. The
//! crate does no I/O except writing to a given output.
//!
//! # Flow
//!
//! [`Question::read`] reads a line of a batch. [`Answer`] is the engine's answer as JSON; an
//! [`AnswerError`] replaces it if there is no answer. [`Values`] writes them with escaped foreign
//! text, so that it cannot move a cursor.
//!
//! # Foreign text
//!
//! URLs, patterns and agents are untrusted bytes. [`Foreign`] writes each as a string for people,
//! and if they are not UTF-8 also as base64.
//!
//! # Features
//!
//! - `analysis`: differences of files ([`diff`]).
//! - `fetch`: [`DecisionKeys`](decision::DecisionKeys), the evidence of answers of the robots
//!   client `verger-fetch`.
//! - `lint`: the findings of the linter `verger-lint`, also as SARIF ([`lint`]).
//! - `tests`: files of tests, and their results ([`site_tests`]).
//! - `_openapi`: for `verger-server` alone: the schemas of all values, by `utoipa`.
//!
//! # Examples
//!
//! ```
//! use verger::Dialect;
//! use verger_json::{Answer, Question, QuestionFile, Values};
//!
//! let line = br#"{"id":7,"robots":"User-agent: *\nDisallow: /cart\n","agent":"GPTBot","url":"/cart"}"#;
//! let question = Question::read(line, &Dialect::RFC9309)?;
//! let Some(QuestionFile::Text(text)) = &question.source else { unreachable!("it has `robots`") };
//! let robots = question.dialect.parse(text);
//!
//! let mut out = Vec::new();
//! for url in &question.urls {
//!     let verdict = robots.check(question.crawler.crawler(), url);
//!     let answer = Answer::new(url, question.crawler.keys(), &robots, verdict);
//!     Values::lines().write(&mut out, &answer.with_id(question.id.as_ref()))?;
//! }
//! assert_eq!(
//!     String::from_utf8(out)?,
//!     concat!(
//!         r#"{"id":7,"url":"/cart","agent":"GPTBot","tokens":["GPTBot"],"dialect":"rfc9309","#,
//!         r#""allowed":false,"reason":"rule","rule":{"kind":"disallow","pattern":"/cart","line":2,"column":11,"#,
//!         r#""span":[24,29]},"group":{"agents":["*"],"line":1}}"#,
//!         "\n",
//!     ),
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `schema.rs`, `foreign.rs`, `id.rs`, `values.rs`: schemas of keys (feature `_openapi`);
//   foreign text in messages and in JSON; the `id` of a question; writing JSON values
// - `crawler.rs`, `question.rs`: the crawler of a question and its tokens; a line of a batch
// - `record.rs`, `decision.rs`, `stored_record.rs`: the record of an origin; the evidence of a
//   live answer; the report on a stored record (feature `fetch`)
// - `lint/`: findings of the linter; SARIF (`sarif.rs`) (feature `lint`)
// - `known_crawler.rs`: known crawlers
// - `answer.rs`: an answer, or an error in its place
// - `diff.rs`: differences of two files (feature `analysis`)
// - `site_tests/`: tests of a robots.txt: results (`report.rs`), lines and header fields
//   (`statement.rs`), the file (`file.rs`), its evaluation (`evaluate.rs`) (feature `tests`)

mod answer;
mod crawler;
#[cfg(feature = "fetch")]
pub mod decision;
#[cfg(feature = "analysis")]
pub mod diff;
mod foreign;
mod id;
pub mod known_crawler;
pub mod limits;
#[cfg(feature = "lint")]
pub mod lint;
mod question;
#[cfg(feature = "fetch")]
pub mod record;
#[cfg(feature = "_openapi")]
#[doc(hidden)]
pub mod schema;
#[cfg(feature = "tests")]
pub mod site_tests;
#[cfg(feature = "fetch")]
pub mod stored_record;
mod values;

#[cfg(feature = "fetch")]
pub use answer::RepeatedAnswer;
pub use answer::{Answer, AnswerError, RuleKeys};
pub use crawler::{CrawlerKeys, NamedCrawler};
pub use foreign::Foreign;
#[doc(hidden)]
pub use foreign::{Form, Strings};
pub use id::Id;
pub use question::{Question, QuestionError, QuestionFile, decode_base64};
pub use values::Values;

/// The Rust of the README: doc tests run it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
