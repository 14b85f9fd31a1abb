//! [robotparser-rs](https://crates.io/crates/robotparser-rs), a port of Python's `urllib.robotparser`.

use robotparser_rs::RobotFileParser;

use super::Engine;
use crate::plan::Work;

/// A parsed file.
pub(crate) struct RobotparserRs;

impl Engine for RobotparserRs {
    const CRATE: &'static str = "robotparser-rs";
    const NOTE: &'static str =
        "a port of Python's urllib.robotparser, without wildcards; accepts UTF-8";
    const WORKS: &'static [Work] =
        &[Work::OneShot, Work::Parse, Work::Hot, Work::HotPath, Work::Cold];
    type Parsed<'f> = RobotFileParser;
    type Ready<'p> = &'p RobotFileParser;

    fn parse(file: &[u8], _: &str, _: &str) -> Option<RobotFileParser> {
        let lines: Vec<&str> = std::str::from_utf8(file).ok()?.lines().collect();
        let mut parser = RobotFileParser::new("");
        parser.parse(&lines);
        Some(parser)
    }

    fn ready<'p, 'f: 'p>(parsed: &'p RobotFileParser, _: &str) -> &'p RobotFileParser {
        parsed
    }

    fn is_allowed(ready: &&RobotFileParser, agent: &str, url: &str) -> Option<bool> {
        ready.can_fetch(agent, url).ok()
    }
}
