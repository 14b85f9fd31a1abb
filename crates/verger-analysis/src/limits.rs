//! All limits of the analysis, with their reasons. A question that needs more is
//! [undecided](crate::Undecided); no limit changes an answer.

/// Maximum number of merges of two patterns: patterns whose union is the intersection of the two.
///
/// Pairs of real rules have at most a few dozen. The number grows exponentially with the stars of
/// both patterns.
pub const MERGES: usize = 4_096;

/// Maximum number of ways to merge two patterns, including those that give the same merge.
///
/// Repeated literals (`*a*a*a*`) give the same merge in many ways.
pub(crate) const MERGE_WAYS: usize = 16 * MERGES;

/// Maximum number of symbols of all merges of two patterns: a few megabytes.
///
/// The longest patterns of real files have two thousand octets.
pub(crate) const MERGE_SYMBOLS: usize = 1 << 22;

/// Maximum number of pairs of patterns with too many merges in one question. Then the question
/// ends: its answer is incomplete anyway, and each further pair costs the product of the lengths.
pub(crate) const UNMERGED_PAIRS: usize = 200;

/// Maximum product of the lengths of two patterns with stars that are merged: its memory, in bytes.
pub(crate) const MERGE_CELLS: usize = 1 << 24;

/// Maximum number of URLs that are checked to shorten one witness. A witness that needs more is
/// correct, but [not proved to be the shortest](crate::Witness::is_shortest).
///
/// A witness of twelve stars, the most in a corpus of 4,231 files, has 4,096 variants.
pub(crate) const WITNESS_CHECKS: usize = 4_096;

/// Maximum number of letters that are tried for a more readable witness.
pub(crate) const READABLE_LETTERS: usize = 4;

/// Maximum work of one question, about one unit for each octet that is read: about a second, and a
/// few seconds without optimisation.
///
/// Dead and redundant rules of any of 4,231 real files, with up to 31,843 rules, need less than
/// half of it, and so does a comparison of two files with 40,000 different rules.
pub const WORK: u64 = 100_000_000;

/// Maximum number of [changes](crate::Change) in the comparison of two policies. Further ones are
/// missing, and the comparison [says so](crate::Comparison::incomplete).
pub const CHANGES: usize = 50_000;

/// Maximum number of ways to spell one rule in a comparison between dialects with different normal
/// forms.
///
/// A rule has two ways for each octet that another rule escapes without need.
pub(crate) const SPELLINGS: usize = 4_096;

/// Maximum number of stars of a pattern in a comparison between dialects, if a query must begin at
/// one of them. Real patterns have at most twelve.
pub(crate) const QUERY_STARS: usize = 64;

/// Maximum number of path prefixes that [`Coverage`](crate::Coverage) counts at a time, and of
/// single URLs that [`UrlChanges`](crate::UrlChanges) counts: a few megabytes. If there are more,
/// the rarest half is forgotten.
pub(crate) const PREFIXES: usize = 65_536;

/// Maximum memory in bytes of the prefixes that [`Coverage`](crate::Coverage) counts, and of the
/// single URLs that [`UrlChanges`](crate::UrlChanges) counts for each direction. If they take more,
/// the rarest half is forgotten; the sums stay exact.
pub(crate) const FREQUENT_BYTES: usize = 16 * 1024 * 1024;

/// Maximum number of path segments of a counted prefix.
pub(crate) const PREFIX_SEGMENTS: usize = 3;

/// Maximum number of bytes of a counted prefix. Sections of sites have short names; longer segments
/// name single pages.
pub(crate) const PREFIX_BYTES: usize = 128;

/// Maximum number of bytes of a URL that [`UrlChanges`](crate::UrlChanges) lists. Longer ones are
/// only counted, so that long URLs cannot fill the memory. Servers refuse lines of 8 KiB.
pub(crate) const LISTED_URL_BYTES: usize = 2_048;

/// Maximum number of crawlers for which two files are [compared](crate::compare_files). Further
/// ones are [not compared](crate::FileComparison::not_compared).
///
/// The file with the most names among 4,231 real ones has fewer than 500. Each crawler takes a pass
/// over both files.
pub const CRAWLERS: usize = 1_000;
