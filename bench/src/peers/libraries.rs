//! Verger (as policies, as parsed files, and in dialect `google`), and the libraries written in
//! Rust.

use std::hint::black_box;

use ::verger::limits::BODY_BYTES;
use ::verger::{Dialect, Policy, Robots};
use fast_robots::{DEFAULT_MAX_BYTES, ParseOptions, RobotsMatcher, RobotsTxt};
use robotparser_rs::RobotFileParser;
use robotstxt::DefaultMatcher;
use texting_robots::Robot;

use super::engine::Engine;
use crate::plan::Work;
use crate::set::path;

/// One-shot answers; files parsed and compiled for one crawler; checks with a policy. The parameter
/// is the size limit in bytes.
pub(crate) struct Policies<const BYTES: usize = BODY_BYTES>;

impl<const BYTES: usize> Engine for Policies<BYTES> {
    const CRATE: &'static str = "verger";
    const NOTE: &'static str = "default dialect, RFC 9309; matches with a policy for one crawler";
    const WORKS: &'static [Work] = &Work::ALL;
    const KEEPS_PARSED: bool = false;
    type Parsed<'f> = Robots;
    type Ready<'p> = Policy;

    fn parse(file: &[u8], _: &str, _: &str) -> Option<Robots> {
        Some(const { default_dialect(BYTES) }.parse(file))
    }

    fn ready<'p, 'f: 'p>(parsed: &'p Robots, agent: &str) -> Policy {
        parsed.policy(agent)
    }

    fn compile(file: &[u8], agent: &str, _: &str) {
        drop(black_box(const { default_dialect(BYTES) }.policy(file, agent)));
    }

    fn is_allowed(ready: &Policy, _: &str, url: &str) -> Option<bool> {
        Some(ready.is_allowed(url))
    }

    fn one_shot(file: &[u8], agent: &str, _: &str, url: &str) -> Option<bool> {
        Some(const { default_dialect(BYTES) }.is_allowed(file, agent, url))
    }
}

/// The parsed file, which answers every crawler.
pub(crate) struct Parsed;

impl Engine for Parsed {
    const CRATE: &'static str = "verger";
    const WAY: &'static str = "parsed file";
    const NOTE: &'static str = "serves every crawler, and selects its groups for each question";
    const WORKS: &'static [Work] = &[Work::Hot, Work::HotPath, Work::Cold];
    type Parsed<'f> = Robots;
    type Ready<'p> = &'p Robots;

    fn parse(file: &[u8], _: &str, _: &str) -> Option<Robots> {
        Some(Robots::parse(file))
    }

    fn ready<'p, 'f: 'p>(parsed: &'p Robots, _: &str) -> &'p Robots {
        parsed
    }

    fn is_allowed(ready: &&Robots, agent: &str, url: &str) -> Option<bool> {
        Some(ready.check(agent, url).is_allowed())
    }
}

/// Dialect `google`, for the comparison with Google.
pub(crate) struct Google;

impl Engine for Google {
    const CRATE: &'static str = "verger";
    const WAY: &'static str = "dialect google";
    const WORKS: &'static [Work] = &[];
    type Parsed<'f> = Robots;
    type Ready<'p> = Policy;

    fn parse(file: &[u8], _: &str, _: &str) -> Option<Robots> {
        Some(Dialect::GOOGLE.parse(file))
    }

    fn ready<'p, 'f: 'p>(parsed: &'p Robots, agent: &str) -> Policy {
        parsed.policy(agent)
    }

    fn is_allowed(ready: &Policy, _: &str, url: &str) -> Option<bool> {
        Some(ready.is_allowed(url))
    }
}

/// The default dialect with a size limit in bytes.
const fn default_dialect(bytes: usize) -> Dialect {
    let mut dialect = Dialect::RFC9309;
    dialect.byte_limit = Some(bytes);
    dialect
}

/// Parsed files of [fast-robots](https://crates.io/crates/fast-robots), with a size limit in bytes.
pub(crate) struct FastRobots<const BYTES: usize = DEFAULT_MAX_BYTES>;

