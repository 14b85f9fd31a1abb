//! `cargo xtask kills`: does the store on disk survive its users' deaths?

use crate::shell::{Result, cargo, execute};

/// Default number of kills.
pub(crate) const COUNT: u64 = 1_000;

/// Runs the test of the store that kills processes, so many times instead of the usual 100.
pub(crate) fn run(count: u64) -> Result {
    let test = ["test", "--package", "verger-fetch", "--test", "faults", "--", "killed_processes"];
    execute(cargo(test).env("VERGER_KILLS", count.to_string()))
}
