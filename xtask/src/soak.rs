//! `cargo xtask soak`: does the robots client say the right thing for as long as it runs?

use crate::shell::{Result, execute, fetch_test};

/// Default seconds of real time.
pub(crate) const SECONDS: u64 = 300;

/// Runs the soak of the robots client for so many seconds instead of the usual 5.
pub(crate) fn run(seconds: u64, seed: Option<u64>) -> Result {
    let mut command = fetch_test("soak");
    command.env("VERGER_SOAK_SECONDS", seconds.to_string());
    if let Some(seed) = seed {
        command.env("VERGER_SOAK_SEED", seed.to_string());
    }
    execute(&mut command)
}
