//! The program `verger-lsp`. Everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    verger_lsp::main(std::env::args_os())
}
