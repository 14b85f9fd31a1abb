//! All limits, with their reasons.

use verger_analysis::limits::WORK;

/// Maximum checks of a file of tests, one for each crawler and expectation. More are an error. Files that
/// people write have some hundred; these take seconds.
pub const CHECKS: usize = 100_000;

/// Maximum pairs of expectations of a test that are compared to find contradictions. Beyond them, the
/// results of the tests show a contradiction.
pub const CONTRADICTIONS: usize = 10_000;

/// Maximum work of all proofs of a run, in the units of `verger-analysis`: some seconds. Patterns beyond
/// it are not proved, so their tests fail.
pub const RUN_WORK: u64 = 4 * WORK;

/// Maximum URLs or lines that a failure lists. Further ones are counted.
pub const LISTED: usize = 10;

/// Maximum crawlers with a test in a proposal, so that it is read.
pub const PROPOSED_CRAWLERS: usize = 20;

/// Maximum expectations of a list in a proposal, so that it is read.
pub const PROPOSED_EXPECTATIONS: usize = 50;

/// Maximum crawlers in the name of a proposed test.
pub const PROPOSED_NAMES: usize = 3;

/// Maximum lines that are removed in turn for a proposal.
pub const REMOVED_LINES: usize = 500;

/// Maximum bytes that are parsed without one of the lines: less than a second. Each removal takes a pass
/// over the file, so of a long file fewer lines are removed.
pub const REMOVAL_BYTES: usize = 16 * 1024 * 1024;

/// Maximum work of all proofs of a proposal, in the units of `verger-analysis`: less than a second.
pub const PROPOSAL_WORK: u64 = WORK / 2;