impl<const BYTES: usize> Engine for FastRobots<BYTES> {
    const CRATE: &'static str = "fast-robots";
    const WAY: &'static str = "simple";
    const NOTE: &'static str = "borrows the bytes and stores no positions; accepts UTF-8 up to \
                                512 KiB";
    const WORKS: &'static [Work] =
        &[Work::OneShot, Work::Parse, Work::Hot, Work::HotPath, Work::Cold];
    type Parsed<'f> = RobotsTxt<'f>;
    type Ready<'p> = &'p RobotsTxt<'p>;

    fn parse<'f>(file: &'f [u8], _: &str, _: &str) -> Option<RobotsTxt<'f>> {
        RobotsTxt::parse_bytes_with_options(file, ParseOptions { max_bytes: Some(BYTES) }).ok()
    }

    fn ready<'p, 'f: 'p>(parsed: &'p RobotsTxt<'f>, _: &str) -> &'p RobotsTxt<'p> {
        parsed
    }

    fn is_allowed(ready: &&RobotsTxt<'_>, agent: &str, url: &str) -> Option<bool> {
        Some(ready.is_allowed(agent, &path(url)))
    }

    fn is_path_allowed(ready: &&RobotsTxt<'_>, agent: &str, path: &str) -> Option<bool> {
        Some(ready.is_allowed(agent, path))
    }
}

/// Compiled files of fast-robots, with a size limit in bytes.
pub(crate) struct FastRobotsCompiled<const BYTES: usize = DEFAULT_MAX_BYTES>;

impl<const BYTES: usize> Engine for FastRobotsCompiled<BYTES> {
    const CRATE: &'static str = "fast-robots";
    const WAY: &'static str = "compiled";
    const NOTE: &'static str = "compiled for all crawlers; accepts UTF-8 up to 512 KiB";
    const WORKS: &'static [Work] =
        &[Work::OneShot, Work::Compile, Work::Hot, Work::HotPath, Work::Cold];
    type Parsed<'f> = RobotsTxt<'f>;
    type Ready<'p> = RobotsMatcher<'p>;

    fn parse<'f>(file: &'f [u8], _: &str, _: &str) -> Option<RobotsTxt<'f>> {
        RobotsTxt::parse_bytes_with_options(file, ParseOptions { max_bytes: Some(BYTES) }).ok()
    }

    fn ready<'p, 'f: 'p>(parsed: &'p RobotsTxt<'f>, _: &str) -> RobotsMatcher<'p> {
        parsed.matcher()
    }

    fn is_allowed(ready: &RobotsMatcher<'_>, agent: &str, url: &str) -> Option<bool> {
        Some(ready.is_allowed(agent, &path(url)))
    }

    fn is_path_allowed(ready: &RobotsMatcher<'_>, agent: &str, path: &str) -> Option<bool> {
        Some(ready.is_allowed(agent, path))
    }
}

/// [robotxt](https://crates.io/crates/robotxt): sorted rules of one crawler, which is chosen when
/// the file is parsed.
pub(crate) struct Robotxt;

impl Engine for Robotxt {
    const CRATE: &'static str = "robotxt";
    const NOTE: &'static str = "parses for one crawler; reads 500 KiB";
    const WORKS: &'static [Work] =
        &[Work::OneShot, Work::Compile, Work::Hot, Work::HotPath, Work::Cold];
    type Parsed<'f> = robotxt::Robots;
    type Ready<'p> = &'p robotxt::Robots;

    fn parse(file: &[u8], agent: &str, _: &str) -> Option<robotxt::Robots> {
        Some(robotxt::Robots::parse(file, agent))
    }

    fn ready<'p, 'f: 'p>(parsed: &'p robotxt::Robots, _: &str) -> &'p robotxt::Robots {
        parsed
    }

    fn is_allowed(ready: &&robotxt::Robots, _: &str, url: &str) -> Option<bool> {
        Some(ready.is_allowed(&path(url)))
    }

    fn is_path_allowed(ready: &&robotxt::Robots, _: &str, path: &str) -> Option<bool> {
        Some(ready.is_allowed(path))
    }
}

/// [texting_robots](https://crates.io/crates/texting_robots): rules of one crawler, which is chosen
/// when the file is parsed.
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

/// [robotstxt](https://crates.io/crates/robotstxt), a port of Google's library: it stores only the
/// text of the file, and parses it again for each question.
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

/// [robotparser-rs](https://crates.io/crates/robotparser-rs), a port of Python's
/// `urllib.robotparser`: a parsed file.
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
