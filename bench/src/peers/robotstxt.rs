//! [robotstxt](https://crates.io/crates/robotstxt), a port of Google's library: it stores nothing,
//! and parses the file again for each question.

use robotstxt::DefaultMatcher;

use super::Engine;
use crate::plan::Work;

/// The text of the file.
pub(crate) struct Robotstxt;

impl Engine for Robotstxt {
    const CRATE: &'static str = "robotstxt";
    const NOTE: &'static str = "stores nothing: parses the file again for each question; accepts \
                                UTF-8";
    const WORKS: &'static [Work] = &[Work::OneShot, Work::Hot, Work::Cold];
    type Parsed<'f> = &'f str;
    type Ready<'p> = &'p str;

    fn parse<'f>(file: &'f [u8], _: &str, _: &str) -> Option<&'f str> {
        std::str::from_utf8(file).ok()
    }

    fn ready<'p, 'f: 'p>(parsed: &'p &'f str, _: &str) -> &'p str {
        parsed
    }

    fn is_allowed(ready: &&str, agent: &str, url: &str) -> Option<bool> {
        Some(DefaultMatcher::default().one_agent_allowed_by_robots(ready, agent, url))
    }
}
