//! Hostile inputs: cases of `testdata/hostile`, and [`OutputEntry`]s about the output of programs.
//!
//! The cases have the format of the conformance suite: robots texts, URLs, agents, Sitemap lines,
//! header lines and pages. Some are expensive, and none is for other parsers, so they are separate
//! from the suite. The entries are robots texts whose rule is displayed, file names, and lists of
//! URLs; [`judge_output`] runs the program on them.

mod entry;
mod invocation;
mod output;
mod program;
mod sinks;

use std::collections::BTreeMap;
use std::path::Path;

use crate::suite::{NamedCrawler, Question, Suite, load};

pub use entry::{Claim, OutputEntry, Shown, Sink};
pub use invocation::{Invocation, Reader, Written};
pub use output::{entries, unescaped};
pub use program::judge_output;
pub use sinks::judge_text;

/// The origin of the URLs.
pub const ORIGIN: &str = "http://h.example";

/// The agent of every question that does not test agents.
pub const AGENT: &str = "FooBot";

/// The default size limit, in bytes (RFC 9309 section 2.5).
pub const LIMIT: usize = 512_000;

/// Memory of a parsed file: at most this multiple of its size …
pub const MEMORY_TIMES: usize = 8;
/// … plus this number of bytes.
pub const MEMORY_PLUS: usize = 4096;

/// Reads the hostile cases.
///
/// # Panics
///
/// If they cannot be read.
pub fn suite() -> Suite {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hostile");
    load(&folder).unwrap_or_else(|error| panic!("{error}"))
}

/// A kind of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A robots text.
    Robots,
    /// The text of a URL.
    Url,
    /// The name of a crawler.
    Agent,
    /// Header lines, or a page.
    Page,
}

/// Returns the distinct inputs of the hostile cases, each with the name of a case.
pub fn inputs() -> BTreeMap<(Kind, Vec<u8>), String> {
    let mut inputs = BTreeMap::new();
    let suite = suite();
    for case in suite.verdicts {
        inputs.insert((Kind::Robots, case.robots), case.name.clone());
        inputs.insert((Kind::Url, case.url), case.name.clone());
        if let NamedCrawler::Token(token) = case.crawler {
            inputs.insert((Kind::Agent, token.into_bytes()), case.name);
        }
    }
    for statement in suite.statements {
        let input = match statement.question {
            Question::Extension(asked) => (Kind::Robots, asked.robots.0),
            Question::Reading(reading) => (Kind::Robots, reading.robots.0),
            Question::Target(target) => (Kind::Url, target.url.0),
            Question::Token(token) => (Kind::Agent, token.agent.0),
            Question::Page(page) => {
                let lines = page.headers.iter().map(|it| [b"X-Robots-Tag: ", &it.0[..]].concat());
                let lines = lines.collect::<Vec<_>>().join(&b"\r\n"[..]);
                (Kind::Page, page.html.map_or(lines, |html| html.0))
            }
            _ => continue,
        };
        inputs.insert(input, statement.name);
    }
    inputs
}
