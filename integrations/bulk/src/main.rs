//! The `verger-bulk` binary: reads the command line, runs it, and turns the outcome into an exit
//! code. Everything else is in the library beside it.

use std::process::ExitCode;

use verger_bulk::{ExitStatus, fail, parse, run};

fn main() -> ExitCode {
    let cli = match parse(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(status) => return status.into(),
    };
    match run(&cli) {
        Ok(status) => status.into(),
        Err(error) => {
            fail(&error);
            ExitStatus::Error.into()
        }
    }
}
