//! All limits, with their reasons.

/// Maximum memory in bytes of the counts for each agent of one file.
///
/// They are the product of the agents of a group and its records: 500 KiB of hostile text would
/// otherwise take gigabytes. The file that takes the most among 4,231 real ones needs less than a
/// tenth.
pub const FILE_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of crawlers whose restriction is decided for one file. That of further ones is
/// undecided.
///
/// The file with the most names among 4,231 real ones has 1,100. Each crawler takes a search
/// for its groups, and each set of groups an analysis, which reads all of their rules.
pub const CRAWLERS: usize = 4_000;

/// Memory of a count without its text, for [`FILE_BYTES`].
pub(crate) const ENTRY_BYTES: usize = 48;
