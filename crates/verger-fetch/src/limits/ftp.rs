//! Every number that a talk with an FTP server is bounded by, with its reason.

/// Bytes of a line an FTP server replies with. RFC 959 has none; real lines have less than 100.
pub const FTP_LINE_BYTES: usize = 1024;

/// Lines of one FTP reply: banners of mirrors have up to some dozens.
pub const FTP_REPLY_LINES: usize = 100;

/// Preliminary FTP replies (120: ready in n minutes) before the final one.
pub const FTP_PRELIMINARY: usize = 3;

/// Bytes of a file that are read at once. robots.txt files are seldom larger.
#[cfg(feature = "ftp")]
pub(crate) const FTP_READ_BYTES: usize = 8 * 1024;

/// Bytes of replies that are read at once: some lines.
#[cfg(feature = "ftp")]
pub(crate) const FTP_REPLY_BYTES: usize = 512;
