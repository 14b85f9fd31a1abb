//! What Verger costs: beside its peers, and on the worst inputs.
//!
//! # Flow
//!
//! [`run`] opens a corpus (`corpus/`), asks every peer everything once (`survey.rs`, `agreement.rs`), and then lets
//! all do the same work in turn (`measure.rs`, `plan.rs`). `peers/` has a file for each peer. `report/` writes the
//! tables. [`hostile`] has the worst inputs.
//!
//! # Scope
//!
//! Figures are ratios side by side in one run. Nothing fails because it is slow.

mod agreement;
mod arguments;
mod corpus;
pub mod hostile;
mod measure;
mod peers;
mod plan;
mod report;
mod run;
mod set;
mod statistics;
mod survey;

pub use arguments::{Arguments, Subject};
pub use run::run;

/// What went wrong, for people.
pub type Result<T = ()> = std::result::Result<T, String>;
