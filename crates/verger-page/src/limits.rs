//! All limits of this crate, with their reasons.

/// Bytes of the header lines of a name, values and continuation lines together; the rest is
/// omitted, which is reported. HTTP clients limit a whole response head to about the same, and the
/// Robots-Tag draft requires at least 8 KiB (REP-PAGE-30).
pub(crate) const HEADER_BYTES: usize = 64 * 1024;

/// Statements of a kind on one page; more are omitted, which is reported. A kind is a directive for
/// every crawler, one for other crawlers, items without effect, and each other field or element.
/// Ten times the need of any page, and few enough that a page of directives only costs no more than
/// its bytes.
pub const STATEMENTS: usize = 1_000;

/// Bytes of the original text of one item. The longest directive, a date with its name, has fifty.
pub const ITEM_BYTES: usize = 256;

/// Bytes of a description, of keywords, of a TDM policy.
pub(crate) const TEXT_BYTES: usize = 8 * 1024;

/// Maximum bytes of a date. The longest form, RFC 850 with its weekday, has thirty-eight; real
/// dates have no more blanks than this.
pub(crate) const DATE_BYTES: usize = 64;

/// Bytes of a page that are scanned, as received and in UTF-8; the scan stops there and reports it.
/// A `<head>` is seldom a tenth of it, and Google reads at most the first 2 MB of a page.
pub const HTML_BYTES: usize = 1024 * 1024;

/// Bytes at the start of a page that may declare its encoding, as in browsers.
#[cfg(feature = "html")]
pub(crate) const PRESCAN_BYTES: usize = 1024;

/// Open elements; the scan stops at a deeper one and reports it. Elements without an end tag, such
/// as `p`, count until an element around them ends. Browsers nest 512.
#[cfg(feature = "html")]
pub(crate) const HTML_DEPTH: usize = 50_000;

/// Elements with `data-nosnippet`; more are omitted, which is reported.
#[cfg(feature = "html")]
pub(crate) const NOSNIPPETS: usize = 1_000;
