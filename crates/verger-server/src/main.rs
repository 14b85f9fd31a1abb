//! The program `verger-serve`. Everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    verger_server::main(std::env::args_os())
}
