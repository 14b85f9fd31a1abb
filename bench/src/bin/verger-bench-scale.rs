//! `verger-bench-scale`: see `cargo xtask scale --help`.

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    verger_bench::exit(verger_bench::scale(&verger_bench::ScaleArguments::parse()))
}
