//! Test data, oracles and hostile inputs for Verger. Development only, never published.

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
