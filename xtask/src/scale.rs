//! `cargo xtask scale`: cost of a hundred million origins.

use crate::bench::run_program;
use crate::shell::Result;

/// Runs `verger-bench-scale` with these arguments, in the caller's folder.
pub(crate) fn run(arguments: &[String]) -> Result {
    run_program("verger-bench-scale", arguments)
}
