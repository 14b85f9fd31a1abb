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

/// How long an origin is left alone that answered 429 or 503, or not at all, and did not say how long:
/// the first time; each time again twice as long. The same as for robots.txt itself (REP-CACHE-21).
pub const FIRST_BACK_OFF: Duration = Duration::from_secs(60);

/// The longest of these waits, unless `Retry-After` says otherwise.
pub const LONGEST_BACK_OFF: Duration = Duration::from_secs(60 * 60);

/// Origins whose last request is remembered. One takes some 300 bytes; those that owe no pause any more
/// are forgotten first.
pub const LANES: usize = 100_000;

/// One in so many of [`LANES`] is what the origins of one registrable domain may keep when there are no more:
/// whoever has ten thousand names is not to lock out everybody else.
pub const LANE_SHARE: usize = 100;

/// Requests that wait for their turn at one origin. At a page a second they take three hours.
pub const LANE_TURNS: usize = 10_000;

/// Requests that wait for their turn, of all origins together. Each is a future of the caller's.
pub const TURNS: usize = 200_000;

/// As many lanes are opened before idle ones are looked for: a third of a megabyte.
pub(crate) const LANES_FIRST_SWEEP: usize = 1_024;

/// The time between two looks for idle lanes when all are taken: a look goes through all of them.
pub(crate) const LANES_SWEEP_INTERVAL: Duration = Duration::from_secs(1);
