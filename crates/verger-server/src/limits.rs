//! All limits of the service that no setting changes, with their reasons. Settings are in
//! `settings/mod.rs`.

use std::time::Duration;

/// Bytes of a URL. RFC 9110 section 4.1 recommends that servers accept 8,000.
pub const URL_BYTES: usize = 8 * 1024;

/// Bytes of a product token or User-Agent header of a question. The longest headers of known
/// crawlers have some 200 bytes.
pub const AGENT_BYTES: usize = 256;

/// Agents of one crawler. The longest documented chain has four.
pub const AGENTS: usize = 16;

/// Crawlers of one evaluation. The table of the page has 40.
pub const CRAWLERS: usize = 64;

/// Bytes of a `verger.toml`.
pub const CONFIG_BYTES: u64 = 1024 * 1024;

/// Bytes of a file of tokens: some thousand tokens.
pub const TOKEN_FILE_BYTES: u64 = 1024 * 1024;

/// Shortest token in bytes. 32 random bytes cannot be guessed.
pub const TOKEN_BYTES: usize = 32;

/// Bytes of the head of a request that are always read: four times the longest URL in a query,
/// escaped, and headers. Hyper doubles its buffer, so it may read a head of up to twice that size.
pub const HEAD_BYTES: usize = 64 * 1024;

/// Bytes of a question in a stream. A question is a URL and a crawler; 1,000 URLs of 60 bytes fit.
pub const LINE_BYTES: usize = 64 * 1024;

/// Questions of a stream that wait for a fetch at the same time, as in `verger check --batch`.
pub const STREAM_WAITING: usize = 64;

/// Bytes of finished answers of a stream that wait for an earlier one.
pub const STREAM_BYTES: usize = 256 * 1024;

/// Bytes of the answers of one response. The file of a site can make each of them long: an
/// explanation lists all matching rules, and a rule all crawlers of its group. A thousand usual
/// answers are a megabyte.
pub const RESPONSE_BYTES: usize = 8 * 1024 * 1024;

/// Explained questions of a request that wait for a fetch at the same time: the answer to each can
/// have some megabytes.
pub const STREAM_EXPLAINED: usize = 4;

/// Bytes of answers in one piece of a stream. Larger pieces are not faster.
pub const CHUNK_BYTES: usize = 128 * 1024;

/// Problems that one response lists. A client that has more has a systematic error.
pub const PROBLEMS: usize = 20;

/// Maximum age of a prepared decision. Another process may have changed the record in the store
/// meanwhile; this process removes the decisions of a record that it changes. A robots.txt is valid
/// for at least five minutes, so ten seconds change nothing for a site.
pub const PREPARED_AGE: Duration = Duration::from_secs(10);

/// The same with a store that only this process changes: the shortest lifetime of a robots.txt.
pub const PREPARED_AGE_IN_MEMORY: Duration = Duration::from_secs(300);

/// Prepared decisions about one origin: crawlers by dialects. A fleet has some.
pub const ORIGIN_DECISIONS: usize = 256;

/// Prepared answers of a decision: deciding rules. Most sites have fewer that decide often.
pub const DECISION_ANSWERS: usize = 8;

/// Bytes of a prepared decision without the file, and of the entry of an origin: half of them are
/// those of two answers.
pub const DECISION_BYTES: usize = 4 * 1024;

/// Checks that go on after their question got `pending`. Each waits for a fetch; fetches are
/// limited to the same number by the client.
pub const GOING_ON: usize = 10_000;

/// Seconds after which a client should ask again for a pending answer. Half of all fetches take
/// less than one.
pub const PENDING_RETRY: u64 = 1;

/// Evaluations and comparisons that wait for the processor, beside those that run, one on each
/// core.
pub const WORK_WAITING: usize = 64;

/// Longest wait for the processor.
pub const WORK_WAIT: Duration = Duration::from_secs(5);

/// Time for the answers and fixes of one evaluation. A hostile file can need a second for one URL,
/// and several for each pass of fixes.
pub const WORK_TIME: Duration = Duration::from_secs(20);

/// Time between two forced fetches of one origin. A site must not be fetched at the pace of an
/// impatient client.
pub const REFRESH_PAUSE: Duration = Duration::from_secs(60);

/// Origins whose last forced fetch is remembered.
pub const REFRESHED: usize = 10_000;

/// Addresses whose rate of requests is remembered.
pub const RATES: usize = 20_000;

/// Connections beyond the limit that get an answer of status 503 at the same time. Others are
/// closed.
pub const REJECTIONS: usize = 64;

/// Time to deliver such an answer.
pub const REJECTION_TIME: Duration = Duration::from_secs(1);

/// Pause after a failed accept, for example because no file descriptor is free.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Descriptors that are not for connections of clients: files, the store, listeners, and most of
/// the concurrent fetches.
pub const OTHER_DESCRIPTORS: u64 = 320;

/// Interval at which the histograms of `/metrics` are condensed.
pub const METRICS_UPKEEP: Duration = Duration::from_secs(5);

/// Time for the store to answer `/readyz`.
pub const READY_TIME: Duration = Duration::from_secs(2);

/// Time for which its answer is remembered: probes need no token, and no rate limits them.
pub const READY_AGE: Duration = Duration::from_secs(1);

/// Longest wait that a question may ask for, in milliseconds. Proxies and clients often give up
/// after 30 to 60 s.
pub const WAIT_MS: u64 = 30_000;

/// Connections that wait to be accepted. Linux permits 4,096.
pub const BACKLOG: u32 = 1_024;

/// Shortest time between two tries to reserve a turn, so that a short wait is no busy loop.
pub const TURN_PAUSE: Duration = Duration::from_millis(10);

/// Time before the store of turns is asked again after a failure. Redis fails over in some seconds,
/// and a call that failed has waited already.
pub const TURN_STORE_PAUSE: Duration = Duration::from_millis(200);

/// Turns that are given back at the same time after their answers were lost. More expire.
pub const GIVING_BACK: usize = 1_000;

/// Time to give a turn back while the service stops. Redis is asked again 100 ms after a failure.
pub const STOPPING_STORE_TIME: Duration = Duration::from_secs(1);

/// Time for the check of the last try to reserve a turn. It only reads the store.
pub const LAST_CHECK: Duration = Duration::from_millis(100);
