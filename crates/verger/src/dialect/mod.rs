//! Dialects: each published reading of the protocol as a row of choices.
//!
//! # Flow
//!
//! A [`Dialect`] is plain data. Parsing, group selection, normal form and precedence read its
//! fields at each choice; no code compares dialects. The published rows are in `published.rs`. A
//! custom row starts from one of them:
//!
//! ```
//! use verger::{Dialect, dialect::Spellings};
//!
//! const STRICT: Dialect = {
//!     let mut row = Dialect::RFC9309;
//!     row.name = "strict";
//!     row.spellings = Spellings::Exact;
//!     row.missing_colon = false;
//!     row
//! };
//! let robots = STRICT.parse("User-agent: *\nDissalow: /x\nDisallow /y");
//! assert!(robots.check("ExampleBot", "https://shop.example/x").is_allowed());
//! assert!(robots.check("ExampleBot", "https://shop.example/y").is_allowed());
//! ```
//!
//! # References
//!
//! The clause of each choice is in the doc of its field (`REP-…`, listed in `docs/clauses.md`).

mod choice;
mod published;
pub(crate) mod row;

pub use choice::{
    AgentMatch, AgentValue, ByteOrderMark, EmptyRule, Fallback, GroupsTaken, NormalForm,
    OrphanRules, Oversize, Precedence, Schemes, Scope, Spellings, UrlSplit,
};

pub(crate) use row::Dialect;
