//! Limits of a client and of its politeness, with their reasons.

use std::time::Duration;

use super::{LimitReached, Range};

/// Concurrent fetches of robots.txt and pages. Each uses a socket, and memory for its body before
/// and after decoding: for a page at most twice [`PAGE`](super::PAGE), 1 GiB for all. A process has
/// 1,024 descriptors by default.
pub const FETCHES: usize = 256;

/// That limit, as reported when it is reached.
pub(crate) const FETCH_LIMIT: LimitReached = LimitReached::new(FETCHES, "fetches run");

/// Origins whose robots.txt is being fetched or waits for it. One more is an error: the client is
/// busy.
pub const FETCH_QUEUE: usize = 10_000;

/// Checks that wait for a fetch, for all origins together. Each is a future of the caller.
pub(crate) const WAITING: usize = 200_000;

/// Bytes that a client knows of origins, mainly parsed files, counted as the bytes of their text.
pub const PARSED_BYTES: usize = 32 * 1024 * 1024;

/// Approximate memory of a parsed file beside its text.
pub(crate) const PARSED_OVERHEAD: usize = 1_024;

/// Interval at which callers check the heartbeat of their fetch. While its runtime runs, the fetch
/// sends two in this time.
pub(crate) const HEARTBEAT: Range<Duration> = Range {
    least: Duration::from_millis(20),
    default: Duration::from_secs(1),
    most: Duration::from_secs(1),
};

/// This interval as a part of the time for a fetch, within these bounds. A caller that takes over
/// after the missed heartbeats below has most of the time left.
pub(crate) const HEARTBEAT_SHARE: u32 = 20;

/// Additional time of a check, as a part of the time for a fetch. Three operations of the store
/// ([`STORE_SHARE`](super::STORE_SHARE)) fit in it: one before a fetch, and two after it if another
/// client has changed the record.
pub(crate) const GRACE_SHARE: u32 = 10;

/// Missed heartbeats after which another caller fetches: not one, because a busy machine may delay
/// a runtime.
pub(crate) const MISSED_HEARTBEATS: u32 = 2;

/// Fetches that one check waits for if their tasks disappear one after the other. A third such
/// failure is no accident.
pub(crate) const FETCH_STARTS: u32 = 3;

/// Time of a lease of the store ([`Store::claim`](crate::store::Store::claim)), as a part of the
/// time for a fetch, by default about four seconds. After a process has died, others wait for this
/// time, and most of that for their check is left.
pub(crate) const LEASE_SHARE: u32 = 8;

/// Renewals of a lease during its time: the first may fail.
pub(crate) const LEASE_RENEWALS: u32 = 3;

/// Intervals at which a client looks for the result of another one that has the lease: twice as
/// long each time. A fetch takes some hundred milliseconds.
pub(crate) const LEASE_CHECK: Range<Duration> = Range {
    least: Duration::from_millis(10),
    default: Duration::from_millis(10),
    most: Duration::from_millis(250),
};

/// Repetitions of a check whose result expired during its fetch: one, for a clock that was set or a
/// machine that slept. Twice in a row is a broken clock.
pub(crate) const CHECK_RETRIES: usize = 1;

/// Merges of a result into a record that other clients of the store change at the same moment. Each
/// time another client succeeded. After the last, the result stays in memory.
pub(crate) const MERGES: usize = 16;

/// File descriptors that must be free when a runtime starts: tokio takes six and panics without
/// them, and one fetch with a store takes the others.
pub(crate) const START_DESCRIPTORS: usize = 16;

/// Maximum wait at the end of a [`Background`](crate::background::Background) for blocking tasks:
/// name servers, and stores that write.
pub(crate) const ENDING: Duration = Duration::from_secs(1);

/// Maximum share of one registrable domain in the memory of a client: one in this number. So
/// endless names of one site cannot evict all others.
pub(crate) const KNOWN_SHARE: u64 = 8;

/// Maximum age of the last answer of another host for a first failure (of a name or an address) to
/// count as the site's: one minute, the wait before the second try. For that time a crawler that
/// loses its network can still blame other sites (REP-CACHE-28).
pub(crate) const OTHER_HOST_ANSWER_AGE: Duration = Duration::from_secs(60);

/// Time for which a page response shows that the site is available (REP-CACHE-22): the same as the
/// lifetime of robots.txt.
pub const SITE_ANSWER_AGE: Duration = Duration::from_secs(24 * 60 * 60);

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
pub(crate) const FIRST_BACK_OFF: Duration = Duration::from_secs(60);

/// The longest back-off without `Retry-After`.
pub(crate) const LONGEST_BACK_OFF: Duration = Duration::from_secs(60 * 60);

/// Pauses in memory; each takes some 100 bytes. Beyond that, the pauses that end first are
/// forgotten, which costs a site at most one early request.
pub(crate) const PAUSES: usize = 100_000;

/// Requests that wait for their turn at one origin. At a page a second they take three hours.
pub(crate) const ORIGIN_TURNS: usize = 10_000;

/// Requests that wait for their turn, for all origins together. Each is a future of the caller.
pub(crate) const TURNS: usize = 200_000;

/// Time after which a turn of a [`TurnStore`](crate::polite::TurnStore) expires unless it is
/// renewed. Clients renew their turns; so after the death of a process an origin waits for half a
/// minute.
pub const TURN_HOLD: Range<Duration> = Range {
    least: Duration::from_millis(100),
    default: Duration::from_secs(30),
    most: Duration::from_secs(60 * 60),
};

/// Renewals of a turn during its time: the first may fail.
pub(crate) const TURN_RENEWALS: u32 = 3;

/// The longest pause after a turn, which is also that of a `Retry-After`: a day.
pub const LONGEST_TURN_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// Minimum wait for a turn that another caller holds, if no pause follows it: callers ask at this
/// interval.
pub const TURN_CHECK: Duration = Duration::from_millis(20);

/// Interval of tries to reserve a turn while its store fails, or after a limit of the client was
/// reached.
pub(crate) const TURN_RETRY: Duration = Duration::from_secs(1);

/// Origins with turns or pauses in memory; each takes some 300 bytes. With more, there is no turn:
/// a forgotten pause would be impolite.
pub(crate) const TURN_ORIGINS: usize = 100_000;
