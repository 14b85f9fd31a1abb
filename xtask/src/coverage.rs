//! `cargo xtask coverage`: branch coverage of the engine.

use crate::shell::{Result, execute, rustup_cargo};

/// Runs the tests of the engine and of the testkit, and reports on the engine alone.
pub(crate) fn run() -> Result {
    let mut command = rustup_cargo(["+nightly", "llvm-cov", "--branch", "--all-features"]);
    command.args(["--package", "verger", "--package", "verger-testkit"]);
    command.args(["--ignore-filename-regex", "crates/verger-testkit|crates/verger-cli"]);
    execute(&mut command)
}
