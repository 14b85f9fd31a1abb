//! Test data, oracles and hostile inputs for Verger. Development only, never published.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `shared.rs`, `corpus.rs`, `golden.rs`: the data folder beside the project: the files of
//   4,231 sites, the answers of Google's library
// - `suite/`: `testdata/`: reading, running, counting
// - `generate/`, `shrink.rs`, `parallel.rs`: files, crawlers and URLs from a seed; reduction of
//   failing inputs; long comparisons on all processors
// - `automaton/`: the oracle of the analysis: a product automaton over small policies
// - `agreement.rs`: the interfaces of the engine compared with each other
// - `hostile/`: hostile inputs: the cases of `testdata/hostile`, and entries about the output
//   of programs
// - `server/`: the hostile server; `server/catalogue` has its attacks on a robots client and
//   their expected outcomes

pub mod agreement;
pub mod automaton;
pub mod corpus;
pub mod generate;
pub mod golden;
pub mod hostile;
pub mod parallel;
#[cfg(feature = "server")]
pub mod server;
pub mod shared;
pub mod shrink;
pub mod suite;

/// Rust examples of README.md and docs/: doc tests compile and run them.
#[cfg(all(doctest, feature = "pages"))]
mod pages {
    #[doc = include_str!("../../../docs/crawlers.md")]
    mod crawlers {}
    #[doc = include_str!("../../../docs/dialects.md")]
    mod dialects {}
    #[doc = include_str!("../../../docs/migrating.md")]
    mod migrating {}
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/registry.md")]
    mod registry {}
}
