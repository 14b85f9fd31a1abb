//! `cargo xtask scale`: what a hundred million origins take.

use crate::bench::run_program;
use crate::shell::Result;

/// Runs `verger-bench-scale` with these arguments, in the folder where cargo was called.
pub(crate) fn run(arguments: &[String]) -> Result {
    run_program("verger-bench-scale", arguments)
}
