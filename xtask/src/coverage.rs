//! `cargo xtask coverage`: branch coverage of the engine.

use crate::shell::{Result, execute, rustup_cargo};

/// Runs the tests of the engine, of the testkit (including the conformance suite) and of the
/// command line, and reports on the engine only.
pub(crate) fn run() -> Result {
    let mut command = rustup_cargo(["+nightly", "llvm-cov", "--branch", "--all-features"]);
    command.args(["--package", "verger", "--package", "verger-testkit", "--package", "verger-cli"]);
    command.args(["--ignore-filename-regex", "crates/verger-[a-z]+/"]);
    execute(&mut command)
}
