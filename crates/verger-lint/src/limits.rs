//! All limits of the linter, with their reasons.

/// Maximum number of comparisons of meaning when a file is formatted. A usual file needs two. The
/// number bounds hostile files, in which many blank lines have a meaning.
pub const PROOFS_OF_FORMATTING: usize = 400;

/// Maximum number of comparisons of meaning for the safe fixes of a file. Nearly every file needs
/// one; the most for a file of the corpus is 27. Files need more if a rule is repeated after lines
/// that some dialects do not read.
pub const PROOFS_OF_FIXES: usize = 50;

/// Bytes of a robots.txt that Google's service reads: 500 KiB (REP-SYNTAX-8).
pub(crate) const GOOGLE_BYTES: usize = 500 * 1024;

/// Bytes of the longest robots.txt that Yandex reads, if its 500 KB are 500 KiB (REP-SYNTAX-8).
pub(crate) const YANDEX_BYTES: usize = 500 * 1024;

/// The same, if its 500 KB are 500,000 bytes. The documentation does not define the unit.
pub(crate) const YANDEX_DECIMAL_BYTES: usize = 500_000;

/// Maximum number of characters of a quoted text in a message: about half a line of a terminal.
pub(crate) const QUOTED_CHARS: usize = 60;
