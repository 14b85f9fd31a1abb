//! Cost of Verger: compared with its peers, and on the worst inputs.
//!
//! # Flow
//!
//! [`run`] opens a corpus (`corpus/`) and collects the answers of all peers once (`survey.rs`,
//! `agreement.rs`). Then all do the same work in turn (`measure.rs`, `plan.rs`, `growth.rs`).
//! `peers/` has the peers. Measurements of Verger alone are in `load.rs`, `worst.rs`
//! (with the inputs of [`hostile`]), `batch.rs` and `tiers.rs`. A separate program measures memory
//! (`memory.rs`). `report/` writes the page.
//!
//! [`rows()`] is the peer of another benchmark.
//!
//! # Scope
//!
//! Figures are ratios within one run. Slowness is not a failure.

mod agreement;
mod allocations;
mod arguments;
mod batch;
mod corpus;
mod floors;
mod growth;
mod hostile;
mod load;
mod machine;
mod measure;
mod memory;
mod peers;
mod plan;
mod report;
mod results;
mod rows;
mod run;
mod set;
mod statistics;
mod survey;
#[cfg(feature = "tiers")]
mod tiers;
mod worst;

use std::process::ExitCode;

pub use allocations::Allocated;
pub use arguments::{Arguments, Subject};
pub use memory::memory;
pub use rows::rows;
pub use run::run;

/// An error is a message for people.
pub type Result<T = ()> = std::result::Result<T, String>;

/// Prints the error; the exit code of a program. As for the program `verger`, 2 means that
/// something could not be done.
pub fn exit(result: Result) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::from(2)
}
