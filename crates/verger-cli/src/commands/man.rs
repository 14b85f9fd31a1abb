//! `verger man`: manual pages.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man as Page;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use crate::args::{Man, command};
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::names::{did_you_mean, one_of};
use crate::quote::quoted;

pub(super) fn run(args: &Man, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let pages = pages();
    if let Some(dir) = &args.dir {
        return match write_all(&pages, dir) {
            Ok(()) => ExitStatus::Success,
            Err(error) => talk.fail(&error),
        };
    }
    let wanted = match &args.of {
        None => "verger".to_owned(),
        Some(command) => format!("verger-{command}"),
    };
    let Some(page) = pages.iter().find(|page| name(page) == wanted) else {
        return talk.fail(&unknown(args.of.as_deref().unwrap_or_default()));
    };
    let result = render(page).and_then(|text| out.write_all(&text)).and_then(|()| out.flush());
    written(result, ExitStatus::Success, talk)
}

fn unknown(wanted: &str) -> Error {
    let command = command();
    let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let error = Error::new(format!("expected a command of verger, but found {}", quoted(wanted)));
    let near = did_you_mean(wanted, known.iter().copied());
    let near = near.map(|near| format!("{near} ")).unwrap_or_default();
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    match one_of(&known) {
        Some(known) => error.with_hint(format!("{near}There is {known}")),
        None => error,
    }
}

/// One definition for each page: verger's own, and those of its commands under their full names.
fn pages() -> Vec<Command> {
    let mut main = command().disable_help_subcommand(true);
    // Gives the commands their full names.
    main.build();
    let mut pages = Vec::new();
    for command in main.get_subcommands() {
        pages.push(command.clone());
        let below = command.get_subcommands().filter(|below| below.get_name() != "help");
        pages.extend(below.cloned());
    }
    std::iter::once(main).chain(pages).collect()
}

/// `verger-check`, as the page and its file are called.
fn name(page: &Command) -> &str {
    page.get_display_name().unwrap_or_else(|| page.get_name())
}

/// The page as roff. Examples and exit codes, which help text keeps in one piece, become sections.
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

/// The command with all that can be given to it. The generator's own section leaves out what kind of
/// value an option takes.
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

/// A line that ends with a colon and is not indented opens a section; the others stand as they are.
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
    fs::create_dir_all(dir).map_err(|error| Error::writing(&shown(dir), &error))?;
    for page in pages {
        let path = dir.join(format!("{}.1", name(page)));
        let written = render(page).and_then(|text| fs::write(&path, text));
        written.map_err(|error| Error::writing(&shown(&path), &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_the_help_become_sections_and_the_rest_stays_as_it_is() {
        let roff = sections("Examples:\n  a --b 'c':\n\nExit status:\n  0  \\n").to_roff();
        assert!(
            roff.ends_with(
                ".fi\n.SH EXAMPLES\n.nf\n  a \\-\\-b \'c\':\n\n.fi\n.SH \"EXIT STATUS\"\n.nf\n  0  \\\\n\n"
            ),
            "{roff}"
        );
    }

    #[test]
    fn the_synopsis_shows_what_options_take() {
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
                "verger-fetch",
                "verger-page",
                "verger-verify",
                "verger-robots",
                "verger-cache",
                "verger-cache-list",
                "verger-cache-show",
                "verger-cache-clear",
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
