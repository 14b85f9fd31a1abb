//! All limits of this crate, with their reasons.

/// Maximum bytes of a line of a list of URLs or of a log. A longer line is an error in a list, and counted
/// in a log. Servers refuse requests with lines of 8 to 64 KiB; lines of JSON logs have a few KiB.
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
/// Maximum depth of values in JSON that are searched for a field of a log: `httpRequest.requestUrl`.
pub const JSON_DEPTH: usize = 2;
/// Maximum bytes of a line of a log in a message.
pub const QUOTED_BYTES: usize = 100;
/// Latest time in seconds since 1970: the end of the year 9999.
pub const LATEST_SECONDS: u64 = 253_402_300_799;
/// Bytes of a log that are read for its first time. A collector may have written messages before.
pub const FIRST_BYTES: u64 = 1024 * 1024;
/// Bytes of a list or log that are read at once.
pub const READ_BYTES: usize = 64 * 1024;
