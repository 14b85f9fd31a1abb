//! A response to a request for robots.txt.

use std::fmt;

use crate::limits::{ENTRY_BYTES, FILE_BYTES};

/// A response to a request for robots.txt, as far as it was recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fetched<'a> {
    /// The body, without transfer and content codings.
    pub body: &'a [u8],
    /// The HTTP status; `None` if it was not recorded.
    pub status: Option<u16>,
    /// The header `Content-Type`, empty if the response had none; `None` if it was not recorded.
    pub content_type: Option<&'a str>,
    /// The media type that was detected from the body, as in the WARC header
    /// `WARC-Identified-Payload-Type`.
    pub detected_type: Option<&'a str>,
    /// Whether redirects were followed; `None` if it was not recorded.
    pub redirected: Option<bool>,
}

impl<'a> From<&'a [u8]> for Fetched<'a> {
    /// A body alone.
    fn from(body: &'a [u8]) -> Self {
        Self { body, ..Self::default() }
    }
}

/// A file whose counts for each agent exceed [`limits::FILE_BYTES`](FILE_BYTES).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = FILE_BYTES / (1024 * 1024);
        write!(f, "expected counts of at most {mebibytes} MiB, but groups have too many agents")
    }
}

impl std::error::Error for TooLarge {}

/// The memory that the counts of one file may still take.
pub(crate) struct Memory(usize);

impl Memory {
    pub(crate) const fn of_file() -> Self {
        Self(FILE_BYTES)
    }

    /// Takes the memory of some entries with texts of this length.
    pub(crate) fn take(&mut self, entries: usize, text: usize) -> Result<(), TooLarge> {
        let bytes = entries.saturating_mul(ENTRY_BYTES + text);
        self.0 = self.0.checked_sub(bytes).ok_or(TooLarge)?;
        Ok(())
    }
}
