//! The arguments of `verger man` and `verger completions`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Print a manual page, or write all pages into a directory
#[derive(Debug, Args)]
#[command(after_long_help = MAN_EXAMPLES)]
pub(crate) struct Man {
    /// Command to document [default: verger itself]
    #[arg(value_name = "COMMAND")]
    pub(crate) of: Option<String>,
    /// Directory for all pages; it is created if necessary
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "of")]
    pub(crate) dir: Option<PathBuf>,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_long_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct Completions {
    /// Target shell
    pub(crate) shell: clap_complete::Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  Show the page of verger:
    verger man | man -l -

  Save the page of a command:
    verger man check > verger-check.1

  Install all pages:
    verger man --dir ~/.local/share/man/man1";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  bash:
    mkdir -p ~/.local/share/bash-completion/completions
    verger completions bash > ~/.local/share/bash-completion/completions/verger

  zsh, with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc:
    mkdir -p ~/.zfunc
    verger completions zsh > ~/.zfunc/_verger

  fish:
    mkdir -p ~/.config/fish/completions
    verger completions fish > ~/.config/fish/completions/verger.fish

  elvish, with `use verger` in ~/.config/elvish/rc.elv:
    mkdir -p ~/.config/elvish/lib
    verger completions elvish > ~/.config/elvish/lib/verger.elv

  powershell (run these commands in PowerShell):
    mkdir -Force (Split-Path $PROFILE)
    verger completions powershell >> $PROFILE";
