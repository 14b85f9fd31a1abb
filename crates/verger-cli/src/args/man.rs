//! The arguments of `verger man`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Write a manual page
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Man {
    /// The command whose page to write; without one, that of verger itself
    #[arg(value_name = "COMMAND")]
    pub(crate) of: Option<String>,
    /// Write all pages into this directory instead
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "of")]
    pub(crate) dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  verger man | man -l -
  verger man check > verger-check.1
  verger man --dir ~/.local/share/man/man1";
