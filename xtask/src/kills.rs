//! `cargo xtask kills`: does the store on disk survive its users' deaths?

use crate::shell::{Result, execute, fetch_test};

/// Default number of kills.
pub(crate) const COUNT: u64 = 1_000;

/// Runs the test of the store that kills processes, so many times instead of the usual 100.
pub(crate) fn run(count: u64) -> Result {
    let mut test = fetch_test("faults");
    execute(test.args(["--", "killed_processes"]).env("VERGER_KILLS", count.to_string()))
}
