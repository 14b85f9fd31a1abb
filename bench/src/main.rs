//! `verger-bench`: see `cargo xtask bench --help`.

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    verger_bench::exit(verger_bench::run(&verger_bench::Arguments::parse()))
}
