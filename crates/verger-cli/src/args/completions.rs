//! The arguments of `verger completions`.

use clap::Args;

/// Write the completion script of a shell
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

const EXAMPLES: &str = "\
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

  powershell, in PowerShell itself:
    mkdir -Force (Split-Path $PROFILE)
    verger completions powershell >> $PROFILE";
