//! `cargo xtask scale`: what a hundred million origins take.

use crate::bench::run_quietly;
use crate::shell::{Result, cargo, root};

/// Runs `verger-bench-scale` with these arguments, in the folder where cargo was called.
pub(crate) fn run(arguments: &[String]) -> Result {
    let mut command = cargo(["run", "--quiet", "--release", "--bin", "verger-bench-scale"]);
    command.arg("--manifest-path").arg(root().join("bench/Cargo.toml"));
    command.arg("--").args(arguments);
    command.current_dir(std::env::current_dir().map_err(|error| error.to_string())?);
    run_quietly(&mut command)
}
