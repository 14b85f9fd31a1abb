//! Every number this crate is bounded by, with its reason.

/// Bytes of header lines that are read, values and continuation lines together; the rest is left out
/// and told. HTTP clients stop at about as much for a whole response head, and the Robots-Tag draft asks
/// readers for at least 8 KiB (REP-PAGE-30).
pub const HEADER_BYTES: usize = 64 * 1024;

/// Statements that are kept of one page; more are left out and told. Ten times what any page has a use
/// for, and little enough that a page of nothing but directives costs no more than its bytes.
pub const STATEMENTS: usize = 1_000;

/// Bytes of one item that are kept as it was written. The longest directive, a date with its name, has
/// fifty.
pub const ITEM_BYTES: usize = 256;

/// Bytes of a description, of keywords, of a TDM policy that are kept.
pub const TEXT_BYTES: usize = 8 * 1024;

/// Bytes of a text that is tried as a date. The longest form, RFC 850 with its weekday, has
/// thirty-eight; more blanks between the words than this are nobody's date.
pub const DATE_BYTES: usize = 64;

/// Bytes of a page that are scanned, in UTF-8; the scan stops behind them and says so. A `<head>` is
/// seldom a tenth of it, and Google reads the first 2 MB of a page at most.
pub const HTML_BYTES: usize = 1024 * 1024;

/// Bytes at the start of a page in which its encoding is looked for, as browsers do.
pub const PRESCAN_BYTES: usize = 1024;

/// Elements that may be open at once; the scan stops at a deeper one and says so. Elements whose end tag
/// is left out, such as `p`, count until an element around them ends. Browsers nest 512.
pub const HTML_DEPTH: usize = 50_000;

/// Elements with `data-nosnippet` that are kept; more are left out and told.
pub const NOSNIPPETS: usize = 1_000;
