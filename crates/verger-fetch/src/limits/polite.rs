//! Every number of politeness, with its reason.

use std::time::Duration;

use super::Range;

/// The pause between two requests to one origin where its file asks for none: a second is what crawlers
/// that are not known to a site can take without being noticed.
pub const PAUSE: Range<Duration> = Range {
    least: Duration::ZERO,
    default: Duration::from_secs(1),
    most: Duration::from_secs(24 * 60 * 60),
};

/// The longest pause that a file can ask for. A page every five minutes is 288 a day; who asks for less
/// means "stay away", and has `Disallow` for it.
pub const LONGEST_PAUSE: Range<Duration> = Range {
    least: Duration::from_secs(1),
    default: Duration::from_secs(5 * 60),
    most: Duration::from_secs(24 * 60 * 60),
};

/// Requests to one origin at the same time. More than one is for sites that the crawler's owner knows.
pub const AT_ONCE: Range<usize> = Range { least: 1, default: 1, most: 64 };

/// How long an origin is left alone that answered 429 or 503, or not at all, and did not say how long:
/// the first time; each time again twice as long. The same as for robots.txt itself (REP-CACHE-21).
pub const FIRST_BACK_OFF: Duration = Duration::from_secs(60);

/// The longest of these waits, unless `Retry-After` says otherwise.
pub const LONGEST_BACK_OFF: Duration = Duration::from_secs(60 * 60);

/// Pauses that are kept in memory; each takes some 100 bytes. When there are more, those that end first
/// are forgotten: it costs a site at most one request that comes too early.
pub const PAUSES: usize = 100_000;

/// Requests that wait for their turn at one origin. At a page a second they take three hours.
pub const LANE_TURNS: usize = 10_000;

/// Requests that wait for their turn, of all origins together. Each is a future of the caller's.
pub const TURNS: usize = 200_000;
