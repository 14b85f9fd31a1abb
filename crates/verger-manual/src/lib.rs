//! Manual pages and completion scripts of the programs of Verger, from their definitions for clap.

use std::io;

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

pub use clap_complete::Shell;

/// A manual page.
#[derive(Clone, Debug)]
pub struct Page {
    command: Command,
    version: String,
}

/// Returns the manual pages of a program: its own, then those of its commands and their commands.
///
/// # Examples
///
/// ```
/// use clap::{Arg, Command};
///
/// let check = Command::new("check").arg(Arg::new("url").required(true));
/// let pages = verger_manual::pages(Command::new("verger").version("1.0.0").subcommand(check));
/// assert_eq!(pages[1].name(), "verger-check");
/// assert!(String::from_utf8(pages[1].render()?)?.contains(".SH SYNOPSIS"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pages(program: Command) -> Vec<Page> {
    let version = program.get_version().unwrap_or_default().to_owned();
    let mut main = program.disable_help_subcommand(true);
    // Sets the full names of the commands.
    main.build();
    let mut commands = Vec::new();
    for command in main.get_subcommands() {
        commands.push(command.clone());
        let below = command.get_subcommands().filter(|below| below.get_name() != "help");
        commands.extend(below.cloned());
    }
    let page = |command| Page { command, version: version.clone() };
    std::iter::once(main).chain(commands).map(page).collect()
}

/// Returns the completion script of a program for a shell.
pub fn completions(mut program: Command, name: &str, shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    // Into memory, because the generator panics if writing fails.
    clap_complete::generate(shell, &mut program, name, &mut script);
    script
}

impl Page {
    /// The name of the page and its file, such as `verger-check`.
    pub fn name(&self) -> &str {
        self.command.get_display_name().unwrap_or_else(|| self.command.get_name())
    }

    /// The name of the file in a folder `man1`.
    pub fn file_name(&self) -> String {
        format!("{}.1", self.name())
    }

    /// The page as roff. The examples and exit codes at the end of the help become sections.
    ///
    /// # Errors
    ///
    /// None is known: the text is written to memory.
    pub fn render(&self) -> io::Result<Vec<u8>> {
        let command = &self.command;
        let man = Man::new(command.clone()).source(format!("verger {}", self.version));
        let mut text = Vec::new();
        man.render_title(&mut text)?;
        man.render_name_section(&mut text)?;
        synopsis(command).to_writer(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
        if command.has_subcommands() {
            man.render_subcommands_section(&mut text)?;
        }
        let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        sections(&help).to_writer(&mut text)?;
        Ok(text)
    }
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
        let flag = |name: &'static str| Arg::new(name).long(name);
        let check = Command::new("check")
            .arg(flag("robots").value_name("FILE"))
            .arg(flag("urls-from").value_name("FILE").action(ArgAction::Append))
            .arg(Arg::new("url").value_name("URL").required(true));
        let roff = synopsis(&check).to_roff();
        for usage in [r"[\fB\-\-robots\fR \fIFILE\fR]", r"\fIFILE\fR]..."] {
            assert!(roff.contains(usage), "{roff}");
        }
        assert!(roff.ends_with(" \\fIURL\\fR\n"), "{roff}");
        let roff = synopsis(&Command::new("verger").subcommand(check)).to_roff();
        assert!(roff.ends_with("\\fICOMMAND\\fR\n"), "{roff}");
    }

    #[test]
    fn completions_name_the_program_and_its_commands() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let program = Command::new("verger-bulk").subcommand(Command::new("policies"));
            let script = String::from_utf8(completions(program, "verger-bulk", shell)).unwrap();
            assert!(script.contains("verger-bulk") && script.contains("policies"), "{script}");
        }
    }
}
