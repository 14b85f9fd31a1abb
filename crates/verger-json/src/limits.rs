//! All limits of this crate, with their reasons.

/// Bytes of the `id` of a question in its JSON form, which every answer repeats.
pub(crate) const ID_BYTES: usize = 256;

/// Maximum number of agents of a group in an answer; further ones are counted. A batch repeats them
/// in every answer, and a file may have tens of thousands of them for one group.
pub const ANSWER_AGENTS: usize = 100;

/// Maximum changed URLs of a site for each crawler in a difference, those with the most requests.
#[cfg(feature = "analysis")]
pub(crate) const TOP_URLS: usize = 10;

/// Maximum checks of a file of tests, one for each crawler and expectation. More are an error.
/// Files that people write have some hundred; these take seconds.
#[cfg(feature = "tests")]
pub const CHECKS: usize = 100_000;

/// Maximum work of all proofs of a run, in the units of `verger-analysis`: some seconds. Patterns
/// beyond it are not proved, so their tests fail.
#[cfg(feature = "tests")]
pub(crate) const RUN_WORK: u64 = 4 * verger_analysis::limits::WORK;

/// Maximum URLs or lines that a failed test lists. Further ones are counted.
#[cfg(feature = "tests")]
pub(crate) const LISTED: usize = 10;
