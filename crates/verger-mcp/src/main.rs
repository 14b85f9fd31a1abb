//! The program `verger-mcp`: serves one agent over standard input and output.

use std::process::ExitCode;

fn main() -> ExitCode {
    verger_mcp::main(std::env::args_os())
}
