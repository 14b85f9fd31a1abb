//! The program `verger-bulk`. Everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    verger_bulk::main(std::env::args_os())
}
