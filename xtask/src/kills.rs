//! `cargo xtask kills`: tests whether the store on disk survives the death of its processes.

use crate::shell::{Result, execute, fetch_test};

/// Default number of kills.
pub(crate) const COUNT: u64 = 1_000;

/// Runs the test of the store that kills processes, with this number of kills instead of 100.
pub(crate) fn run(count: u64) -> Result {
    let mut test = fetch_test("faults");
    execute(test.args(["--", "killed_processes"]).env("VERGER_KILLS", count.to_string()))
}
