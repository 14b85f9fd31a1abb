//! What Verger costs: beside its peers, and on the worst inputs.
//!
//! # Flow
//!
//! [`run`] opens a corpus (`corpus/`), asks every peer everything once (`survey.rs`, `agreement.rs`), and then lets
//! all do the same work in turn (`measure.rs`, `plan.rs`, `growth.rs`). `peers/` has a file for each peer. What only
//! Verger does is in `load.rs`, `worst.rs` (with the inputs of [`hostile`]), `batch.rs` and `tiers.rs`; bytes are
//! counted in `memory.rs`, by a program of its own. `report/` makes the page.
//!
//! [`scale()`] is another program: what a hundred million origins take (`scale/`).
//!
//! # Scope
//!
//! Figures are ratios side by side in one run. Nothing fails because it is slow.

mod agreement;
mod arguments;
mod batch;
mod corpus;
mod growth;
pub mod hostile;
mod load;
mod machine;
mod measure;
mod memory;
mod peers;
mod plan;
mod report;
mod results;
mod run;
mod scale;
mod set;
mod statistics;
mod survey;
#[cfg(feature = "tiers")]
mod tiers;
mod worst;

use std::process::ExitCode;

pub use arguments::{Arguments, Subject};
pub use memory::memory;
pub use run::run;
pub use scale::{ScaleArguments, scale};

/// What went wrong, for people.
pub type Result<T = ()> = std::result::Result<T, String>;

/// Says what went wrong; how a program ends. As the program `verger`'s, 2 is for what could not be done.
pub fn exit(result: Result) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::from(2)
}
