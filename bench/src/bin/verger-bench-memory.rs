//! `verger-bench-memory`: measures memory with a counting allocator, which would disturb
//! measurements of time.
//!
//! `verger-bench` starts it with its arguments.

use std::process::ExitCode;

use clap::Parser as _;
use verger_bench::Allocated;

fn main() -> ExitCode {
    verger_bench::exit(verger_bench::memory(&verger_bench::Arguments::parse(), count))
}

fn count(work: &mut dyn FnMut()) -> Allocated {
    let counted = allocation_counter::measure(work);
    let held = u64::try_from(counted.bytes_current).unwrap_or(0);
    Allocated { peak: counted.bytes_max, held }
}
