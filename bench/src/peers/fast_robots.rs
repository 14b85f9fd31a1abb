//! [fast-robots](https://crates.io/crates/fast-robots), parsed and compiled.

use fast_robots::{DEFAULT_MAX_BYTES, ParseOptions, RobotsMatcher, RobotsTxt};

use super::Engine;
use crate::plan::Work;
use crate::set::path;

/// Parsed files, with a size limit in bytes.
pub(crate) struct Simple<const BYTES: usize = DEFAULT_MAX_BYTES>;

impl<const BYTES: usize> Engine for Simple<BYTES> {
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

/// Compiled files, with a size limit in bytes.
pub(crate) struct Compiled<const BYTES: usize = DEFAULT_MAX_BYTES>;

impl<const BYTES: usize> Engine for Compiled<BYTES> {
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
