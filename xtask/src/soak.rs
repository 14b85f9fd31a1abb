//! `cargo xtask soak`: tests the answers of the robots client over a long time.

use crate::shell::{Result, execute, fetch_test};

/// Default seconds of real time.
pub(crate) const SECONDS: u64 = 300;

/// Runs the soak test of the robots client for this number of seconds instead of 5.
pub(crate) fn run(seconds: u64, seed: Option<u64>) -> Result {
    let mut command = fetch_test("soak");
    command.env("VERGER_SOAK_SECONDS", seconds.to_string());
    if let Some(seed) = seed {
        command.env("VERGER_SOAK_SEED", seed.to_string());
    }
    execute(&mut command)
}
