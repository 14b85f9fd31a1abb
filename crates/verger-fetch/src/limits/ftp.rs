//! Limits of a session with an FTP server, with their reasons.

/// Bytes of a line of an FTP reply. RFC 959 has no limit; real lines have less than 100.
pub const FTP_LINE_BYTES: usize = 1024;

/// Lines of one FTP reply: banners of mirrors have up to some dozens.
pub const FTP_REPLY_LINES: usize = 100;

/// Preliminary FTP replies (120: ready in n minutes) before the final one.
pub const FTP_PRELIMINARY: usize = 3;

/// Bytes of a file in one read. robots.txt files are seldom larger.
#[cfg(feature = "ftp")]
pub(crate) const FTP_READ_BYTES: usize = 8 * 1024;

/// Bytes of replies in one read: some lines.
#[cfg(feature = "ftp")]
pub(crate) const FTP_REPLY_BYTES: usize = 512;
