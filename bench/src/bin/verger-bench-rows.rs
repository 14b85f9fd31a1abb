//! `verger-bench-rows`: plain loops over rows, for the benchmark of columns.

use std::process::ExitCode;

fn main() -> ExitCode {
    verger_bench::exit(verger_bench::rows())
}
