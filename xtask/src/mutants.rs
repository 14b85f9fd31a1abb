//! `cargo xtask mutants`: does a test notice when the heart of the engine is changed?

use crate::shell::{Result, execute, rustup_cargo};

/// Where an answer is made: groups, selection, rules, patterns, targets.
const HEART: [&str; 8] = [
    "crates/verger/src/agent.rs",
    "crates/verger/src/group.rs",
    "crates/verger/src/robots/select.rs",
    "crates/verger/src/robots/build.rs",
    "crates/verger/src/rule.rs",
    "crates/verger/src/pattern.rs",
    "crates/verger/src/percent.rs",
    "crates/verger/src/target.rs",
];

/// Mutates the heart of the engine; the unit tests and the conformance suite judge.
pub(crate) fn run() -> Result {
    let mut command = rustup_cargo(["mutants", "--package", "verger", "--all-features"]);
    command.args(["--test-package", "verger", "--test-package", "verger-testkit"]);
    for file in HEART {
        command.args(["--file", file]);
    }
    execute(&mut command)
}
