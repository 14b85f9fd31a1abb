//! Verger: as policies, as parsed files, and in dialect `google`.

use std::hint::black_box;

use ::verger::limits::BODY_BYTES;
use ::verger::{Dialect, Policy, Robots};

use super::Engine;
use crate::plan::Work;

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
