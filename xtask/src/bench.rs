//! `cargo xtask bench`: Verger beside its peers.

use crate::shell::{Result, cargo, execute, root, target_dir};

/// Builds the programs of `bench/` and runs `verger-bench` with these arguments, from the folder where cargo was
/// called.
pub(crate) fn run(arguments: &[String]) -> Result {
    let manifest = root().join("bench/Cargo.toml");
    execute(cargo(["build", "--release", "--bins", "--manifest-path"]).arg(&manifest))?;
    let mut command = cargo(["run", "--quiet", "--release", "--manifest-path"]);
    command.arg(manifest).arg("--").args(arguments);
    command.current_dir(std::env::current_dir().map_err(|error| error.to_string())?);
    execute(command.env("VERGER_BENCH_FOLDER", target_dir().join("bench")))
}
