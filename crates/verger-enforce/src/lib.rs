//! Rules of web servers that refuse what a robots.txt disallows.
//!
//! # Flow
//!
//! [`Plan::of`] finds the crawlers whose rules are enforced, and sorts the rules of each into a
//! list of which the first match decides. [`Plan::prove`] compares this list with the engine, on
//! the canonical targets of `verger-analysis`. [`Plan::emit`] writes it for a [`Target`].
//!
//! # Refused requests
//!
//! A request is refused if the engine disallows its raw target, or the target of the path that the
//! server would serve, with the query: after decoding, merging of slashes and removal of dot
//! segments. `/robots.txt` and `/.well-known/` always pass.
//!
//! # Scope
//!
//! No I/O and no clock. Nothing panics, whatever the file. An output is complete or an error.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `octets.rs`, `pattern.rs`, `request.rs`: spellings of octets; patterns; the raw target
//   and the served path of a request
// - `glob.rs`: patterns over spellings, conditions on the raw target or on the served path
// - `rules.rs`, `plan.rs`: the intermediate form: lists of rules, and the crawlers to which they
//   apply, with their evaluator
// - `proof.rs`: the comparison of the intermediate form with the engine
// - `expression.rs`, `comparison.rs`: regular expressions of conditions, and of runs of rules
// - `emit/`: one file for each target, with its rules of quoting

mod comparison;
mod emit;
mod expression;
mod glob;
pub mod limits;
mod octets;
mod pattern;
mod plan;
mod proof;
mod request;
mod rules;

pub use emit::{Answer, Choices, EmitError, Output, Target};
pub use plan::{Options, Plan, PlanError, Unproved};
pub use proof::{Case, Cases, Proof};
pub use rules::Unexpressible;
