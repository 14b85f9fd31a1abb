//! `verger-bench-scale`: see `cargo xtask scale --help`.

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match verger_bench::scale(&verger_bench::ScaleArguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
