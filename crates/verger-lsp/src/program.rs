//! The program: arguments and exit codes.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};
use clap_complete::Shell;

use crate::server::serve;
use crate::transport::stdio;

/// Language server for robots.txt files, on standard input and output
///
/// Editors start it. It shows problems, explains rules and crawlers, fixes, completes and formats.
#[derive(Debug, Parser)]
#[command(name = "verger-lsp", version, after_long_help = EXAMPLES)]
struct Arguments {
    /// Accepted for editors that name the transport; there is no other one
    #[arg(long)]
    stdio: bool,
    /// Write the manual page
    #[arg(long, exclusive = true)]
    man: bool,
    /// Write completions for a shell
    #[arg(long, value_name = "SHELL", exclusive = true)]
    completions: Option<Shell>,
}

const EXAMPLES: &str = "\
Examples:
  Start it from Neovim 0.8 or newer, in a robots.txt:
    vim.lsp.start({ name = 'verger', cmd = { 'verger-lsp' }, root_dir = vim.fn.getcwd() })
  Start it as a command of verger:
    verger lsp";

/// Runs the program with a command line, which begins with its name, until the editor ends it.
///
/// The exit code is 0 after the end of a session and after `--help` and the like, 1 if the editor
/// ended without `shutdown`, and 2 after wrong arguments.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and the version are not errors.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let mut text = Vec::new();
    if arguments.man {
        let _ = clap_mangen::Man::new(Arguments::command()).render(&mut text);
    } else if let Some(shell) = arguments.completions {
        clap_complete::generate(shell, &mut Arguments::command(), "verger-lsp", &mut text);
    } else if io::stdin().is_terminal() {
        return fail(
            "expected an editor on standard input, but found a terminal\nhint: see `--help`",
        );
    } else {
        let (connection, writer) = stdio();
        let is_in_order = serve(&connection);
        drop(connection);
        // Until it has written all answers.
        let _ = writer.join();
        return ExitCode::from(u8::from(!is_in_order));
    }
    match io::stdout().write_all(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("could not write: {error}")),
    }
}

fn fail(message: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(2)
}
