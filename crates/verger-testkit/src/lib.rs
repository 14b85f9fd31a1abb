//! Test data, oracles and hostile inputs for Verger. Development only, never published.

pub mod agreement;
pub mod corpus;
pub mod generate;
pub mod golden;
pub mod hostile;
pub mod naive;
pub mod parallel;
pub mod perl;
#[cfg(feature = "server")]
pub mod server;
pub mod shared;
pub mod shrink;
pub mod suite;

/// The Rust of the pages for people: doc tests compile and run it.
#[cfg(all(doctest, feature = "pages"))]
mod pages {
    #[doc = include_str!("../../../docs/dialects.md")]
    mod dialects {}
    #[doc = include_str!("../../../docs/migrating.md")]
    mod migrating {}
    #[doc = include_str!("../../../README.md")]
    mod readme {}
}
