//! The arguments of `verger fmt`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Format robots.txt files: usual keys, one space, one blank line between groups
///
/// Files are changed in place. Standard input is written to standard output. A folder means all
/// files named `robots.txt` in it and in its subfolders, except hidden ones and `node_modules`.
/// Without an argument, Verger formats the current folder.
///
/// The formatter has no settings. It changes no answer for any crawler in any dialect: edits that
/// could change one are not made, and reported in a note. Comments and unknown lines keep their
/// text.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Fmt {
    /// robots.txt files or folders; `-` is standard input [default: the current folder]
    #[arg(value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<PathBuf>,

    /// Change no file; list the files that are not formatted
    #[arg(long)]
    pub(crate) check: bool,

    /// Change no file; show the changes as a diff
    #[arg(long)]
    pub(crate) diff: bool,

    /// Name of the file at standard input, for messages
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) stdin_filename: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  Format all robots.txt files below the current folder:
    verger fmt

  Check in CI that a file is formatted, and show the changes:
    verger fmt --check --diff robots.txt

  Format standard input:
    verger fmt - < robots.txt

Exit codes:
  0  the files are formatted
  1  with `--check` or `--diff`: at least one file would change
  2  a file could not be read or written, or no robots.txt was found";
