//! All limits, with their reasons.

/// Maximum number of crawlers whose restriction is decided for one file. That of further ones is
/// undecided.
///
/// The file with the most names among 4,231 real ones has 1,100. Each crawler takes a search
/// for its groups, and each set of groups an analysis, which reads all of their rules.
pub const CRAWLERS: usize = 4_000;
