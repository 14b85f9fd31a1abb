//! `cargo xtask counts`: counts instructions of hot paths and worst inputs.
//!
//! The bench `counts` counts under Valgrind; `verger-bench-counts` compares its output with the budgets.

use crate::setup::{GUNGRAUN, GUNGRAUN_VERSION, VALGRIND};
use crate::shell::{Result, cargo, feed, output, root};

/// Counts and compares. With `write`, the counts of hot paths become their new budgets.
pub(crate) fn run(write: bool) -> Result {
    if !VALGRIND.is_there() || !GUNGRAUN.is_there() {
        return Err(format!("Valgrind and gungraun-runner {GUNGRAUN_VERSION} are needed"));
    }
    let bench = |arguments: &[&str]| {
        let mut command = cargo(arguments);
        command.args(["--no-default-features", "--features", "simd", "--manifest-path"]);
        command.arg(root().join("bench/Cargo.toml"));
        command
    };
    let mut counting = bench(&["bench", "--bench", "counts"]);
    let counts = output(counting.args(["--", "--output-format=json"]))?;
    let mut judging = bench(&["run", "--quiet", "--release", "--bin", "verger-bench-counts"]);
    feed(judging.args(write.then_some("--").into_iter().chain(write.then_some("--write"))), &counts)
}
