//! `verger man` and `verger completions`: manual pages and completion scripts.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use clap::Command;
use verger_manual::Page;

use crate::args::{Completions, Man, command};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::programs::PROGRAMS;
use crate::sentence::{did_you_mean, quoted};

pub(super) fn man(args: &Man, console: &mut Console) -> Result<ExitStatus, Error> {
    let pages = verger_manual::pages(command());
    if let Some(dir) = &args.dir {
        return write_all(&pages, dir).map(|()| ExitStatus::Success);
    }
    let wanted = match &args.of {
        None => "verger".to_owned(),
        Some(command) => format!("verger-{command}"),
    };
    let Some(page) = pages.iter().find(|page| page.name() == wanted) else {
        return Err(unknown(args.of.as_deref().unwrap_or_default()));
    };
    Ok(console.finish(ExitStatus::Success, |out| out.write_all(&page.render()?)))
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

fn write_all(pages: &[Page], dir: &Path) -> Result<(), Error> {
    let shown = |path: &Path| quoted(path.as_os_str().as_encoded_bytes());
    fs::create_dir_all(dir).map_err(|error| Error::io("write", &shown(dir), &error))?;
    for page in pages {
        let path = dir.join(page.file_name());
        let written = page.render().and_then(|text| fs::write(&path, text));
        written.map_err(|error| Error::io("write", &shown(&path), &error))?;
    }
    Ok(())
}

pub(super) fn completions(args: &Completions, console: &mut Console) -> ExitStatus {
    // `verger bulk` and so on run separate programs.
    let programs = PROGRAMS.map(|(name, about, _)| Command::new(name).about(about));
    let script = verger_manual::completions(command().subcommands(programs), "verger", args.shell);
    console.finish(ExitStatus::Success, |out| out.write_all(&script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let pages = verger_manual::pages(command());
        let names: Vec<&str> = pages.iter().map(Page::name).collect();
        assert_eq!(
            names,
            [
                "verger",
                "verger-check",
                "verger-inspect",
                "verger-lint",
                "verger-fmt",
                "verger-diff",
                "verger-coverage",
                "verger-test",
                "verger-fetch",
                "verger-page",
                "verger-verify",
                "verger-robots",
                "verger-cache",
                "verger-cache-list",
                "verger-cache-show",
                "verger-cache-clear",
                "verger-crawlers",
                "verger-crawlers-list",
                "verger-crawlers-show",
                "verger-completions",
                "verger-man"
            ]
        );
        for page in &pages {
            let text = String::from_utf8(page.render().unwrap()).unwrap();
            assert!(text.contains(".SH NAME") && text.contains(".SH EXAMPLES"), "{text}");
        }
    }
}
