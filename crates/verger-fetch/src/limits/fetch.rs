//! Limits of a single fetch, also by FTP, with their reasons.

use std::time::Duration;

use super::Range;

/// Time for the whole fetch, including redirects. The other time limits run inside it. The wait for
/// a connection to an address does not; it has the same maximum.
pub const TOTAL: Range<Duration> = seconds(30);

/// Time to resolve one name. Stub resolvers can ask more than twice within it.
pub(crate) const DNS: Range<Duration> = seconds(5);

/// Time for one address to accept a connection. A lost SYN is repeated after a second, a second one
/// after three; a slower host counts as unreachable.
pub(crate) const CONNECT: Range<Duration> = seconds(3);

/// Time for all addresses of a name together.
pub(crate) const CONNECT_ALL: Range<Duration> = seconds(8);

/// Time for the TLS handshake, from the first byte to the last.
pub(crate) const TLS: Range<Duration> = seconds(5);

/// Time from the request to the end of the response's head, including interim responses. It ends
/// with the head, not with its first byte, so that a slow head is cut off too.
pub(crate) const HEAD: Range<Duration> = seconds(10);

/// Time between two reads of a body, and for one reply of an FTP server.
pub(crate) const IDLE: Range<Duration> = seconds(10);

/// Bytes of the decoded body. REP-SYNTAX-8, RFC 9309 section 2.5, requires at least 500 KiB, so it
/// cannot be set lower.
pub const BODY: Range<usize> =
    Range { least: 500 * 1024, default: 500 * 1024, most: 16 * 1024 * 1024 };

/// Time for one query to one name server; twice this and a retry over TCP fit in [`DNS`]. It grows
/// with that limit.
#[cfg(feature = "dns")]
pub(crate) const DNS_QUERY: Duration = Duration::from_secs(2);

/// Time for which the answer of a proxy for a name that cannot exist is remembered: it depends on
/// the proxy's software, which seldom changes (REP-CACHE-28a).
pub(crate) const PROXY_PROBE: Duration = Duration::from_secs(24 * 60 * 60);

/// The same without an answer: each try can take [`PROXY_PROBE_SHARE`] of the time of a fetch.
pub(crate) const PROXY_PROBE_RETRY: Duration = Duration::from_secs(60);

/// Maximum time for this question, as a part of [`TOTAL`]: most of it is for the site.
pub(crate) const PROXY_PROBE_SHARE: u32 = 4;

/// Wait for the addresses of the other family after those of one have arrived: RFC 8305 section 8
/// recommends 50 ms.
#[cfg(feature = "dns")]
pub(crate) const RESOLUTION_DELAY: Duration = Duration::from_millis(50);

/// Tries of a query to a name server: one lost packet is not a missing name.
#[cfg(feature = "dns")]
pub(crate) const DNS_ATTEMPTS: usize = 2;

/// Bytes of the body before decoding. A compressed body is smaller than the decoded one; twice the
/// size leaves room for bad compression.
pub(crate) const WIRE: Range<usize> =
    Range { least: 512 * 1024, default: 1024 * 1024, most: 32 * 1024 * 1024 };

/// Bytes of the decoded body of a page, for readers of its text and links: Google's crawler reads 2
/// MB of HTML. Directives are read from the first [`verger_page::limits::HTML_BYTES`] only, half of
/// the default.
pub const PAGE: Range<usize> =
    Range { least: 64 * 1024, default: 2 * 1024 * 1024, most: 64 * 1024 * 1024 };

/// Bytes of the body of a page with a status from 400: challenges are shorter.
pub(crate) const ERROR_PAGE_BYTES: usize = 16 * 1024;

/// Maximum time for this body: the status has arrived, and is the answer.
pub(crate) const ERROR_PAGE_TIME: Duration = Duration::from_secs(2);

/// Bytes of the response's head, including all interim responses. curl stops at 300 KiB.
pub(crate) const HEAD_BYTES: Range<usize> =
    Range { least: 8 * 1024, default: 64 * 1024, most: 300 * 1024 };

/// Header fields of a response; the same as Hyper's own limit.
pub(crate) const HEAD_FIELDS: Range<usize> = Range { least: 32, default: 100, most: 1_000 };

/// Interim (1xx) responses before the final one.
pub(crate) const INTERIM: Range<usize> = Range { least: 0, default: 10, most: 100 };

/// Maximum number of redirects. An access profile or a request may set a smaller number, which then
/// counts. REP-ACCESS-20, REP-ACCESS-23: at least five; browsers stop at twenty, and robots.txt
/// needs fewer.
pub const REDIRECTS: Range<usize> = Range { least: 5, default: 5, most: 10 };

/// Addresses of one name that may be dialled. All addresses of an answer are checked.
pub(crate) const ADDRESSES: Range<usize> = Range { least: 1, default: 16, most: 64 };

/// Concurrent connections to one address. Many sites share an address, and its operator sees one
/// visitor. Connections silent for a second do not count, up to 512.
pub const PER_ADDRESS: Range<usize> = Range { least: 1, default: 4, most: 256 };

