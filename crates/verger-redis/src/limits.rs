//! All limits, with their reasons.

use std::time::Duration;

/// Time for one call of Redis, including a new connection: half of the time that a client allows a
/// store by default, so that a slow Redis is an error with a reason.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_millis(400);

/// Time to live of a record, beginning with its last write. It only removes garbage: after this
/// time no access profile uses a file without another fetch (30 days of freshness and 30 of
/// outage), and a fetch writes the record again.
pub(crate) const RECORD_TIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Time to live of the list of an origin's files and of the earlier files, beginning with the last
/// change. More than a year, so that a file that changes once a year still has its predecessor.
pub(crate) const VERSION_TIME: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// The rest after the first failure of Redis: the time for which its circuit breaker refuses calls.
/// It doubles with each further failure until [`LONGEST_REST`].
pub(crate) const FIRST_REST: Duration = Duration::from_millis(100);

/// The longest rest, so that a Redis that works again is used after two seconds.
pub(crate) const LONGEST_REST: Duration = Duration::from_secs(2);

/// Ranges of hash slots of a Cluster with separate circuit breakers, so that a failing node does
/// not affect others. With more ranges, some share a breaker.
pub(crate) const SLOT_RANGES: usize = 256;

/// Tries of a call after a redirection or a lost connection to a node of a Cluster.
pub(crate) const CLUSTER_RETRIES: u32 = 3;

/// The longest wait between these tries, in milliseconds: all of them fit in a call.
pub(crate) const CLUSTER_RETRY_MILLIS: u64 = 50;

/// Failures in a row after which the connections to a Cluster are replaced: all of its addresses
/// may have changed.
pub(crate) const CLUSTER_FAILURES: u32 = 16;

/// Bytes of a value that are read; a longer one is damaged. The same as for a record, and the MAC.
pub(crate) const VALUE_BYTES: usize = verger_fetch::limits::RECORD_BYTES + 64;

/// Files of one origin that are remembered, the current one included. At one change a month, a year
/// and more; a store on disk has room for more.
pub(crate) const VERSIONS: usize = 16;

/// Bytes of an encoded list of versions.
pub(crate) const VERSION_LIST_BYTES: usize = 4096;

/// Time for which the numbers of turns are remembered after their end. They begin with
/// the time of the server, so this is the difference of clocks that a failover may bring.
pub(crate) const FENCE_TIME: Duration = Duration::from_secs(10 * 60);

/// Tries of a write whose record others change at the same moment.
pub(crate) const WRITES: usize = 8;

/// Hosts with a remembered answer ([`Store::last_answer`](verger_fetch::store::Store)): one other
/// than the given one is enough; the rest is for hosts with several origins.
pub(crate) const ANSWERS: usize = 8;

/// Minimum time between two notes of answers by one process. An answer of another host counts for a
/// minute.
pub(crate) const ANSWER_INTERVAL: Duration = Duration::from_secs(5);

/// Keys of one step of a search through all keys.
pub(crate) const SCAN_COUNT: usize = 1000;
