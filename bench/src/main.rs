//! `verger-bench`: see `cargo xtask bench --help`.

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match verger_bench::run(&verger_bench::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            // As the program's: 2 is for what could not be done.
            ExitCode::from(2)
        }
    }
}