/// Time without data on a connection after which its place at the address and its slot among all
/// fetches are lent to others; few servers take longer. With a short [`TOTAL`] it is an eighth of
/// that, so that many silent sites finish within it.
pub(crate) const SILENCE: Duration = Duration::from_secs(1);

/// Maximum of [`SILENCE`], as a part of [`TOTAL`].
pub(crate) const SILENCE_SHARE: u32 = 8;

/// Silent connections that do not count, at one address and in total. With
/// [`FETCHES`](super::FETCHES) they use 768 of the 1,024 descriptors that a process has by default;
/// the rest is for attempts at further addresses.
pub(crate) const SILENT: usize = 512;

/// Wait before the next address is dialled: RFC 8305 section 5 recommends 250 ms.
pub(crate) const NEXT_ADDRESS: Duration = Duration::from_millis(250);

/// Bytes of chunk framing and trailers, for each permitted byte of a body on the wire. One-byte
/// chunks need six; a chunk size with a million zeros exceeds it.
pub(crate) const FRAMING_FACTOR: usize = 8;

/// Bytes of trailers, which are ignored. Hyper reads 16 KiB.
pub(crate) const TRAILER_BYTES: usize = 8 * 1024;

/// Bytes of a stored validator in a request (`If-None-Match`, `If-Modified-Since`), and of a header
/// field in a report. A longer `ETag` is ignored.
pub(crate) const FIELD_BYTES: usize = 8 * 1024;

/// Bytes of a Location. RFC 9110 section 4.1 recommends 8,000 for a URL.
pub(crate) const LOCATION_BYTES: usize = 8 * 1024;

/// The window of a zstd frame: the maximum of RFC 9659 section 3.
#[cfg(feature = "zstd")]
pub(crate) const ZSTD_WINDOW_BYTES: u64 = 8 * 1024 * 1024;

/// Frames of a zstd body. Each needs new tables; real bodies have one.
#[cfg(feature = "zstd")]
pub(crate) const ZSTD_FRAMES: usize = 1_000;

/// From a hundredth of a second to two minutes: no phase needs more than [`TOTAL`], and each may
/// have as much ([`Limits::with_timeout`](super::Limits::with_timeout)).
const fn seconds(default: u64) -> Range<Duration> {
    Range {
        least: Duration::from_millis(10),
        default: Duration::from_secs(default),
        most: Duration::from_secs(120),
    }
}

/// Additional size of Hyper's buffer, beyond any head that the meter permits, so that the meter
/// decides.
pub(crate) const HEAD_ROOM: usize = 16 * 1024;

/// Number of addresses with counted connections from which unused ones are removed: some hundred
/// bytes each.
pub(crate) const PLACES_PRUNED_FROM: usize = 1_024;

/// Minimum interval of checks while the time of a fetch is paused.
pub(crate) const PAUSE_CHECK: Duration = Duration::from_millis(10);

/// Maximum interval of checks whether this process runs, during a fetch.
pub(crate) const RUN_CHECK: Duration = Duration::from_millis(250);

/// Minimum number of such checks in the time that is allowed for something: a stop that ends before
/// the next check costs at most this share of it.
pub(crate) const RUN_CHECKS: u32 = 8;

/// Delay of a timer from which on this process did not run, instead of being busy: a busy machine
/// delays timers by some hundred milliseconds at most.
pub(crate) const STOPPED: Duration = Duration::from_secs(1);

/// Maximum of [`STOPPED`], as a part of the allowed time: more would leave a site too little of it.
pub(crate) const STOPPED_SHARE: u32 = 4;

/// Bytes that a decoder reads at a time: a page of memory.
#[cfg(feature = "brotli")]
pub(crate) const DECODER_ROOM: usize = 4_096;

/// Minimum bytes of a recorded body that is text under a content coding. Shorter ones could be the
/// beginning of coded bytes, and rules need more: `User-agent: *` and one of them.
pub(crate) const TEXT_BYTES: usize = 16;

/// Bytes of a line of an FTP reply. RFC 959 has no limit; real lines have less than 100.
#[cfg(feature = "ftp")]
pub(crate) const FTP_LINE_BYTES: usize = 1024;

/// Lines of one FTP reply: banners of mirrors have up to some dozens.
#[cfg(feature = "ftp")]
pub(crate) const FTP_REPLY_LINES: usize = 100;

/// Preliminary FTP replies (120: ready in n minutes) before the final one.
#[cfg(feature = "ftp")]
pub(crate) const FTP_PRELIMINARY: usize = 3;

/// Bytes of a file in one read. robots.txt files are seldom larger.
#[cfg(feature = "ftp")]
pub(crate) const FTP_READ_BYTES: usize = 8 * 1024;

/// Bytes of replies in one read: some lines.
#[cfg(feature = "ftp")]
pub(crate) const FTP_REPLY_BYTES: usize = 512;
