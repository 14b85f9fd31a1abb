//! `cargo xtask miri`: tests policies, and the code that reads many octets at once, on other kinds
//! of machine.
//!
//! Miri simulates a big-endian machine and a 32-bit machine. It also detects undefined behaviour,
//! which `unsafe_code = "forbid"` leaves to dependencies.

use crate::shell::{Result, execute, rustup_cargo};

/// Big-endian with 64 bits, and little-endian with 32.
const MACHINES: [&str; 2] = ["s390x-unknown-linux-gnu", "i686-unknown-linux-gnu"];

/// Tests of encoding and decoding, of code that treats octets as numbers, and of values that could
/// depend on the machine's word size.
const TESTS: [&str; 5] = ["policy::", "percent::", "pattern::", "parse::key::", "parse::stops::"];

/// Runs unit tests of the engine on these machines.
pub(crate) fn run() -> Result {
    for machine in MACHINES {
        let mut command = rustup_cargo(["+nightly", "miri", "test", "--package", "verger"]);
        command.args(["--features", "simd", "--lib", "--target", machine, "--"]).args(TESTS);
        execute(&mut command)?;
    }
    Ok(())
}
