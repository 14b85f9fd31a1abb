//! [robotxt](https://crates.io/crates/robotxt): the crawler is chosen when the file is parsed.

use robotxt::Robots;

use super::Engine;
use crate::plan::Work;
use crate::set::path;

/// Rules of one crawler, sorted.
pub(crate) struct Robotxt;

impl Engine for Robotxt {
    const CRATE: &'static str = "robotxt";
    const NOTE: &'static str = "parses for one crawler; reads 500 KiB";
    const WORKS: &'static [Work] =
        &[Work::OneShot, Work::Compile, Work::Hot, Work::HotPath, Work::Cold];
    type Parsed<'f> = Robots;
    type Ready<'p> = &'p Robots;

    fn parse(file: &[u8], agent: &str, _: &str) -> Option<Robots> {
        Some(Robots::parse(file, agent))
    }

    fn ready<'p, 'f: 'p>(parsed: &'p Robots, _: &str) -> &'p Robots {
        parsed
    }

    fn is_allowed(ready: &&Robots, _: &str, url: &str) -> Option<bool> {
        Some(ready.is_allowed(&path(url)))
    }

    fn is_path_allowed(ready: &&Robots, _: &str, path: &str) -> Option<bool> {
        Some(ready.is_allowed(path))
    }
}
