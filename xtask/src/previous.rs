//! `cargo xtask previous`: tests whether the previous release and this one can share a store.

use crate::shell::{Result, cargo, execute, program, root, target_dir};

/// The last commit whose records have version 1.
const VERSION_1: &str = "265b05099afc6653002f3158241a9a403fc74c7b";

/// Builds the previous release from the history, and runs both with one store.
pub(crate) fn run() -> Result {
    let checkout = target_dir().join("previous");
    if !checkout.is_dir() {
        let clone = ["clone", "--quiet", "--no-checkout"];
        execute(program("git", clone).arg(root()).arg(&checkout))?;
    }
    // Also after an interrupted run: without its files, cargo would build this project instead.
    let files = ["checkout", "--quiet", "--force", VERSION_1];
    execute(program("git", files).current_dir(&checkout))?;
    let target = checkout.join("target");
    let mut build = cargo(["build", "--package", "verger-cli"]);
    execute(build.current_dir(&checkout).env("CARGO_TARGET_DIR", &target))?;
    let test =
        ["test", "--package", "verger-cli", "--test", "it", "previous::", "--", "--nocapture"];
    execute(cargo(test).env("VERGER_PREVIOUS", target.join("debug/verger")))
}
