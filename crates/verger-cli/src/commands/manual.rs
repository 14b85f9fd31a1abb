//! `verger man` and `verger completions`: manual pages and completion scripts.

use std::fs;
use std::io::Write as _;

use clap::Command;
use clap_mangen::Man as Page;
use verger::quoted;
use verger_lint::did_you_mean;

use crate::args::{Completions, Man, PROGRAMS, command};
use crate::console::Console;
use crate::error::{Error, ExitStatus};

pub(super) fn man(args: &Man, console: &mut Console) -> Result<ExitStatus, Error> {
    let pages = pages();
    if let Some(dir) = &args.dir {
        let mut written = fs::create_dir_all(dir);
        for page in pages {
            written = written.and_then(|()| page.generate_to(dir).map(drop));
        }
        let shown = quoted(dir.as_os_str().as_encoded_bytes());
        return written
            .map(|()| ExitStatus::Success)
            .map_err(|error| Error::io("write", &shown, &error));
    }
    let wanted = match &args.of {
        None => "verger.1".to_owned(),
        Some(command) => format!("verger-{command}.1"),
    };
    let page = pages.into_iter().find(|page| page.get_filename() == wanted);
    let page = page.ok_or_else(|| unknown(args.of.as_deref().unwrap_or_default()))?;
    Ok(console.finish(ExitStatus::Success, |out| page.render(out)))
}

/// The pages of the program and of all commands.
fn pages() -> Vec<Page> {
    let mut program = command().disable_help_subcommand(true);
    // Sets the full names of the commands.
    program.build();
    let mut commands = vec![program];
    let mut at = 0;
    while let Some(command) = commands.get(at) {
        let below: Vec<Command> = command.get_subcommands().cloned().collect();
        commands.extend(below);
        at += 1;
    }
    let source = concat!("verger ", env!("CARGO_PKG_VERSION"));
    commands.into_iter().map(|command| Page::new(command).source(source)).collect()
}

fn unknown(wanted: &str) -> Error {
    let command = command();
    let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let near = did_you_mean(wanted, known.iter().copied());
    let near = near.map(|near| format!("{near} ")).unwrap_or_default();
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Error::new(format!("expected a command of verger, but found {}", quoted(wanted)))
        .with_hint(format!("{near}Commands: {known}"))
}

pub(super) fn completions(args: &Completions, console: &mut Console) -> ExitStatus {
    // `verger bulk` and so on run separate programs.
    let programs = PROGRAMS.map(|(name, about, _)| Command::new(name).about(about));
    let mut script = Vec::new();
    // Into memory, because the generator panics if writing fails.
    let mut command = command().subcommands(programs);
    clap_complete::generate(args.shell, &mut command, "verger", &mut script);
    console.finish(ExitStatus::Success, |out| out.write_all(&script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_examples() {
        let pages = pages();
        assert_eq!(pages.len(), 31);
        for page in pages {
            let mut text = Vec::new();
            page.render(&mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains(".SH NAME") && text.contains("Examples:"), "{text}");
        }
    }
}
