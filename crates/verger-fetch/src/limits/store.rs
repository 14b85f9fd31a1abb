//! Every number a store is bounded by, with its reason.

use std::time::Duration;

/// Bytes that a store in memory holds: some 10,000 records of usual size.
pub const MEMORY_STORE_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of records that are kept in memory in front of a store on disk: some 10,000 of usual size.
pub const TIER_BYTES: u64 = 64 * 1024 * 1024;

/// How long such a record answers before the store is asked again. Writes by other processes become
/// visible within a second; half of one leaves time for a slow disk.
pub const TIER_AGE: Duration = Duration::from_millis(500);

/// Records, those used last, among which a store looks for an answer of another host
/// ([`Store::last_answer`](crate::store::Store::last_answer)). A crawler that is busy has one among
/// the first few.
pub(crate) const ANSWERS_SEARCHED: usize = 256;

/// Bytes that a store on disk holds: some 200,000 records of usual size.
pub const DISK_STORE_BYTES: u64 = 1024 * 1024 * 1024;

/// One in so many bytes of a store is the most that the hosts of one registrable domain take together,
/// so that ten thousand names of one site cannot drive out everybody else.
pub const DOMAIN_SHARE: u64 = 100;

/// Bytes of one record. It has at most two bodies of up to 16 MiB each, the highest limit that can be
/// configured; the rest is room for URLs and header fields.
pub const RECORD_BYTES: usize = 36 * 1024 * 1024;

/// Access profiles of which a record keeps the state: all published ones, and room for custom rows.
/// Each costs some 80 bytes; those that asked longest ago leave first.
pub const PROFILE_STATES: usize = 24;

/// Bytes that a store counts for a record on top of its own: keys, indexes, columns. Without it a flood
/// of empty records would count for nothing.
pub const RECORD_OVERHEAD: u64 = 512;

/// Each answer of a store is waited for as long as this part of the time for a whole fetch
/// ([`TOTAL`](super::TOTAL)), by default about a second, and never less than [`LEAST_STORE_WAIT`]. What the answers before a fetch take is taken off the
/// time for the fetch, so that a store adds no more than this part to it.
pub const STORE_SHARE: u32 = 32;

/// The shortest of these waits: a disk that is busy may take some tens of milliseconds to write.
pub const LEAST_STORE_WAIT: Duration = Duration::from_millis(50);

/// How long a store that did not answer in time is not asked again: its questions are answered from
/// memory, or by a fetch.
pub const STALL_REST: Duration = Duration::from_secs(5);

/// How long a process waits for another one that writes to the same file.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Questions that wait for a store on disk; who asks more waits to ask.
pub const STORE_QUEUE: usize = 1024;

/// Records that are made durable together when many are put at once: one sync instead of as many.
pub const STORE_BATCH: usize = 64;

/// Origins whose use is remembered until the next write, so that reading does not write.
pub const TOUCHED_ORIGINS: usize = 1024;

/// Records that are looked at in one step when old ones have to go.
pub const EVICTION_STEP: u32 = 32;

/// Pages that are given back to the file system after a write that made room.
pub const VACUUM_PAGES: u32 = 256;

/// Bytes of the write-ahead log that stay on disk between writes.
pub const LOG_BYTES: u32 = 4 * 1024 * 1024;

/// Damaged files that are kept beside a store; when there are more, the store is not opened.
pub const DAMAGED_FILES: u32 = 100;

/// Notices that wait to be read; the oldest go first.
pub const NOTICES: usize = 100;

/// A disk with less free space than this is full: the index of SQLite's log takes half of it.
#[cfg(feature = "sqlite")]
pub(crate) const LEAST_FREE_BYTES: u64 = 64 * 1024;

/// A store's file that moves under each of so many attempts to open it is not moved by accident.
#[cfg(feature = "sqlite")]
pub(crate) const OPEN_ATTEMPTS: usize = 4;

/// The time between two tries to lock a file that another process holds while it opens the store, which takes it some
/// milliseconds.
#[cfg(feature = "sqlite")]
pub(crate) const LOCK_CHECK: Duration = Duration::from_millis(2);
