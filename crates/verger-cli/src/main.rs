//! The `verger` binary: reads the command line, runs it, and turns the outcome into an exit code.
//! Everything else is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(program) = verger_cli::Program::of(&arguments) {
        return program.run().into();
    }
    match verger_cli::parse(arguments) {
        Ok(cli) => verger_cli::run(cli).into(),
        Err(status) => status.into(),
    }
}
