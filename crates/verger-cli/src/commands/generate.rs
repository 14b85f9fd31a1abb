//! `verger man` and `verger completions`: manual pages and completion scripts.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man as Page;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use crate::args::{Completions, Man, command};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::sentence::{did_you_mean, quoted};

pub(super) fn man(args: &Man, console: &mut Console) -> Result<ExitStatus, Error> {
    let pages = pages();
    if let Some(dir) = &args.dir {
        return write_all(&pages, dir).map(|()| ExitStatus::Success);
    }
    let wanted = match &args.of {
        None => "verger".to_owned(),
        Some(command) => format!("verger-{command}"),
    };
    let Some(page) = pages.iter().find(|page| name(page) == wanted) else {
        return Err(unknown(args.of.as_deref().unwrap_or_default()));
    };
    Ok(console.finish(ExitStatus::Success, |out| out.write_all(&render(page)?)))
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

/// The definition of each page: the program, and its commands by their full names.
fn pages() -> Vec<Command> {
    let mut main = command().disable_help_subcommand(true);
    // Sets the full names of the commands.
    main.build();
    let mut pages = Vec::new();
    for command in main.get_subcommands() {
        pages.push(command.clone());
        let below = command.get_subcommands().filter(|below| below.get_name() != "help");
        pages.extend(below.cloned());
    }
    std::iter::once(main).chain(pages).collect()
}

/// The name of a page and its file, such as `verger-check`.
fn name(page: &Command) -> &str {
    page.get_display_name().unwrap_or_else(|| page.get_name())
}

/// A page as roff. The examples and exit codes at the end of the help become sections.
fn render(page: &Command) -> io::Result<Vec<u8>> {
    let source = concat!("verger ", env!("CARGO_PKG_VERSION"));
    let man = Page::new(page.clone()).source(source);
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    synopsis(page).to_writer(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if page.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    let help = page.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    sections(&help).to_writer(&mut text)?;
    Ok(text)
}

/// The command with its options and arguments. The generator's own section omits the values of
/// options.
fn synopsis(page: &Command) -> Roff {
    let name = page.get_bin_name().unwrap_or_else(|| page.get_name());
    let mut words = vec![bold(name)];
    let (positionals, options): (Vec<&Arg>, Vec<&Arg>) = page
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .partition(|argument| argument.is_positional());
    for argument in options.into_iter().chain(positionals) {
        words.push(roman(" "));
        words.extend(usage(argument));
    }
    if page.has_subcommands() {
        words.extend([roman(" "), italic("COMMAND")]);
    }
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]).text(words);
    roff
}

/// `[--robots FILE]`, `[URL]...`.
fn usage(argument: &Arg) -> Vec<Inline> {
    let (open, close) = if argument.is_required_set() { ("", "") } else { ("[", "]") };
    let mut words = vec![roman(open)];
    let flag = argument.get_long().map(|long| format!("--{long}"));
    words.extend(flag.or_else(|| argument.get_short().map(|short| format!("-{short}"))).map(bold));
    if argument.get_action().takes_values() {
        let id = argument.get_id().as_str().to_uppercase();
        let value = argument.get_value_names().and_then(<[_]>::first);
        let value = value.map_or(id, ToString::to_string);
        words.extend((!argument.is_positional()).then(|| roman(" ")));
        words.push(italic(value));
    }
    words.push(roman(close));
    words.extend(matches!(argument.get_action(), ArgAction::Append).then(|| roman("...")));
    words
}

/// Converts help text: an unindented line that ends with a colon becomes a heading.
fn sections(help: &str) -> Roff {
    let mut roff = Roff::new();
    for line in help.lines() {
        match line.strip_suffix(':') {
            Some(heading) if !line.starts_with(' ') => {
                roff.control("fi", []).control("SH", [&*heading.to_uppercase()]).control("nf", []);
            }
            _ => {
                roff.text([roman(line)]);
            }
        }
    }
    roff
}

fn write_all(pages: &[Command], dir: &Path) -> Result<(), Error> {
    let shown = |path: &Path| quoted(path.as_os_str().as_encoded_bytes());
    fs::create_dir_all(dir).map_err(|error| Error::io("write", &shown(dir), &error))?;
    for page in pages {
        let path = dir.join(format!("{}.1", name(page)));
        let written = render(page).and_then(|text| fs::write(&path, text));
        written.map_err(|error| Error::io("write", &shown(&path), &error))?;
    }
    Ok(())
}

pub(super) fn completions(args: &Completions, console: &mut Console) -> ExitStatus {
    let mut script = Vec::new();
    // Buffered, because the generator panics if writing fails.
    clap_complete::generate(args.shell, &mut command(), "verger", &mut script);
    console.finish(ExitStatus::Success, |out| out.write_all(&script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_the_help_become_sections_and_the_rest_is_unchanged() {
        let roff = sections("Examples:\n  a --b 'c':\n\nExit codes:\n  0  \\n").to_roff();
        assert!(
            roff.ends_with(
                ".fi\n.SH EXAMPLES\n.nf\n  a \\-\\-b \'c\':\n\n.fi\n.SH \"EXIT CODES\"\n.nf\n  0  \\\\n\n"
            ),
            "{roff}"
        );
    }

    #[test]
    fn the_synopsis_shows_the_values_of_options() {
        let pages = pages();
        let roff = |wanted: &str| {
            let page = pages.iter().find(|page| name(page) == wanted).unwrap();
            synopsis(page).to_roff()
        };
        let check = roff("verger-check");
        for usage in [r"[\fB\-\-robots\fR \fIFILE\fR]", r"\fIFILE\fR]...", r"[\fIURL\fR]..."] {
            assert!(check.contains(usage), "{check}");
        }
        assert!(roff("verger-robots").ends_with(" \\fIFILE\\fR \\fIAGENT\\fR \\fIURL\\fR\n"));
        assert!(roff("verger").ends_with("\\fICOMMAND\\fR\n"));
    }

    #[test]
    fn every_command_has_a_page() {
        let pages = pages();
        let names: Vec<&str> = pages.iter().map(name).collect();
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
            let text = String::from_utf8(render(page).unwrap()).unwrap();
            assert!(text.contains(".SH NAME") && text.contains(".SH EXAMPLES"), "{text}");
        }
    }
}
