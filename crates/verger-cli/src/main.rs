//! The `verger` binary: reads the command line, runs it, and turns the outcome into an exit code.
//! Everything else is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    match verger_cli::parse(std::env::args_os().collect()) {
        Ok(cli) => verger_cli::run(cli).into(),
        Err(status) => status.into(),
    }
}
