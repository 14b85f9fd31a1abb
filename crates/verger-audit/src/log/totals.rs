//! The numbers of lines of an access log, with the problems of its end.

use serde::Serialize;

/// The lines of an access log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LogTotals {
    /// The name of the format; `None` for an empty log.
    pub format: Option<&'static str>,
    /// Lines with a request.
    pub requests: u64,
    /// Lines that are not in the format, and requests without a target, such as `OPTIONS *`.
    pub skipped: u64,
    /// The first of the skipped lines: its number from 1, and its beginning, quoted and escaped.
    #[serde(skip)]
    pub first_skipped: Option<(u64, String)>,
    /// Lines of more than [`LINE_BYTES`](crate::limits::LINE_BYTES), which were not read.
    pub too_long: u64,
    /// Whether a time had no zone, none was given, and it was read as UTC.
    #[serde(skip)]
    pub has_local_times: bool,
    /// Whether the compressed data is cut off, or other bytes follow it. All lines before that were
    /// read.
    pub is_truncated: bool,
    /// Whether lines after the last request are lost, among them perhaps requests for robots.txt:
    /// the next log begins [after a loss](super::Request::is_after_loss).
    #[serde(skip)]
    pub ends_with_loss: bool,
}
