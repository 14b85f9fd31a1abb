//! All limits of this crate, with their reasons.

/// Maximum bytes of a line of a list of URLs or of a log. A longer line is an error in a list, and
/// counted in a log. Servers refuse requests with lines of 8 to 64 KiB; lines of JSON logs have a
/// few KiB.
pub const LINE_BYTES: usize = 1024 * 1024;
/// Maximum bytes of a compressed list or log after decompression. More are an error. A day of a
/// large site; a decompression bomb ends after minutes.
pub const DECOMPRESSED_BYTES: u64 = 64 * 1024 * 1024 * 1024;
/// Maximum number of lines of a log before the first request. More are an error: the file is not an
/// access log. Containers write up to a few hundred messages when they start.
pub const FORMAT_LINES: u64 = 10_000;
/// Maximum bytes of a time in square brackets in a line of a log, so that a hostile line takes
/// linear time.
pub const TIME_BYTES: usize = 100;
/// Maximum number of places in a line at which the fields of a format may begin, so that a hostile
/// line takes linear time.
pub const TIMES: usize = 16;
/// Maximum number of header fields that a frontend of `HAProxy` captures, of which the column of
/// the User-Agent header is learned. Configurations capture up to ten.
pub const CAPTURES: usize = 64;
/// Maximum number of frontends of `HAProxy` whose captured header fields are learned.
pub const FRONTENDS: usize = 1024;
/// A log counts header fields while it has more than this many times as many responses without a
/// body that have a number of bytes as ones that have none: some applications write the length of a
/// body that they did not send. A response with status 304 counts as this many to HEAD.
pub const BODYLESS_SHARE: u64 = 3;
/// Maximum depth of values in JSON that are searched for a field of a log:
/// `httpRequest.requestUrl`.
pub const JSON_DEPTH: usize = 2;
/// Maximum bytes of a line of a log in a message.
pub const QUOTED_BYTES: usize = 100;
/// Bytes of a log that are read for its first time. A collector may have written messages before.
pub const FIRST_BYTES: u64 = 1024 * 1024;
/// Bytes of a list or log that are read at once.
pub const READ_BYTES: usize = 64 * 1024;
/// Seconds after a fetch of robots.txt in which a crawler may still send requests that it had
/// planned, and in which requests end that began before it: servers such as nginx log the end.
/// Clocks of the log and the history may differ by as much.
pub const MARGIN_SECONDS: u64 = 60;
/// Bytes that the slowest client takes in a second: a telephone modem. They say how long before its
/// end a response can have begun.
pub const SLOWEST_BYTES: u64 = 7_000;
/// Seconds that a server may wait before it fails, or a client before it gives up: a minute in the
/// defaults of proxies, and much more where they are set for uploads or long answers. Local times
/// jump by as much twice a year.
pub const WAITING_SECONDS: u64 = 60 * 60;
/// Shortest time in which requests are counted if the log has only their ends, which lie up to
/// [`MARGIN_SECONDS`] closer together than their beginnings.
pub const PACE_SECONDS: u64 = 2 * MARGIN_SECONDS;
/// Seconds between a request and the next one in the log after which the log begins again: lines
/// may be missing, or a clock was wrong.
pub const SILENT_SECONDS: u64 = 24 * 60 * 60;
/// Seconds of an outage after which crawlers may read it as permission (RFC 9309 section 2.3.1.4).
pub const OUTAGE_SECONDS: u64 = 30 * 24 * 60 * 60;
/// Seconds after which a first version is old: a crawler that renews a copy then hardly has an
/// older one, which a server would also not confirm.
pub const OLD_SECONDS: u64 = 30 * 24 * 60 * 60;
/// Bytes by which a response may be longer in a log than the file, besides one byte in
/// [`FRAMING_SHARE`]: a gzip header, the frames of HTTP/2 and chunks.
pub const FRAMING_BYTES: u64 = 64;
/// Bytes by which a response may be longer in a log that counts header fields, too. Ordinary ones
/// have 200 to 2000.
pub const HEADER_FIELDS_BYTES: u64 = 4096;
/// The most by which compression makes a robots.txt shorter: brotli makes real ones a fifth, and
/// one of a few repeated lines a twentieth. A shorter body was another page.
pub const COMPRESSION: u64 = 32;
/// One in this many bytes of a file may be framing.
pub const FRAMING_SHARE: u64 = 64;
/// Maximum number of lengths of compressed bodies that are remembered of a version. A server has a
/// few.
pub const LENGTHS: usize = 256;
/// The most that a local time differs from UTC, in seconds.
pub const ZONE_SECONDS: u64 = 14 * 60 * 60;
/// Maximum number of fetches of robots.txt that are remembered for an operator and an origin: an
/// hour of the most frequent ones, two months of daily ones. A request in the past is judged by
/// them.
pub const FETCHES: usize = 64;
/// Maximum number of different User-Agent headers whose meaning is stored. A busy site has about
/// 20,000 in a month.
pub const HEADERS: usize = 1 << 15;
/// Maximum bytes of a User-Agent header whose meaning is stored, and of the fields of proxies of a
/// client. Headers of crawlers have up to 300.
pub const HEADER_BYTES: usize = 1024;
/// Maximum number of clients whose identity is stored, a few hundred bytes for each. Then all are
/// forgotten.
pub const CLIENTS: usize = 100_000;
/// Maximum number of compiled policies of an origin, of a version for a crawler: a thousand
/// crawlers and a few versions at a time.
pub const POLICIES: usize = 4096;
/// Maximum number of requests in a window that shows too high a rate. A limit that permits more
/// requests in its period is not judged.
pub const RATE_REQUESTS: usize = 1024;
/// Maximum number of requests of a crawler that are remembered for that. Of ends, windows are
/// longer.
pub const PACED_REQUESTS: usize = 8 * RATE_REQUESTS;
/// Maximum number of parts of a crawler's time line: the width of a screen.
pub const BUCKETS: usize = 120;
/// The shortest part of a time line in seconds: an hour, so that five days need no longer ones.
pub const BUCKET_SECONDS: u64 = 60 * 60;
/// Maximum number of paths in a row of the report: as many as an operator will read.
pub const TOP_PATHS: usize = 20;
/// Maximum number of paths that are counted for a row, to find the most frequent ones. A path with
/// more than one in this many requests is found.
pub const COUNTED_PATHS: usize = 256;
/// Maximum bytes of a counted path. Longer ones are cut.
pub const PATH_BYTES: usize = 512;
