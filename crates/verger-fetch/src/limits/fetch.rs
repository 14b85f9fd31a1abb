//! Every number a single fetch is bounded by, with its reason.

use std::time::Duration;

use super::Range;

/// Time for the whole fetch, redirects and all. The other budgets run inside it. The wait for a place at an
/// address does not; it takes no longer than this either.
pub const TOTAL: Range<Duration> = seconds(30);

/// Time for one name to be resolved. Stub resolvers ask twice and then some within it.
pub const DNS: Range<Duration> = seconds(5);

/// Time for one address to accept a connection. One lost SYN is repeated after a second, two after
/// three; who needs longer is not there.
pub const CONNECT: Range<Duration> = seconds(3);

/// Time for all addresses of a name together.
pub const CONNECT_ALL: Range<Duration> = seconds(8);

/// Time for the TLS handshake, from the first byte to the last.
pub const TLS: Range<Duration> = seconds(5);

/// Time from the request to the end of the response's head, interim responses included. Counted to
/// the end of the head and not to its first byte, so that a head that drips is cut off as well.
pub const HEAD: Range<Duration> = seconds(10);

/// Time between two reads of a body, and for one reply of an FTP server.
pub const IDLE: Range<Duration> = seconds(10);

/// Bytes of the decoded body: REP-SYNTAX-8, RFC 9309 section 2.5, asks for 500 KiB at least, so it
/// cannot be set lower.
pub const BODY: Range<usize> =
    Range { least: 500 * 1024, default: 500 * 1024, most: 16 * 1024 * 1024 };

/// Time for one question to one name server; twice this and a retry over TCP fit in [`DNS`]. It grows
/// with that limit.
#[cfg(feature = "dns")]
pub(crate) const DNS_QUESTION: Duration = Duration::from_secs(2);

/// How often a name server is asked the same: one lost packet is no missing name.
#[cfg(feature = "dns")]
pub(crate) const DNS_ATTEMPTS: usize = 2;

/// Bytes of the body before its content coding is undone. A compressed body is smaller than the
/// decoded one; twice as much leaves room for bad compression.
pub const WIRE: Range<usize> =
    Range { least: 512 * 1024, default: 1024 * 1024, most: 32 * 1024 * 1024 };

/// Bytes of the decoded body of a page, for whoever reads its text and links: Google's crawler reads 2 MB of HTML.
/// Its directives are looked for in the first [`verger_page::limits::HTML_BYTES`] only, half of the default.
pub const PAGE: Range<usize> =
    Range { least: 64 * 1024, default: 2 * 1024 * 1024, most: 64 * 1024 * 1024 };

/// Bytes of the response's head, all interim responses included. curl stops at 300 KiB.
pub const HEAD_BYTES: Range<usize> =
    Range { least: 8 * 1024, default: 64 * 1024, most: 300 * 1024 };

/// Header fields of a response; Hyper's own limit is the same.
pub const HEAD_FIELDS: Range<usize> = Range { least: 32, default: 100, most: 1_000 };

/// Interim (1xx) responses before the final one.
pub const INTERIM: Range<usize> = Range { least: 0, default: 10, most: 100 };

/// Redirects that are followed at the most; an access profile, or a request, may say fewer, and the
/// smaller number counts. REP-ACCESS-20, REP-ACCESS-23: five at least; browsers give up at twenty, and
/// robots.txt has less reason to travel.
pub const REDIRECTS: Range<usize> = Range { least: 5, default: 5, most: 10 };

/// Addresses of one name that are kept. All of an answer's addresses are judged.
pub const ADDRESSES: Range<usize> = Range { least: 1, default: 16, most: 64 };

/// Connections to one address at a time. Many sites share an address, and whoever runs it sees one
/// visitor. Those on which nothing is heard for [`SILENCE`] do not count, up to [`SILENT`].
pub const PER_ADDRESS: Range<usize> = Range { least: 1, default: 4, most: 256 };

/// How long nothing is heard on a connection before its place at the address and its slot among all
/// fetches are lent to others: servers that take longer are few. With a short [`TOTAL`] it is less, an
/// eighth of that, so that many silent sites are through within it.
pub const SILENCE: Duration = Duration::from_secs(1);

/// The part of [`TOTAL`] that [`SILENCE`] is at the most.
pub(crate) const SILENCE_SHARE: u32 = 8;

/// Silent connections that do not count, at one address and in all. With [`FETCHES`](super::FETCHES) they use 768
/// of the 1,024 descriptors that a process has by default; the rest is for attempts at further addresses.
pub const SILENT: usize = 512;

/// How long the next address waits for the one before it: RFC 8305 section 5 recommends 250 ms.
pub const NEXT_ADDRESS: Duration = Duration::from_millis(250);

/// Bytes of chunk framing and trailers, for each byte that a body may have on the wire. One-byte
/// chunks need six; a chunk size with a million zeros gets no further than this.
pub const FRAMING_FACTOR: usize = 8;

/// Bytes of trailers, which say nothing that anybody asked for and are dropped. Hyper reads 16 KiB.
pub const TRAILER_BYTES: usize = 8 * 1024;

/// Bytes of a stored validator that is sent back (`If-None-Match`, `If-Modified-Since`), and of a
/// header field that is handed out. A longer `ETag` is no `ETag`.
pub const FIELD_BYTES: usize = 8 * 1024;

/// Bytes of a Location. RFC 9110 section 4.1 recommends 8,000 for a URL.
pub const LOCATION_BYTES: usize = 8 * 1024;

/// The window of a zstd frame, the most that RFC 9659 section 3 lets a server use.
pub const ZSTD_WINDOW_BYTES: u64 = 8 * 1024 * 1024;

/// Frames of a zstd body. Each costs tables to be set up; real bodies have one.
pub const ZSTD_FRAMES: usize = 1_000;

/// From a hundredth of a second to two minutes: no phase needs more than [`TOTAL`], and each may have as
/// much ([`Limits::with_timeout`](super::Limits::with_timeout)).
const fn seconds(default: u64) -> Range<Duration> {
    Range {
        least: Duration::from_millis(10),
        default: Duration::from_secs(default),
        most: Duration::from_secs(120),
    }
}

/// Hyper's buffer is larger by so much than any head that the meter lets through, so that the meter decides.
pub(crate) const HEAD_ROOM: usize = 16 * 1024;

/// Addresses whose connections are counted before those without one are looked for: some hundred bytes
/// each.
pub(crate) const PLACES_PRUNED_FROM: usize = 1_024;

/// No pause in the time of a fetch is looked at more often.
pub(crate) const PAUSE_CHECK: Duration = Duration::from_millis(10);

/// Bytes that a decoder reads at a time: a page of memory.
#[cfg(feature = "brotli")]
pub(crate) const DECODER_ROOM: usize = 4_096;
