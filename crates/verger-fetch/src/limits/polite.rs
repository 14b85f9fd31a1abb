//! Limits of politeness, with their reasons.

use std::time::Duration;

use super::Range;

/// The pause between two requests to one origin whose file requests none. A second is acceptable
/// from an unknown crawler.
pub const PAUSE: Range<Duration> = Range {
    least: Duration::ZERO,
    default: Duration::from_secs(1),
    most: Duration::from_secs(24 * 60 * 60),
};

/// The longest pause that a file can request. A page every five minutes is 288 a day; a site that
/// wants less can use `Disallow`.
pub const LONGEST_PAUSE: Range<Duration> = Range {
    least: Duration::from_secs(1),
    default: Duration::from_secs(5 * 60),
    most: Duration::from_secs(24 * 60 * 60),
};

/// Concurrent requests to one origin. Use more than one only for your own sites, or with their
/// consent.
pub const AT_ONCE: Range<usize> = Range { least: 1, default: 1, most: 64 };

/// The first back-off of an origin that answered 429 or 503 without `Retry-After`, or did not
/// answer. It doubles each time. The same as for robots.txt itself (REP-CACHE-21).
pub const FIRST_BACK_OFF: Duration = Duration::from_secs(60);

/// The longest back-off without `Retry-After`.
pub const LONGEST_BACK_OFF: Duration = Duration::from_secs(60 * 60);

/// Pauses in memory; each takes some 100 bytes. Beyond that, the pauses that end first are
/// forgotten, which costs a site at most one early request.
pub const PAUSES: usize = 100_000;

/// Requests that wait for their turn at one origin. At a page a second they take three hours.
pub const ORIGIN_TURNS: usize = 10_000;

/// Requests that wait for their turn, for all origins together. Each is a future of the caller.
pub const TURNS: usize = 200_000;
