//! The meaning of a robots.txt for a crawler, as a set of URLs: exact answers about all URLs.
//!
//! ```
//! use verger::Robots;
//! use verger_analysis::{Analysis, Budget, compare};
//!
//! let before = Robots::parse("User-agent: *\nDisallow: /cart\n");
//! let after = Robots::parse("User-agent: *\nDisallow: /cart/\nDisallow: /cart?\nDisallow: /cart/old\n");
//! let [before, after] = [&before, &after].map(|robots| Analysis::new(robots, "ExampleBot"));
//! let comparison = compare(&before, &after, &mut Budget::default());
//! assert_eq!(comparison.changes[0].direction().name(), "opened");
//! assert_eq!(comparison.changes[0].witness().url(), "https://example.com/cart");
//! let redundant = after.redundant_rules(&mut Budget::default()).found;
//! assert_eq!(redundant[0].rule.to_string(), "Disallow: /cart/old");
//! ```
//!
//! # Flow
//!
//! [`Analysis`] takes the rules of the groups that apply to a crawler, with their patterns in the
//! dialect's normal form. Every question about all URLs becomes questions about a few canonical
//! targets, which the engine answers.
//!
//! The canonical target of a pattern has a fresh letter, which no pattern contains, in place of
//! each star. If a second pattern matches this target, its own stars take the letter, so it matches
//! all targets of the first pattern. The rule that decides the canonical target therefore shows
//! whether the rule of the pattern decides any target at all. For two patterns, the canonical
//! targets of their merges (`patterns/merge.rs`) show the same about all targets that both match.
//! This holds for any list of rules whose first match decides, and a policy in which the longest
//! pattern decides is such a list, sorted by length.
//!
//! A witness has as few `//` as possible. Of these texts it is one of the shortest: it has the
//! fresh letter at as few stars as possible, and nothing at the others.
//!
//! # Scope
//!
//! No I/O and no clock. Nothing panics, whatever the file. Memory is bounded. Time is bounded by
//! [`limits::WORK`], about a second: real files take milliseconds, and a question that exceeds a
//! limit is [`Undecided`]. Witnesses are [confirmed](Witness) by the engine.
//!
//! The analysis covers rules only. Records such as `Crawl-delay` do not change a verdict.
//!
//! Clauses such as `REP-MATCH-10` are entries of `docs/clauses.md` in the repository.
//!
//! # References
//!
//! Canonical texts for containment are the case of strings in G. Miklau and D. Suciu, *Containment
//! and Equivalence for a Fragment of `XPath`* (2004).

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`, `undecided.rs`: all limits, with their reasons; reasons for a missing answer,
//   the budget of a question
// - `patterns/`: patterns with their canonical texts (`glob.rs`); the patterns whose union is
//   the intersection of two (`merge.rs`); patterns by their beginnings (`index.rs`); the letter
//   that no pattern contains (`fresh_letter.rs`); a policy as a list of patterns, the one that
//   decides first at the beginning (`decision_list.rs`)
// - `urls/`: texts and their URLs (`targets.rs`); URLs as the common targets of two dialects
//   (`client_urls.rs`), and their patterns (`spellings.rs`); the engine's answer for a URL
//   (`policy_check.rs`); URLs that show an answer, as short as possible (`witness.rs`)
// - `questions/`: the rules of a crawler, prepared for questions (`analysis.rs`); findings about
//   single rules (`findings.rs`, `dead.rs`, `redundant.rs`); open, closed and mixed patterns
//   (`pattern_state.rs`); canonical targets (`canonical.rs`); the search for differences, and the
//   comparison of two policies (`changes.rs`, `compare.rs`); crawlers that files name, and the
//   comparison of two files (`crawlers.rs`, `files.rs`); counts of given URLs (`count.rs`,
//   `coverage.rs`, `prefixes.rs`, `frequent.rs`); those whose answers differ (`url_changes.rs`)

pub mod limits;
mod patterns;
mod questions;
mod undecided;
mod urls;

pub use questions::analysis::Analysis;
pub use questions::canonical::CanonicalTargets;
pub use questions::compare::{Change, Comparison, Direction, compare};
pub use questions::count::Count;
pub use questions::coverage::{Coverage, UnmentionedPrefix};
pub use questions::crawlers::{
    OTHERS, compared_crawler, compared_names, named_crawlers, unnamed_crawler,
};
pub use questions::dead::{DeadCause, DeadRule};
pub use questions::files::{
    CrawlerDifferences, FileComparison, GroupSwitch, RecordChange, TextChange, compare_files,
};
pub use questions::findings::Findings;
pub use questions::pattern_state::{Example, PatternState};
pub use questions::redundant::RedundantRule;
pub use questions::url_changes::{ChangedUrl, UrlChanges};
pub use undecided::{Budget, Undecided};
pub use urls::witness::Witness;

/// The Rust code of the README, as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
