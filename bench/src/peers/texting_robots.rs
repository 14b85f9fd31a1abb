//! [texting_robots](https://crates.io/crates/texting_robots): the crawler is chosen when the file is parsed.

use texting_robots::Robot;

use super::Engine;
use crate::plan::Work;

/// Rules of one crawler.
pub(crate) struct TextingRobots;

impl Engine for TextingRobots {
    const CRATE: &'static str = "texting_robots";
    const NOTE: &'static str = "parses for one crawler";
    const WORKS: &'static [Work] =
        &[Work::OneShot, Work::Compile, Work::Hot, Work::HotPath, Work::Cold];
    type Parsed<'f> = Robot;
    type Ready<'p> = &'p Robot;

    fn parse(file: &[u8], agent: &str, _: &str) -> Option<Robot> {
        Robot::new(agent, file).ok()
    }

    fn ready<'p, 'f: 'p>(parsed: &'p Robot, _: &str) -> &'p Robot {
        parsed
    }

    fn is_allowed(ready: &&Robot, _: &str, url: &str) -> Option<bool> {
        Some(ready.allowed(url))
    }
}
