//! Every number a client is bounded by, with its reason.

use std::time::Duration;

use super::{LimitReached, Range};

/// Fetches at the same time, of robots.txt and of pages. Each holds a socket, and its body before and after
/// decoding: for a page at most twice [`PAGE`](super::PAGE), 1 GiB if all were full. A process has 1,024 descriptors by
/// default.
pub const FETCHES: usize = 256;

/// That limit, as it is told when it was reached.
pub(crate) const FETCH_LIMIT: LimitReached = LimitReached::new(FETCHES, "fetches run");

/// Origins whose robots.txt is being fetched, or waits to be. One more is an error: the
/// client is busy.
pub const FETCH_QUEUE: usize = 10_000;

/// Questions that wait for a fetch, of all origins together. Each is a future of the caller's.
pub const WAITING: usize = 200_000;

/// Bytes of parsed files that are kept for further questions, counted as the bytes of their text.
pub const PARSED_BYTES: usize = 32 * 1024 * 1024;

/// What a parsed file takes beside its text, roughly.
pub(crate) const PARSED_OVERHEAD: usize = 1_024;

/// Interval at which callers check the heartbeat of the fetch that they wait for. The heart beats twice as often, as
/// long as the runtime of the fetch runs.
pub(crate) const HEARTBEAT: Range<Duration> = Range {
    least: Duration::from_millis(20),
    default: Duration::from_secs(1),
    most: Duration::from_secs(1),
};

/// The part of the time for a fetch after which they listen, within these bounds. Who takes over after the
/// silences below has most of the time left.
pub(crate) const HEARTBEAT_SHARE: u32 = 20;

/// How much longer than a fetch a question may take: this part of its time. Three operations of the store after a
/// fetch ([`STORE_SHARE`](super::STORE_SHARE)) fit in it.
pub(crate) const GRACE_SHARE: u32 = 10;

/// After so many times without a beat another one who waits fetches: not after the first, because a
/// busy machine may keep a runtime waiting.
pub(crate) const MISSED_HEARTBEATS: u32 = 2;

/// Fetches that one question waits for when their tasks disappear, one after the other. A third one that
/// does so is no accident.
pub(crate) const FETCH_STARTS: u32 = 3;

/// How often a question is asked anew whose fetch brought what held no more when it came: once, for a clock
/// that was turned or a machine that slept. Twice in a row is a broken clock.
pub(crate) const ASKED_AGAIN: usize = 1;

/// How often a fetch is repeated whose 304 confirmed a file that another process has replaced
/// meanwhile: once. After a second one the check fails with `CheckError::Ended`.
pub(crate) const REFETCHES: usize = 1;

/// How often the result of a fetch is merged into a record that other clients of the store change at
/// the same moment. Each time another one has succeeded; after the last, the result is kept in memory.
pub(crate) const MERGES: usize = 16;

/// How long the end of a [`Background`](crate::background::Background) waits for tasks that do not end by
/// themselves: name servers, and stores that write.
pub const ENDING: Duration = Duration::from_secs(1);

/// Bytes of records that concern one client alone: faults of its own, and what its own rules made of
/// a redirect. They are small.
pub const OWN_BYTES: u64 = 8 * 1024 * 1024;

/// Bytes of records that a store did not take and that are kept in memory instead, so that a full disk
/// does not make us fetch for every question.
pub const UNSTORED_BYTES: u64 = 8 * 1024 * 1024;

/// How recently some other host must have answered for a first failure to resolve a name or to reach
/// an address to count as the site's: one minute, the wait before the second try. A crawler that loses
/// its network takes it for an outage of other sites no longer than that (REP-CACHE-28).
pub const HEARD_LATELY: Duration = Duration::from_secs(60);

/// How long the answer to a page says that the site is there (REP-CACHE-22): as long as what a fetch of
/// robots.txt says.
pub const ANSWERED_LATELY: Duration = Duration::from_secs(24 * 60 * 60);

/// Origins of which it is remembered that they answered; each costs some hundred bytes.
pub const ANSWERING_ORIGINS: usize = 50_000;
