//! `cargo xtask mutants`: tests whether a test fails for each change of the engine's core.

use crate::shell::{Result, execute, rustup_cargo};

/// The core of the engine: lines, groups, selection, rules, patterns, targets; by tables and in one
/// pass.
const HEART: [&str; 17] = [
    "crates/verger/src/agent.rs",
    "crates/verger/src/check.rs",
    "crates/verger/src/group.rs",
    "crates/verger/src/once.rs",
    "crates/verger/src/parse/*.rs",
    "crates/verger/src/pattern.rs",
    "crates/verger/src/percent/mod.rs",
    "crates/verger/src/percent/octets.rs",
    "crates/verger/src/robots/build.rs",
    "crates/verger/src/robots/select.rs",
    "crates/verger/src/rule.rs",
    "crates/verger/src/policy/*.rs",
    "crates/verger/src/policy/tree/*.rs",
    "crates/verger/src/search/*.rs",
    "crates/verger/src/site.rs",
    "crates/verger/src/target.rs",
    "crates/verger/src/text.rs",
];

/// Mutates the core of the engine.
///
/// Runs the unit tests of the engine and of the testkit, and the conformance suite through the
/// library and the one-shot answer. The differential tests would detect more, but check hundreds of
/// thousands of questions for each mutant. Cargo cannot run doc tests together with the others.
pub(crate) fn run() -> Result {
    let mut command = rustup_cargo(["mutants", "--package", "verger", "--all-features"]);
    command.args(["--test-package", "verger,verger-testkit"]);
    // The baseline would run the tests of the package alone, which has no such test.
    command.args(["--baseline", "skip", "--timeout", "120"]);
    for file in HEART {
        command.args(["--file", file]);
    }
    execute(command.args(["--", "--lib", "--test", "conformance"]))
}
