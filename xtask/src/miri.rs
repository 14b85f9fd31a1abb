//! `cargo xtask miri`: are policies, and what reads many octets at once, the same on machines of another kind?
//!
//! Miri plays a machine with the other order of bytes, and one of 32 bits, without having it. On the way it would
//! see undefined behaviour, which `unsafe_code = "forbid"` leaves to dependencies.

use crate::shell::{Result, execute, rustup_cargo};

/// Big-endian with 64 bits, and little-endian with 32.
const MACHINES: [&str; 2] = ["s390x-unknown-linux-gnu", "i686-unknown-linux-gnu"];

/// What is written as bytes and read from them, what takes octets for numbers, and what numbers of the machine
/// could leak into.
const TESTS: [&str; 5] = ["policy::", "percent::", "pattern::", "parse::key::", "parse::stops::"];

/// Runs unit tests of the engine on the machines that ours is not.
pub(crate) fn run() -> Result {
    for machine in MACHINES {
        let mut command = rustup_cargo(["+nightly", "miri", "test", "--package", "verger"]);
        command.args(["--features", "simd", "--lib", "--target", machine, "--"]).args(TESTS);
        execute(&mut command)?;
    }
    Ok(())
}
