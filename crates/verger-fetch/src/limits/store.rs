//! Limits of stores, with their reasons.

use std::time::Duration;

/// Bytes of a store in memory: some 10,000 records of usual size.
pub(crate) const MEMORY_STORE_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes in addition to [`PARSED_BYTES`](super::PARSED_BYTES) for records in front of a store that
/// is not memory: some 10,000 of usual size.
pub(crate) const TIER_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum age of a record in memory before the store is read again. Writes by other processes
/// become visible within a second; half of one leaves time for a slow disk.
pub const TIER_AGE: Duration = Duration::from_millis(500);

/// Minimum time between two warnings about failed reads of a store: while it fails, every check
/// reads it.
pub(crate) const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// Most recently used records in which a store searches an answer of another host
/// ([`Store::last_answer`](crate::store::Store::last_answer)). A busy crawler has one among the
/// first few.
pub(crate) const ANSWERS_SEARCHED: usize = 256;

/// Bytes of a store on disk: some 200,000 records of usual size.
#[cfg(feature = "sqlite")]
pub(crate) const DISK_STORE_BYTES: u64 = 1024 * 1024 * 1024;

/// Maximum share of one registrable domain in the bytes of a store: one in this number. So ten
/// thousand names of one site cannot evict all others.
pub(crate) const DOMAIN_SHARE: u64 = 100;

/// Bytes of one record. It has at most two bodies of up to 16 MiB each, the highest configurable
/// limit; the rest is for URLs and header fields.
pub const RECORD_BYTES: usize = 36 * 1024 * 1024;

/// Bytes that a store counts for a record in addition to its own: keys, indexes, columns. Otherwise
/// a flood of empty records would count as nothing.
pub(crate) const RECORD_OVERHEAD: u64 = 512;

/// Timeout of each call of a store, as a part of the time for a whole fetch
/// ([`TOTAL`](super::TOTAL)), by default about a second, at least 50 ms. Calls
/// before a fetch reduce the time for the fetch, so a store adds at most this part.
pub const STORE_SHARE: u32 = 32;

/// Minimum timeout of a store: a busy disk may take some tens of milliseconds to write.
pub(crate) const LEAST_STORE_WAIT: Duration = Duration::from_millis(50);

/// Time without calls to a store after a timeout. Meanwhile, memory or a fetch answers.
pub(crate) const STALL_REST: Duration = Duration::from_secs(5);

/// Maximum wait of a process for another one that writes to the same file.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Waiting calls of a store on disk; further callers wait for room.
#[cfg(feature = "sqlite")]
pub(crate) const STORE_QUEUE: usize = 1024;

/// Records of one transaction if many are put at once: one sync for all of them.
#[cfg(feature = "sqlite")]
pub(crate) const STORE_BATCH: usize = 64;

/// Origins whose use is remembered until the next write, so that reading does not write.
#[cfg(feature = "sqlite")]
pub(crate) const TOUCHED_ORIGINS: usize = 1024;

/// Records examined in one step of an eviction.
#[cfg(feature = "sqlite")]
pub(crate) const EVICTION_STEP: u32 = 32;

/// Pages returned to the file system after a write that freed space.
#[cfg(feature = "sqlite")]
pub(crate) const VACUUM_PAGES: u32 = 256;

/// Bytes of the write-ahead log that remain on disk between writes.
#[cfg(feature = "sqlite")]
pub(crate) const LOG_BYTES: u32 = 4 * 1024 * 1024;

/// Damaged files beside a store; with more, the store is not opened.
#[cfg(feature = "sqlite")]
pub(crate) const DAMAGED_FILES: u32 = 100;

/// Unread notices; the oldest are dropped first.
#[cfg(feature = "sqlite")]
pub(crate) const NOTICES: usize = 100;

/// Minimum free space of a disk, below which it counts as full: the index of SQLite's log takes
/// half of it.
#[cfg(feature = "sqlite")]
pub(crate) const LEAST_FREE_BYTES: u64 = 64 * 1024;

/// Attempts to open a store whose file is moved at the same time. More is no accident.
#[cfg(feature = "sqlite")]
pub(crate) const OPEN_ATTEMPTS: usize = 4;

/// Interval of tries to lock a file while another process opens the store, which takes it some
/// milliseconds.
#[cfg(feature = "sqlite")]
pub(crate) const LOCK_CHECK: Duration = Duration::from_millis(2);

/// Maximum time between two fetches of the same file in which it counts as served all the time:
/// most crawlers keep one as long.
pub(crate) const SERVED_BETWEEN_FETCHES: Duration = Duration::from_secs(24 * 60 * 60);

/// Files of one origin that a store on disk remembers, the current one included. At one change a
/// week, a year.
#[cfg(feature = "sqlite")]
pub(crate) const VERSIONS: usize = 50;

/// Bytes of the earlier files of one origin that a store remembers: a site that changes its file
/// all the time must not fill it.
pub const VERSION_BYTES: u64 = 1024 * 1024;
