//! All limits, with their reasons.

/// Maximum bytes of a line of a list or log. A longer line is an error. Servers refuse requests with
/// lines of 8 to 64 KiB; lines of JSON logs have a few KiB.
pub const LINE_BYTES: usize = 1024 * 1024;

/// Maximum bytes of a compressed list or log after decompression. More are an error. A day of a large
/// site; a decompression bomb ends after minutes.
pub(crate) const DECOMPRESSED_BYTES: u64 = 64 * 1024 * 1024 * 1024;

/// Maximum number of lines of a log before the first request. More are an error: the file is no
/// access log. Containers write up to a few hundred messages when they start.
pub(crate) const FORMAT_LINES: u64 = 10_000;

/// Maximum bytes of a time in square brackets in a line of a log, so that a hostile line takes
/// linear time.
pub(crate) const TIME_BYTES: usize = 100;

/// Maximum bytes of a line in an error message.
pub(crate) const QUOTED_BYTES: usize = 100;

/// Maximum bytes of one sitemap, after decompression. More are an error. Twice the maximum of the
/// protocol, 50 MiB, because some generators exceed it.
pub const SITEMAP_BYTES: usize = 100 * 1024 * 1024;

/// Maximum bytes of the address of an entry of a sitemap. A longer one is skipped. The protocol
/// permits 2,048 characters, which can be 12 KiB of escapes.
pub(crate) const ADDRESS_BYTES: usize = 64 * 1024;

/// Maximum depth of elements of a sitemap. Deeper ones are an error. The protocol has three, with
/// extensions for images and videos five.
pub(crate) const DEPTH: usize = 64;

/// Maximum number of indexes above a sitemap. More are an error. The protocol permits one; some
/// sites have two.
pub(crate) const INDEX_DEPTH: usize = 3;

/// Maximum number of sitemaps that are read, including indexes. More are an error. An index of the
/// protocol has up to 50,000, which take hours to fetch politely.
pub const SITEMAPS: usize = 10_000;

/// Maximum depth of values in JSON that are searched for a field of a log: `httpRequest.requestUrl`.
pub(crate) const JSON_DEPTH: usize = 2;
